/* SPDX-License-Identifier: MIT */
/* The untrusted part: host ENCLAVE.so naive|cached [I/OS] */
#define _GNU_SOURCE
#include "tee_perf_sim.h"

#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t serve_getpid(void *user, void *data, size_t bytes)
{
	(void)user;
	(void)data;
	(void)bytes;
	return syscall(SYS_getpid);
}

static int64_t serve_time(void *user, void *data, size_t bytes)
{
	(void)user;
	(void)data;
	(void)bytes;
	return now_ns();
}

/* The enclave is that of a hypervisor-based TEE, which lets it read the time-stamp counter: then its recording needs no
 * third processor. A file named by TEE_PERF_SIM_CONFIG has the last word. */
static struct tee_perf_sim *start(const char *enclave)
{
	struct tee_perf_sim_config config;
	const char *file = getenv("TEE_PERF_SIM_CONFIG");

	tee_perf_sim_config_init(&config);
	config.tsc_forbidden = 0;
	if (file != NULL && tee_perf_sim_config_read(&config, file) != 0)
		return NULL;
	return tee_perf_sim_start(enclave, &config);
}

int main(int argc, char **argv)
{
	struct run run = { .ios = argc > 3 ? strtoull(argv[3], NULL, 10) : 20000 };
	struct tee_perf_sim_counts counts;
	int64_t result = -1;

	if (argc < 3 || argc > 4 || run.ios == 0 || (strcmp(argv[2], "naive") && strcmp(argv[2], "cached"))) {
		fprintf(stderr, "usage: host ENCLAVE.so naive|cached [I/OS]\n");
		return 2;
	}
	run.cached = argv[2][0] == 'c';
	struct tee_perf_sim *sim = start(argv[1]);
	if (sim == NULL) {
		fprintf(stderr, "host: %s\n", tee_perf_sim_error());
		return 1;
	}
	tee_perf_sim_on_ocall(sim, OCALL_GETPID, serve_getpid, NULL);
	tee_perf_sim_on_ocall(sim, OCALL_GET_TIME, serve_time, NULL);
	int status = tee_perf_sim_ecall(sim, ECALL_FORMAT, NULL, 0, &result);
	int64_t began = now_ns();
	if (status == TEE_PERF_SIM_OK && result == 0)
		status = tee_perf_sim_ecall(sim, ECALL_RUN, &run, sizeof run, &result);
	double seconds = (double)(now_ns() - began) / 1e9;
	tee_perf_sim_counts(sim, &counts);
	int ended = tee_perf_sim_stop(sim);
	if (status != TEE_PERF_SIM_OK || result != 0 || ended != 0) {
		fprintf(stderr, "host: status %d, result %lld, end 0x%x\n", status, (long long)result, (unsigned)ended);
		return 1;
	}
	printf("%s: %llu I/Os of 4 KiB, %.0f per second, %.1f us each in flight; %llu OCALLs\n", argv[2],
	       (unsigned long long)run.ios, (double)run.ios / seconds, (double)run.latency_ns / 1e3 / (double)run.ios,
	       (unsigned long long)counts.ocalls);
	return 0;
}
