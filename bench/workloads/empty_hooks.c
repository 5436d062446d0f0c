/* SPDX-License-Identifier: MIT */
/* A stand-in for the runtime library whose hooks do nothing: what instrumentation costs by itself. */
#include "runtime/abi.h"

void tee_perf_call(const struct tee_perf_map_entry *entry, const void *cfa)
{
	(void)entry;
	(void)cfa;
}

void tee_perf_call_inlined(const struct tee_perf_map_entry *entry, const void *cfa)
{
	(void)entry;
	(void)cfa;
}

void tee_perf_return(const struct tee_perf_map_entry *entry, const void *cfa)
{
	(void)entry;
	(void)cfa;
}

void tee_perf_resync(const struct tee_perf_map_entry *entry, const void *cfa)
{
	(void)entry;
	(void)cfa;
}

void tee_perf_image_register(const struct tee_perf_image *image)
{
	(void)image;
}

void tee_perf_image_unregister(const struct tee_perf_image *image)
{
	(void)image;
}
