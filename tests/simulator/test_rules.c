/* SPDX-License-Identifier: MIT */
/* The simulator's rules: what the trusted side may reach, what starts and what does not. test_rules
 * ENCLAVE.so */
#define _GNU_SOURCE
#include "tests/simulator/fixture.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* As with HyperEnclave, where an enclave reaches no memory of its application but what is shared with it: a log that
 * lies elsewhere in the host's memory ends it, though it is outside. */
START_TEST(a_log_in_memory_that_is_not_shared_is_fatal)
{
	size_t shared_bytes;

	for (int i = 0; i < 2; i++) {
		start();
		uint64_t shared = (uint64_t)tee_perf_sim_shared(sim, &shared_bytes);
		struct tee_perf_log_header *header =
		    i == 0 ? mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			   : (struct tee_perf_log_header *)shared;
		*header = (struct tee_perf_log_header){ .magic = TEE_PERF_LOG_MAGIC,
							.version = TEE_PERF_LOG_VERSION,
							.process_max = 1,
							.slot_max = 1,
							.ring_bytes = TEE_PERF_RING_BYTES_MIN,
							.module_bytes = TEE_PERF_SUBBUF_BYTES,
							.control = TEE_PERF_CONTROL_ON,
							.clock = 1 };
		header->segment_bytes = TEE_PERF_SLOTS_OFFSET((uint64_t)TEE_PERF_SUBBUF_BYTES) +
					TEE_PERF_SLOT_BYTES((uint64_t)TEE_PERF_RING_BYTES_MIN);
		char *own =
		    mmap(NULL, 2 * header->segment_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		uint64_t segment = ((uint64_t)own + TEE_PERF_SUBBUF_BYTES) & ~(uint64_t)(TEE_PERF_SUBBUF_BYTES - 1);
		const uint64_t word[] = { (uint64_t)header, segment, header->segment_bytes, 0, 1 };
		struct events events = { .pairs = 1 };
		/* The header is read at once, the segment at the first event. */
		ck_assert_int_eq(offer(word), i == 0 ? TEE_PERF_SIM_DIED : TEE_PERF_SIM_OK);
		if (i == 1)
			ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_EVENTS, &events, sizeof events, NULL),
					 TEE_PERF_SIM_DIED);
		dies_by(SIGSEGV);
	}
}
END_TEST

/* ---- pointers */

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
	TCase *tests = tcase_create("rules");

	(void)argc;
	enclave = argv[1];
	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, configure, NULL);
	tcase_add_test(tests, who_does_nothing_wrong_lives_and_ends_well);
	tcase_add_test(tests, a_store_where_the_enclave_has_no_business_is_fatal);
	tcase_add_test(tests, the_trusted_process_is_killed_with_its_host);
	tcase_add_test(tests, a_log_within_the_enclave_is_refused);
	tcase_add_test(tests, a_log_in_memory_that_is_not_shared_is_fatal);
	tcase_add_test(tests, pointers_are_told_apart);
	tcase_add_loop_test(tests, a_wrong_line_is_named, 0, (int)(sizeof wrong_lines / sizeof *wrong_lines));
	tcase_add_test(tests, what_cannot_start_says_why);
	return run_suite(suite_create("rules"), tests);
}
