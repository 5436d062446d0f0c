/* SPDX-License-Identifier: MIT */
/* What a kit would bring, so that the rest can be linked against nothing. */
#include "runtime/platform/enclave.h"

bool tee_perf_enclave_outside(uintptr_t begin, uint64_t size)
{
	return tee_perf_ranges_apart(begin, size, 1 << 20, 1 << 20);
}

uintptr_t tee_perf_enclave_thread_key(void)
{
	return 1;
}

void tee_perf_enclave_stack(uintptr_t cfa, uintptr_t *lo, uintptr_t *hi)
{
	(void)cfa;
	*lo = *hi = 0;
}
