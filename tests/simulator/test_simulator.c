/* SPDX-License-Identifier: MIT */
/* The simulator's rules: what the trusted side may do, what kills it, what calls and costs do. test_simulator
 * ENCLAVE.so */
#define _GNU_SOURCE
#include "simulator/internal.h"

#include "tests/simulator/calls.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static const char *enclave;
static struct tee_perf_sim_config config;
static struct tee_perf_sim *sim;

static void configure(void)
{
	unsetenv("TEE_PERF_LOG");
	tee_perf_sim_config_init(&config);
	config.ecall_cycles = config.ocall_cycles = config.eenter_cycles = config.eexit_cycles = 0;
}

static void start(void)
{
	sim = tee_perf_sim_start(enclave, &config);
	ck_assert_msg(sim != NULL, "%s", tee_perf_sim_error());
}

static int64_t call(unsigned number, void *data, size_t bytes)
{
	int64_t result = -12345;

	ck_assert_int_eq(tee_perf_sim_ecall(sim, number, data, bytes, &result), TEE_PERF_SIM_OK);
	return result;
}

static void dies_by(int expected)
{
	int status = tee_perf_sim_exit_status(sim);

	ck_assert_int_ne(status, -1);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == expected, "wait status 0x%x", status);
	ck_assert_int_eq(tee_perf_sim_stop(sim), status);
}

/* ---- rules */

START_TEST(who_does_nothing_wrong_lives_and_ends_well)
{
	uint64_t word[3] = { 10, 20, 30 };

	start();
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(call(ECALL_ADD, word, sizeof word), sizeof word);
	ck_assert_uint_eq(word[0], 110);
	ck_assert_uint_eq(word[2], 330);
	ck_assert_int_eq(tee_perf_sim_exit_status(sim), -1);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

/* SECCOMP_MODE_STRICT would let it pass. */
START_TEST(a_write_is_fatal)
{
	char text[] = "this must never be seen\n";

	start();
	ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_WRITE, text, sizeof text, NULL), TEE_PERF_SIM_DIED);
	dies_by(SIGSYS);
}
END_TEST

START_TEST(the_time_stamp_counter_is_fatal_where_it_can_be_forbidden)
{
	struct tee_perf_sim_machine machine;

	tee_perf_sim_probe(&machine);
	if (!machine.tsc) {
		printf("skipped: this machine cannot forbid the time-stamp counter\n");
		return;
	}
	start();
	ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_READ_COUNTER, NULL, 0, NULL), TEE_PERF_SIM_DIED);
	dies_by(SIGSEGV);
	config.tsc_forbidden = 0;
	start();
	ck_assert_int_ne(call(ECALL_READ_COUNTER, NULL, 0), 0);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

/* A pointer of the host's own memory, of the log's unmapped and of its read-only parts. */
START_TEST(a_store_where_the_enclave_has_no_business_is_fatal)
{
	uint64_t mine = 0;

	config.host = TEE_PERF_SIM_HOST_SILENT;
	for (int i = 0; i < 4; i++) {
		start();
		struct tee_perf_log_segment *segment = sim->log.segment;
		uint64_t target[] = { (uint64_t)&mine, (uint64_t)&sim->log.header->control,
				      (uint64_t)&segment->reader[0], (uint64_t)(segment + 1) };
		ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_STORE, &target[i], 8, NULL), TEE_PERF_SIM_DIED);
		dies_by(SIGSEGV);
	}
	ck_assert_uint_eq(mine, 0);
}
END_TEST

