/* SPDX-License-Identifier: MIT */
/* A trusted part that makes 200,000 calls; check-policy builds it with what is to outrank its host. */
#include "tee_perf_sim_trusted.h"

#define CALLS 200000

__attribute__((noinline)) static int64_t step(int64_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

static int64_t ecall_busy(void *data, size_t bytes)
{
	int64_t value = 0;

	(void)data;
	(void)bytes;
	while (value < CALLS)
		value = step(value);
	return value;
}
TEE_PERF_SIM_ECALLS(ecall_busy);
