/* SPDX-License-Identifier: MIT */
/* The untrusted part: host ENCLAVE.so [BELOW] */
#include "tee_perf_sim.h"

#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t serve_time(void *user, void *data, size_t bytes)
{
	(void)user;
	(void)data;
	(void)bytes;
	return (int64_t)time(NULL);
}

int main(int argc, char **argv)
{
	struct count_primes job = { .below = argc > 2 ? strtoull(argv[2], NULL, 0) : 20000 };
	struct tee_perf_sim_counts counts;
	int64_t result;

	if (argc < 2) {
		fprintf(stderr, "usage: host ENCLAVE.so [BELOW]\n");
		return 2;
	}
	struct tee_perf_sim *sim = tee_perf_sim_start(argv[1], NULL);
	if (sim == NULL) {
		fprintf(stderr, "host: %s\n", tee_perf_sim_error());
		return 1;
	}
	tee_perf_sim_on_ocall(sim, OCALL_TIME, serve_time, NULL);
	int status = tee_perf_sim_ecall(sim, ECALL_COUNT_PRIMES, &job, sizeof job, &result);
	tee_perf_sim_counts(sim, &counts);
	int ended = tee_perf_sim_stop(sim);
	if (status != TEE_PERF_SIM_OK || result != 0 || ended != 0) {
		fprintf(stderr, "host: status %d, result %lld, end 0x%x\n", status, (long long)result, (unsigned)ended);
		return 1;
	}
	printf("%llu primes below %llu; %llu OCALLs\n", (unsigned long long)job.found, (unsigned long long)job.below,
	       (unsigned long long)counts.ocalls);
	return 0;
}
