/* SPDX-License-Identifier: MIT */
/* The enclave in the strict simulator. That has its own way to the log; the ECALL of tee-perf is refused then. */
#include "calls.h"
#include "transport.h"

#include "simulator/tee_perf_sim.h"

#include <stdio.h>

static struct tee_perf_sim *sim;

static int64_t progress(void *user, void *data, size_t bytes)
{
	(void)user;
	if (bytes == 8)
		ocall_progress((uint32_t) * (uint64_t *)data);
	return 0;
}

int sdk_start(const char *path)
{
	struct tee_perf_sim_config config;

	tee_perf_sim_config_init(&config);
	config.threads = 2;
	config.tsc_forbidden = 1;
	sim = tee_perf_sim_start(path, &config);
	if (sim != NULL && tee_perf_sim_on_ocall(sim, OCALL_PROGRESS, progress, NULL) == 0)
		return 0;
	fprintf(stderr, "%s\n", tee_perf_sim_error());
	return -1;
}

int sdk_stop(void)
{
	return tee_perf_sim_stop(sim);
}

int sdk_call(unsigned number, void *data, size_t bytes, int64_t *result)
{
	int status = tee_perf_sim_ecall(sim, number, data, bytes, result);

	if (status != TEE_PERF_SIM_OK)
		fprintf(stderr, "ECALL %u: status %d\n", number, status);
	return status;
}
