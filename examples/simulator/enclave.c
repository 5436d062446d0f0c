/* SPDX-License-Identifier: MIT */
/* The trusted part: counts primes, and asks the host for the time now and then. */
#include "tee_perf_sim_trusted.h"

#include "calls.h"

static __attribute__((noinline)) int is_prime(uint64_t n)
{
	for (uint64_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return 0;
	return n > 1;
}

static __attribute__((noinline)) int64_t ask_for_the_time(void)
{
	int64_t seconds = 0;

	tee_perf_sim_ocall(OCALL_TIME, NULL, 0, &seconds);
	return seconds;
}

static int64_t ecall_count_primes(void *data, size_t bytes)
{
	struct count_primes *job = data;

	if (bytes != sizeof *job || job->below > 1000000)
		return -1;
	for (uint64_t n = 0; n < job->below; n++) {
		job->found += (uint64_t)is_prime(n);
		if (n % 1000 == 0)
			job->last_time = ask_for_the_time();
	}
	return 0;
}

TEE_PERF_SIM_ECALLS(ecall_count_primes);
