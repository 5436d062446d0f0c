/* SPDX-License-Identifier: MIT */
/* ECALLs and OCALLs in the simulator, and what they cost. test_calls ENCLAVE.so */
#define _GNU_SOURCE
#include "tests/simulator/fixture.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <x86intrin.h>

/* ---- calls */

static int64_t shout(void *user, void *data, size_t bytes)
{
	char *text = data;

	++*(int *)user;
	for (size_t i = 0; i < bytes; i++)
		if (text[i] >= 'a' && text[i] <= 'z')
			text[i] -= 'a' - 'A';
	return 77;
}

START_TEST(an_ocall_takes_and_gives_back_data)
{
	struct ask ask = { .number = 5, .bytes = 11, .text = "hello there" };
	int served = 0;

	start();
	tee_perf_sim_on_ocall(sim, 5, shout, &served);
	ck_assert_int_eq(call(ECALL_ASK, &ask, sizeof ask), 0);
	ck_assert_str_eq(ask.text, "HELLO THERE");
	ck_assert_int_eq(ask.result, 77);
	ck_assert_int_eq(served, 1);
	ask.number = 6; /* nobody serves it */
	ck_assert_int_eq(call(ECALL_ASK, &ask, sizeof ask), -1);
	ask.number = 5;
	ask.bytes = config.marshal_bytes;
	ck_assert_int_eq(call(ECALL_ASK, &ask, sizeof ask), -2);
	ck_assert_int_eq(served, 1);
	tee_perf_sim_stop(sim);
}
END_TEST

static int64_t call_back(void *user, void *data, size_t bytes)
{
	uint64_t word[2] = { 1, 1 };
	int *depth = user;
	int64_t result;

	(void)bytes;
	if (++*depth < 5) { /* the same again, one deeper */
		struct ask ask = { .number = 1, .bytes = 8, .text = "inner" };
		ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_ASK, &ask, sizeof ask, &result), TEE_PERF_SIM_OK);
		ck_assert_int_eq(result, 0);
		ck_assert_str_eq(ask.text, "INNER");
	}
	ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_ADD, word, sizeof word, &result), TEE_PERF_SIM_OK);
	ck_assert_uint_eq(word[1], 3);
	return shout(&(int){ 0 }, data, bytes);
}

START_TEST(a_handler_may_call_back_in)
{
	struct ask ask = { .number = 1, .bytes = 5, .text = "outer" };
	int depth = 0;

	start();
	tee_perf_sim_on_ocall(sim, 1, call_back, &depth);
	ck_assert_int_eq(call(ECALL_ASK, &ask, sizeof ask), 0);
	ck_assert_str_eq(ask.text, "OUTER");
	ck_assert_int_eq(depth, 5);
	tee_perf_sim_stop(sim);
}
END_TEST

static int64_t go_deeper(void *user, void *data, size_t bytes)
{
	struct ask ask = { .number = 1 };
	int64_t result;

	(void)data;
	(void)bytes;
	++*(int *)user;
	int status = tee_perf_sim_ecall(sim, ECALL_ASK, &ask, sizeof ask, &result);
	return status != TEE_PERF_SIM_OK ? status : ask.result;
}

START_TEST(a_host_that_calls_back_without_end_is_refused)
{
	struct ask ask = { .number = 1 };
	int depth = 0;

	start();
	tee_perf_sim_on_ocall(sim, 1, go_deeper, &depth);
	ck_assert_int_eq(call(ECALL_ASK, &ask, sizeof ask), 0);
	ck_assert_int_eq(ask.result, TEE_PERF_SIM_TOO_DEEP);
	ck_assert_int_eq(depth, SIM_DEPTH_MAX);
	tee_perf_sim_stop(sim);
}
END_TEST

static int64_t dawdle(void *user, void *data, size_t bytes)
{
	(void)data;
	(void)bytes;
	/* Longer than the enclave waits, however slow this machine is: until it has given up. */
	struct tee_perf_sim *of = user;
	pthread_mutex_lock(&of->tcs[0].lock);
	of->tcs[0].outside = false; /* or it is stopped meanwhile, and does not count */
	pthread_mutex_unlock(&of->tcs[0].lock);
	while (tee_perf_sim_exit_status(of) == -1)
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	return 0;
}

/* The OCALL fails; nothing comes after that either, so the enclave ends. On a machine that keeps this process from
 * running for longer than the enclave waits, it may end before that: then it is tried again. */