START_TEST(the_trusted_process_is_killed_with_its_host)
{
	int end[2];
	char byte;

	ck_assert_int_eq(pipe(end), 0);
	pid_t pid = fork();
	if (pid == 0) {
		start();
		pid_t trusted = tee_perf_sim_pid(sim);
		if (write(end[1], &trusted, sizeof trusted) != sizeof trusted)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	pid_t trusted;
	close(end[1]);
	ck_assert_int_eq(read(end[0], &trusted, sizeof trusted), sizeof trusted);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(read(end[0], &byte, 1), 0);
	for (int i = 0; i < 1000 && kill(trusted, 0) == 0; i++) {
		/* It may be a zombie that nobody fetches, in a container without init. */
		char path[64], state[256] = "";
		snprintf(path, sizeof path, "/proc/%d/stat", (int)trusted);
		FILE *file = fopen(path, "re");
		if (file == NULL)
			return;
		size_t got = fread(state, 1, sizeof state - 1, file);
		fclose(file);
		char *parenthesis = got != 0 ? strrchr(state, ')') : NULL;
		if (parenthesis == NULL || parenthesis[2] == 'Z' || parenthesis[2] == 'X')
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	ck_assert_msg(kill(trusted, 0) != 0, "the trusted process outlives its host");
}
END_TEST

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

START_TEST(pointers_are_told_apart)
{
	uint64_t begin, bytes;
	size_t shared_bytes;

	start();
	tee_perf_sim_range(sim, &begin, &bytes);
	uint64_t shared = (uint64_t)tee_perf_sim_shared(sim, &shared_bytes);
	struct range range[] = {
		{ shared, shared_bytes },  /* outside */
		{ begin, bytes },          /* inside */
		{ begin - 8, 16 },         /* neither */
		{ begin + bytes - 8, 16 }, /* neither */
		{ begin - 8, bytes + 16 }, /* neither */
		{ begin + 8, UINT64_MAX }, /* neither: wraps around */
		{ UINT64_MAX - 7, 16 },    /* neither */
		{ begin - 8, 8 },          /* outside */
		{ begin + bytes, 8 },      /* outside */
		{ begin + bytes - 8, 8 },  /* inside */
	};
	int64_t expected = 1 << 0 | 2 << 2 | 1 << 14 | 1 << 16 | 2 << 18;
	ck_assert_int_eq(call(ECALL_JUDGE, range, sizeof range), expected);
	tee_perf_sim_stop(sim);
}
END_TEST

/* ---- the log that is offered */

static int offer(const uint64_t *word)
{
	for (int i = 0; i < 5; i++)
		sim_store(&sim->tcs[0].channel->enclave_word[i], word[i]);
	return sim_converse(sim, &sim->tcs[0], SIM_ATTACH);
}

START_TEST(a_log_within_the_enclave_is_refused)
{
	const uint64_t slot = TEE_PERF_SLOT_BYTES((uint64_t)TEE_PERF_RING_BYTES_MIN);
	const uint64_t needed = TEE_PERF_SLOTS_OFFSET((uint64_t)TEE_PERF_SUBBUF_BYTES) + slot;
	uint64_t begin, bytes;
	size_t shared_bytes;

	start();
	tee_perf_sim_range(sim, &begin, &bytes);
	struct tee_perf_log_header *header = tee_perf_sim_shared(sim, &shared_bytes);
	*header = (struct tee_perf_log_header){ .magic = TEE_PERF_LOG_MAGIC,
						.version = TEE_PERF_LOG_VERSION,
						.process_max = 1,
						.slot_max = 1,
						.ring_bytes = TEE_PERF_RING_BYTES_MIN,
						.segment_bytes = needed,
						.module_bytes = TEE_PERF_SUBBUF_BYTES,
						.control = TEE_PERF_CONTROL_ON,
						.clock = 1 };
	uint64_t good = ((uint64_t)header + 2 * TEE_PERF_SUBBUF_BYTES) & ~(uint64_t)(TEE_PERF_SUBBUF_BYTES - 1);
	uint64_t aligned = (begin + TEE_PERF_SUBBUF_BYTES) & ~(uint64_t)(TEE_PERF_SUBBUF_BYTES - 1);
	uint64_t top = (begin + bytes - 1) & ~(uint64_t)(TEE_PERF_SUBBUF_BYTES - 1);
	ck_assert_uint_lt(good + needed, (uint64_t)header + shared_bytes);
	const uint64_t bad[][5] = {
		{ begin + 4096, good, needed, 0, 1 },
		{ begin, good, needed, 0, 1 },
		{ begin - 64, good, needed, 0, 1 },
		{ UINT64_MAX - 63, good, needed, 0, 1 },
		{ (uint64_t)header, aligned, needed, 0, 1 },
		{ (uint64_t)header, aligned - 2 * TEE_PERF_SUBBUF_BYTES, needed, 0, 1 },
		{ (uint64_t)header, top, needed, 0, 1 },
		{ (uint64_t)header, good, begin - good + 8, 0, 1 },
		{ (uint64_t)header, good, UINT64_MAX, 0, 1 },
		{ (uint64_t)header, good + 8, needed, 0, 1 },
		{ (uint64_t)header, good, needed - 1, 0, 1 },
		{ (uint64_t)header, good, needed, begin + 64 * 100, 1 },
		{ (uint64_t)header, good, needed, 0, 0 },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(offer(bad[i]) == TEE_PERF_SIM_REFUSED, "offer %zu was accepted", i);
	ck_assert_int_eq(offer((const uint64_t[]){ (uint64_t)header, good, needed, 0, 1 }), TEE_PERF_SIM_OK);
	struct events events = { .pairs = 100 };
	call(ECALL_EVENTS, &events, sizeof events);
	const uint64_t *ring = (const uint64_t *)(good + needed - TEE_PERF_RING_BYTES_MIN);
	ck_assert_uint_ne(ring[8 + 2 * 199], 0); /* the last of 200 records */
	ck_assert_uint_eq(ring[8 + 2 * 200], 0);
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

/* ---- configuration */

static const struct {
	const char *line, *complaint;
} wrong_lines[] = {
	{ "nonsense = 1", "no key 'nonsense'" },
	{ "ecall_cycles", "expected 'key = value'" },
	{ "ecall_cycles = fast", "'fast' is no value" },
	{ "ecall_cycles = -1", "'-1' is no value" },
	{ "ecall_cycles = 99999999999999999999", "is no value" },
	{ "threads = 9", "not between 1 and 8" },
	{ "threads = 0", "not between 1 and 8" },
	{ "host = friendly", "'friendly' is no value" },
	{ "stack_bytes = 1T", "is no value" },
};

START_TEST(a_wrong_line_is_named)
{
	char path[] = "/tmp/tee-perf-sim-config-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "# comment\n\n  threads = 2 # two\nhost=slow\nheap_bytes = 2M\n%s\n", wrong_lines[_i].line);
	fclose(file);
	ck_assert_int_eq(tee_perf_sim_config_read(&config, path), -1);
	unlink(path);
	ck_assert_ptr_nonnull(strstr(tee_perf_sim_error(), wrong_lines[_i].complaint));
	ck_assert_ptr_nonnull(strstr(tee_perf_sim_error(), ":6:"));
	ck_assert_uint_eq(config.threads, 2);
	ck_assert_uint_eq(config.host, TEE_PERF_SIM_HOST_SLOW);
	ck_assert_uint_eq(config.heap_bytes, 2 << 20);
}
END_TEST

START_TEST(what_cannot_start_says_why)
{
	ck_assert_ptr_null(tee_perf_sim_start("/nonexistent/enclave.so", &config));
	ck_assert_ptr_nonnull(strstr(tee_perf_sim_error(), "/nonexistent/enclave.so"));
	ck_assert_ptr_null(tee_perf_sim_start("/proc/self/exe", &config));
	ck_assert_msg(strstr(tee_perf_sim_error(), "link it without a C library") != NULL, "%s", tee_perf_sim_error());
	ck_assert_ptr_null(tee_perf_sim_start("/etc/passwd", &config));
	ck_assert_ptr_nonnull(strstr(tee_perf_sim_error(), "no shared object"));
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("simulator");
	TCase *tests = tcase_create("simulator");

	(void)argc;
	enclave = argv[1];
	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, configure, NULL);
	tcase_add_test(tests, who_does_nothing_wrong_lives_and_ends_well);
	tcase_add_test(tests, a_write_is_fatal);
	tcase_add_test(tests, the_time_stamp_counter_is_fatal_where_it_can_be_forbidden);
	tcase_add_test(tests, a_store_where_the_enclave_has_no_business_is_fatal);
	tcase_add_test(tests, the_trusted_process_is_killed_with_its_host);
	tcase_add_test(tests, an_ocall_takes_and_gives_back_data);
	tcase_add_test(tests, a_handler_may_call_back_in);
	tcase_add_test(tests, a_host_that_calls_back_without_end_is_refused);
	tcase_add_test(tests, an_enclave_that_gets_no_answer_ends);
	tcase_add_test(tests, calls_that_make_no_sense_are_refused);
	tcase_add_loop_test(tests, each_thread_of_the_enclave_serves_one_caller, 1, 3);
	tcase_add_test(tests, an_idle_enclave_is_stopped);
	tcase_add_test(tests, pointers_are_told_apart);
	tcase_add_test(tests, a_log_within_the_enclave_is_refused);
	tcase_add_test(tests, calls_cost_at_least_what_is_configured);
	tcase_add_test(tests, pages_beyond_the_cache_cost_loads_and_evictions);
	tcase_add_test(tests, asynchronous_exits_leave_no_trace);
	tcase_add_loop_test(tests, a_wrong_line_is_named, 0, (int)(sizeof wrong_lines / sizeof *wrong_lines));
	tcase_add_test(tests, what_cannot_start_says_why);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
