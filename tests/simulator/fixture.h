/* SPDX-License-Identifier: MIT */
/* What the simulator's tests have in common: a configuration without costs, one enclave, its calls. */
#ifndef TEE_PERF_TESTS_SIMULATOR_FIXTURE_H
#define TEE_PERF_TESTS_SIMULATOR_FIXTURE_H

#include "simulator/internal.h"

#include "tests/simulator/calls.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static const char *enclave;
static struct tee_perf_sim_config config;
static struct tee_perf_sim *sim;

static inline void configure(void)
{
	unsetenv("TEE_PERF_LOG");
	tee_perf_sim_config_init(&config);
	config.ecall_cycles = config.ocall_cycles = config.eenter_cycles = config.eexit_cycles = 0;
}

static inline void start(void)
{
	sim = tee_perf_sim_start(enclave, &config);
	ck_assert_msg(sim != NULL, "%s", tee_perf_sim_error());
}

/* Returns what the trusted function returned. */
static inline int64_t call(unsigned number, void *data, size_t bytes)
{
	int64_t result = -12345;
	int status = tee_perf_sim_ecall(sim, number, data, bytes, &result);

	ck_assert_msg(status == TEE_PERF_SIM_OK, "status %d, wait status 0x%x", status, tee_perf_sim_exit_status(sim));
	return result;
}

/* The trusted process has been ended by that signal. */
static inline void dies_by(int expected)
{
	int status = tee_perf_sim_exit_status(sim);

	ck_assert_int_ne(status, -1);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == expected, "wait status 0x%x", status);
	ck_assert_int_eq(tee_perf_sim_stop(sim), status);
}

static inline int run_suite(Suite *suite, TCase *tests)
{
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

#endif