START_TEST(an_enclave_that_gets_no_answer_ends)
{
	int status = TEE_PERF_SIM_DIED;
	int64_t result;

	config.wait_rounds = 10000000;
	for (int attempt = 0; attempt < 20 && status == TEE_PERF_SIM_DIED; attempt++) {
		struct ask ask = { .number = 1 };
		if ((sim = tee_perf_sim_start(enclave, &config)) == NULL)
			continue;
		tee_perf_sim_on_ocall(sim, 1, dawdle, sim);
		status = tee_perf_sim_ecall(sim, ECALL_ASK, &ask, sizeof ask, &result);
		if (status == TEE_PERF_SIM_DIED)
			tee_perf_sim_stop(sim);
	}
	ck_assert_int_eq(status, TEE_PERF_SIM_OK);
	ck_assert_int_eq(result, -3);
	ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_ADD, NULL, 0, NULL), TEE_PERF_SIM_DIED);
	int ended = tee_perf_sim_stop(sim);
	ck_assert_msg(WIFEXITED(ended) && WEXITSTATUS(ended) == 1, "wait status 0x%x", ended);
}
END_TEST

START_TEST(calls_that_make_no_sense_are_refused)
{
	char *much = calloc(1, config.marshal_bytes + 8);

	start();
	ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALLS, NULL, 0, NULL), TEE_PERF_SIM_NO_ENTRY);
	ck_assert_int_eq(tee_perf_sim_ecall(sim, UINT32_MAX, NULL, 0, NULL), TEE_PERF_SIM_NO_ENTRY);
	ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_ADD, much, config.marshal_bytes + 8, NULL),
			 TEE_PERF_SIM_TOO_BIG);
	ck_assert_int_eq(call(ECALL_ADD, much, config.marshal_bytes), (int64_t)config.marshal_bytes);
	/* The enclave does not believe the number of bytes either: the message by hand. */
	for (int i = 0; i < 2; i++) {
		sim_store(&sim->tcs[0].channel->enclave_word[0], ECALL_ADD);
		sim_store(&sim->tcs[0].channel->enclave_word[1], i == 0 ? config.marshal_bytes + 1 : UINT64_MAX);
		ck_assert_int_eq(sim_converse(sim, &sim->tcs[0], SIM_ECALL), TEE_PERF_SIM_TOO_BIG);
	}
	ck_assert_int_eq(tee_perf_sim_on_ocall(sim, 256, shout, NULL), -1);
	free(much);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

static void *call_from_thread(void *data)
{
	int64_t *number = data, result;

	if (tee_perf_sim_ecall(sim, ECALL_THREAD, NULL, 0, &result) == TEE_PERF_SIM_OK)
		*number = result;
	return NULL;
}

static int64_t call_from_another_thread(void *user, void *data, size_t bytes)
{
	pthread_t thread;

	(void)data;
	(void)bytes;
	ck_assert_int_eq(pthread_create(&thread, NULL, call_from_thread, user), 0);
	pthread_join(thread, NULL);
	return 0;
}

START_TEST(each_thread_of_the_enclave_serves_one_caller)
{
	struct ask ask = { .number = 1 };
	int64_t other = -1;

	config.threads = (uint64_t)_i;
	start();
	tee_perf_sim_on_ocall(sim, 1, call_from_another_thread, &other);
	ck_assert_int_eq(call(ECALL_ASK, &ask, sizeof ask), 0);
	ck_assert_int_eq(other, _i == 1 ? -1 : 1); /* with one thread: busy */
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

/* A thread that nobody calls uses no processor, and comes back. */
START_TEST(an_idle_enclave_is_stopped)
{
	uint64_t word = 0;

	config.threads = 2;
	start();
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 2; i++) {
			bool stopped = false;
			while (!stopped) { /* ends, or the test's time limit does it */
				nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
				pthread_mutex_lock(&sim->tcs[i].lock);
				stopped = sim->tcs[i].stopped;
				pthread_mutex_unlock(&sim->tcs[i].lock);
			}
		}
		ck_assert_int_eq(call(ECALL_ADD, &word, 8), 8);
	}
	ck_assert_uint_eq(word, 2);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

/* ---- costs */

static int64_t nothing(void *user, void *data, size_t bytes)
{
	(void)user;
	(void)data;
	(void)bytes;
	return 0;
}

