/* SPDX-License-Identifier: MIT */
/* What platforms have in common whose log is mapped whole, whose threads do not end and whose process does not fork:
 * enclaves, and both sides in one process. Defined here, so included by one file of each. */
#ifndef TEE_PERF_RUNTIME_ALL_MAPPED_H
#define TEE_PERF_RUNTIME_ALL_MAPPED_H

#include "runtime/platform.h"

/* A ring is read when the process is gone. */
void tee_perf_platform_watch_thread_end(void)
{
}

bool tee_perf_platform_open_memory(uintptr_t begin, uint64_t size)
{
	(void)begin;
	(void)size;
	return true;
}

/* Handlers run below what they interrupted. */
bool tee_perf_platform_owner_stale(const struct tee_perf_thread *thread, uintptr_t owner, uintptr_t cfa)
{
	(void)thread;
	return owner <= cfa;
}

bool tee_perf_platform_attach_child(void)
{
	return true;
}

#endif