/* Never less than configured; how much more depends on the machine's other work. */
START_TEST(calls_cost_at_least_what_is_configured)
{
	struct tee_perf_sim_counts counts;
	struct ask ask = { .number = 1 };

	config.ecall_cycles = 300000;
	config.ocall_cycles = 200000;
	config.eenter_cycles = 2000;
	config.eexit_cycles = 1000;
	start();
	tee_perf_sim_on_ocall(sim, 1, nothing, NULL);
	uint64_t began = __rdtsc();
	call(ECALL_ADD, NULL, 0);
	uint64_t plain = __rdtsc() - began;
	began = __rdtsc();
	call(ECALL_ASK, &ask, sizeof ask);
	uint64_t with_ocall = __rdtsc() - began;
	tee_perf_sim_counts(sim, &counts);
	ck_assert_uint_ge(plain + counts.transport_cycles, 300000);
	ck_assert_uint_ge(with_ocall + 2 * counts.transport_cycles, 500000);
	ck_assert_uint_eq(counts.ecalls, 2);
	ck_assert_uint_eq(counts.ocalls, 1);
	ck_assert_uint_le(counts.spent_cycles, 800000);
	ck_assert_uint_ge(counts.spent_cycles + 3 * counts.transport_cycles, 800000 - 8);
	tee_perf_sim_stop(sim);
}
END_TEST

START_TEST(pages_beyond_the_cache_cost_loads_and_evictions)
{
	struct tee_perf_sim_counts counts;
	struct touch eight = { .first = 0, .count = 8, .rounds = 3 }, nine = { .first = 0, .count = 9, .rounds = 2 };

	config.epc_pages = 8;
	config.epc_load_cycles = 5000;
	config.epc_evict_cycles = 3000;
	start();
	call(ECALL_TOUCH, &eight, sizeof eight); /* fits */
	tee_perf_sim_counts(sim, &counts);
	ck_assert_uint_eq(counts.epc_loads, 8);
	ck_assert_uint_eq(counts.epc_evictions, 0);
	ck_assert_uint_eq(counts.spent_cycles, 8 * 5000);
	call(ECALL_TOUCH, &nine, sizeof nine); /* does not */
	tee_perf_sim_counts(sim, &counts);
	ck_assert_uint_gt(counts.epc_loads, 8);
	ck_assert_uint_eq(counts.epc_evictions, counts.epc_loads - 8);
	ck_assert_uint_eq(counts.spent_cycles, counts.epc_loads * 5000 + counts.epc_evictions * 3000);
	tee_perf_sim_stop(sim);
}
END_TEST

/* Interrupted anywhere, in hooks as well, and nothing is changed by it. */
START_TEST(asynchronous_exits_leave_no_trace)
{
	struct tee_perf_sim_counts counts;
	struct events events = { .pairs = 100000 };
	uint64_t rounds = 3000;

	config.aex_hz = 5000;
	config.aex_cycles = 20000;
	config.host = TEE_PERF_SIM_HOST_HONEST;
	start();
	do { /* until there were enough, however slow the machine */
		ck_assert_int_eq(call(ECALL_REGISTERS, &rounds, 8), 0);
		ck_assert_int_eq(call(ECALL_EVENTS, &events, sizeof events), 0);
		tee_perf_sim_counts(sim, &counts);
	} while (counts.aex < 100);
	ck_assert_uint_eq(counts.spent_cycles, counts.aex * 20000);
	ck_assert_uint_eq(sim->log.segment->lost[0], 0);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

int main(int argc, char **argv)
{
	TCase *tests = tcase_create("calls");

	(void)argc;
	enclave = argv[1];
	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, configure, NULL);
	tcase_add_test(tests, an_ocall_takes_and_gives_back_data);
	tcase_add_test(tests, a_handler_may_call_back_in);
	tcase_add_test(tests, a_host_that_calls_back_without_end_is_refused);
	tcase_add_test(tests, an_enclave_that_gets_no_answer_ends);
	tcase_add_test(tests, calls_that_make_no_sense_are_refused);
	tcase_add_loop_test(tests, each_thread_of_the_enclave_serves_one_caller, 1, 3);
	tcase_add_test(tests, an_idle_enclave_is_stopped);
	tcase_add_test(tests, calls_cost_at_least_what_is_configured);
	tcase_add_test(tests, pages_beyond_the_cache_cost_loads_and_evictions);
	tcase_add_test(tests, asynchronous_exits_leave_no_trace);
	return run_suite(suite_create("calls"), tests);
}
