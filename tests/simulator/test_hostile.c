/* SPDX-License-Identifier: MIT */
/* An enclave whose host does what it can with the log while events are written: nothing outside the ring changes,
 * nothing crashes, every wait ends. test_hostile ENCLAVE.so [EVENTS], for each full policy; 10^7 by default. */
#define _GNU_SOURCE
#include "runtime/platform.h"
#include "tests/simulator/fixture.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define CHUNK 1000000u /* events between two looks at the enclave's memory */

/* A hook writes up to three words about the control word, then its record; each may have to wait. Two hooks. */
#define LONGEST_WAIT (2 * 4 * (int64_t)TEE_PERF_WAIT_TOTAL)

static uint64_t total_events;
static int64_t checksum;

static void start_with(enum tee_perf_sim_host host, enum tee_perf_full policy)
{
	size_t bytes;

	configure();
	config.host = host;
	config.host_full = policy;
	config.wait_pauses = 1; /* the bound is a number of rounds; this makes them short */
	config.heap_bytes = 1 << 20;
	start();
	ck_assert_int_eq(call(ECALL_PATTERN, NULL, 0), 0);
	checksum = call(ECALL_CHECKSUM, NULL, 0);
	ck_assert_int_ne(checksum, 0);
	char *shared = tee_perf_sim_shared(sim, &bytes);
	memset(shared, 0x5a, bytes);
}

/* The enclave's heap, code and constants; of host memory what is not the log's to change. */
static void nothing_has_changed(void)
{
	const struct tee_perf_log_segment *segment = sim->log.segment;
	size_t bytes;

	ck_assert_int_eq(call(ECALL_PATTERN, NULL, 0), 0);
	ck_assert_int_eq(call(ECALL_CHECKSUM, NULL, 0), checksum);
	const char *shared = tee_perf_sim_shared(sim, &bytes);
	for (size_t i = 0; i < bytes; i++)
		ck_assert_int_eq(shared[i], 0x5a);
	if (segment == NULL)
		return;
	const uint64_t *array[] = { segment->writer, segment->nested_writer, segment->lost, segment->extra,
				    segment->waited };
	for (size_t i = 0; i < sizeof array / sizeof *array; i++)
		for (unsigned slot = SIM_THREADS_MAX; slot < TEE_PERF_SLOT_MAX; slot++)
			ck_assert_uint_eq(array[i][slot], 0);
}

static const enum tee_perf_full policies[] = { TEE_PERF_FULL_WAIT, TEE_PERF_FULL_DROP, TEE_PERF_FULL_OVERWRITE };

START_TEST(a_hostile_host_gets_no_write_outside_the_ring)
{
	struct events events = { .pairs = CHUNK / 2 };

	start_with(TEE_PERF_SIM_HOST_HOSTILE, policies[_i]);
	/* At least so many, and until it was at work: the host may have had it switched off while it did not run
	 * itself. */
	for (uint64_t done = 0; done < total_events || call(ECALL_WRITTEN, NULL, 0) < 100; done += CHUNK) {
		ck_assert_int_eq(call(ECALL_EVENTS, &events, sizeof events), 0);
		nothing_has_changed();
	}
	int64_t longest = call(ECALL_LONGEST_WAIT, NULL, 0);
	printf("policy %u: %lld sub-buffers written, the longest wait was %lld rounds\n", (unsigned)policies[_i],
	       (long long)call(ECALL_WRITTEN, NULL, 0), (long long)longest);
	ck_assert_int_le(longest, LONGEST_WAIT);
	fflush(stdout);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

/* ---- the attack that was published on the original TEE-Perf: its log had a shared index, and the enclave stored at
 * log + index x size, whatever the host had made of the index */

static uint64_t *steered;
static uint64_t steer_to;
static _Atomic bool steering;

static void *steer(void *data)
{
	(void)data;
	while (atomic_load(&steering))
		for (int i = 0; i < 1000; i++)
			sim_store(steered, steer_to);
	return NULL;
}

/* A store at base + index x unit would hit the enclave's heap. */
static uint64_t index_of_target(uint64_t base, uint64_t unit)
{
	uint64_t begin, bytes;

	tee_perf_sim_range(sim, &begin, &bytes);
	/* The heap lies before the last pages, which are the page cache's. */
	uint64_t target = begin + bytes - (config.heap_bytes / 2) / unit * unit;
	return (target - base) / unit;
}

/* The attack works on what it was published for, and is seen here. */
START_TEST(a_shared_index_steers_the_original_design)
{
	size_t bytes;

	start_with(TEE_PERF_SIM_HOST_SILENT, TEE_PERF_FULL_WAIT);
	uint64_t *index = tee_perf_sim_shared(sim, &bytes);
	*index = 0;
	call(ECALL_APPEND_AS_THE_ORIGINAL, NULL, 0);
	ck_assert_uint_eq(index[2], 1);
	ck_assert_int_eq(call(ECALL_PATTERN, NULL, 0), 0);
	*index = index_of_target((uint64_t)(index + 2), 16);
	call(ECALL_APPEND_AS_THE_ORIGINAL, NULL, 0);
	ck_assert_int_eq(call(ECALL_PATTERN, NULL, 0), 2);
	tee_perf_sim_stop(sim);
}
END_TEST

START_TEST(a_shared_index_cannot_steer_a_store_into_the_enclave)
{
	static const uint64_t units[] = { 1, 8, 16, 32, TEE_PERF_SUBBUF_BYTES };
	struct events events = { .pairs = 3000 };
	pthread_t thread;

	start_with(TEE_PERF_SIM_HOST_SILENT, policies[_i]);
	struct tee_perf_log_segment *segment = sim->log.segment;
	struct tee_perf_log_header *header = sim->log.header;
	uint64_t ring = (uint64_t)segment + TEE_PERF_SLOTS_OFFSET(sim->log.module_bytes) + TEE_PERF_NESTED_BYTES;
	uint64_t *const words[] = { &segment->writer[0],        &segment->reader[0],    &segment->nested_writer[0],
				    &segment->nested_reader[0], &segment->lost[0],      &segment->waiting[0],
				    &header->ring_bytes,        &header->segment_bytes, &header->module_bytes,
				    &header->slot_max,          &header->process_max,   &sim->log.process->slot_count,
				    (uint64_t *)ring,           (uint64_t *)ring + 1,   &segment->module_written };
	const uint64_t bases[] = { 0, (uint64_t)segment, ring, ring - TEE_PERF_NESTED_BYTES };
	for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
		steered = words[w];
		for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
			steer_to = index_of_target(bases[b], units[(w + b) % 5]);
			atomic_store(&steering, true);
			ck_assert_int_eq(pthread_create(&thread, NULL, steer, NULL), 0);
			call(ECALL_EVENTS, &events, sizeof events);
			atomic_store(&steering, false);
			pthread_join(thread, NULL);
			for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
				sim_store(steered, index_of_target(bases[b], units[u]));
				call(ECALL_EVENTS, &events, sizeof events);
			}
			sim_store(&segment->reader[0], sim_load(&segment->writer[0]));
		}
		ck_assert_int_eq(call(ECALL_PATTERN, NULL, 0), 0);
	}
	ck_assert_int_eq(call(ECALL_CHECKSUM, NULL, 0), checksum);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

/* ---- the channel, too, is the host's */

static uint64_t draw(void)
{
	static uint64_t seed = 88172645463325252u;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* A message, and some time for an answer; there need not be one. */
static void say(uint64_t kind)
{
	struct sim_tcs *tcs = &sim->tcs[0];

	sim_store(&tcs->channel->to_enclave, ++tcs->turn << 8 | kind);
	for (int i = 0; i < 3000 && sim_load(&tcs->channel->to_host) == tcs->seen; i++)
		__builtin_ia32_pause();
	tcs->seen = sim_load(&tcs->channel->to_host);
}

/* Any message with any words, in any order: ECALLs of impossible size, answers that nobody waits for, logs within the
 * enclave, calls from within calls without end. */
START_TEST(no_message_harms_the_enclave)
{
	static const uint64_t kinds[] = { SIM_ECALL,  SIM_ECALL, SIM_RESUME, SIM_INIT,
					  SIM_ATTACH, SIM_PING,  SIM_RETURN, 99 };
	static const uint64_t calls[] = {
		ECALL_ADD, ECALL_ASK, ECALL_JUDGE, ECALL_THREAD, ECALLS, UINT64_MAX, 1u << 31
	};

	start_with(TEE_PERF_SIM_HOST_NONE, TEE_PERF_FULL_WAIT);
	struct sim_tcs *tcs = &sim->tcs[0];
	pthread_mutex_lock(&tcs->lock);
	tcs->outside = false; /* or it is stopped while this loop believes it to be at work */
	pthread_mutex_unlock(&tcs->lock);
	kill(tee_perf_sim_pid(sim), SIGCONT);
	for (unsigned i = 0; i < 30000; i++) {
		uint64_t value[] = { draw() % 100, draw(), sim->boot->base + draw() % sim->boot->size,
				     config.marshal_bytes, UINT64_MAX - draw() % 100 };
		for (int k = 0; k < 6; k++)
			sim_store(&tcs->channel->enclave_word[k], value[draw() % 5]);
		uint64_t kind = kinds[draw() % 8];
		/* A log at an address where nothing is would be a host that withholds pages: no enclave survives that.
		 */
		if (kind == SIM_ATTACH)
			sim_store(&tcs->channel->enclave_word[0],
				  draw() % 2 ? sim->address : sim->boot->base + draw() % sim->boot->size);
		if (kind == SIM_ECALL)
			sim_store(&tcs->channel->enclave_word[0], calls[draw() % 7]);
		for (int k = 0; k < 8; k++)
			sim_store((uint64_t *)tcs->marshal + draw() % 64, value[draw() % 5]);
		say(kind);
	}
	for (unsigned i = 0; i < 4 * SIM_DEPTH_MAX; i++) /* out of all OCALLs */
		say(SIM_RESUME);
	ck_assert_int_eq(tee_perf_sim_exit_status(sim), -1);
	while (sim_load(&tcs->channel->to_host) != tcs->seen)
		tcs->seen = sim_load(&tcs->channel->to_host);
	nothing_has_changed();
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

/* ---- hosts that are only bad: the enclave ends its work with each of them */

static const struct {
	enum tee_perf_sim_host host;
	enum tee_perf_full policy;
	bool may_lose;
} moods[] = {
	{ TEE_PERF_SIM_HOST_HONEST, TEE_PERF_FULL_WAIT, false },
	{ TEE_PERF_SIM_HOST_SLOW, TEE_PERF_FULL_WAIT, false },
	{ TEE_PERF_SIM_HOST_FULL, TEE_PERF_FULL_WAIT, true },
	{ TEE_PERF_SIM_HOST_SILENT, TEE_PERF_FULL_WAIT, true },
	{ TEE_PERF_SIM_HOST_STOPPED, TEE_PERF_FULL_WAIT, false },
	{ TEE_PERF_SIM_HOST_FULL, TEE_PERF_FULL_DROP, true },
	{ TEE_PERF_SIM_HOST_SILENT, TEE_PERF_FULL_OVERWRITE, false },
};

START_TEST(work_ends_whatever_the_host_does)
{
	struct events events = { .pairs = 60000 };
	bool patient = !moods[_i].may_lose;

	configure();
	config.host = moods[_i].host;
	config.host_full = moods[_i].policy;
	config.host_slow_us = 200;
	config.host_stop_ms = 50;
	/* Of an honest host nothing is lost, as long as the wait is longer than what it is away for. */
	config.wait_pauses = patient ? 100000 : 1;
	start();
	ck_assert_int_eq(call(ECALL_EVENTS, &events, sizeof events), 0);
	uint64_t lost = sim->log.segment->lost[0], written = sim->log.segment->writer[0];
	if (patient)
		ck_assert_uint_eq(lost, 0);
	else
		ck_assert_uint_gt(lost, 0);
	/* What is not lost is there; up to a sub-buffer is still open. */
	uint64_t records = 2 * events.pairs - lost, held = written * TEE_PERF_SUBBUF_RECORDS;
	ck_assert_uint_ge(held + 2 * TEE_PERF_SUBBUF_RECORDS, records);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

/* ---- more than one thread inside */

static void *many_events(void *data)
{
	struct events events = { .pairs = 100000 };
	int64_t result = -1;

	*(int *)data = tee_perf_sim_ecall(sim, ECALL_EVENTS, &events, sizeof events, &result);
	return NULL;
}

/* Either may be done before the other begins; a thread of the enclave keeps its ring from call to call. */
START_TEST(each_thread_of_the_enclave_has_a_ring)
{
	int status[2] = { -1, -1 };
	pthread_t thread[2];

	configure();
	config.threads = 2;
	config.host = TEE_PERF_SIM_HOST_HONEST;
	config.wait_pauses = 100000;
	start();
	const struct tee_perf_log_segment *segment = sim->log.segment;
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, many_events, &status[i]), 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		ck_assert_int_eq(status[i], TEE_PERF_SIM_OK);
	}
	ck_assert_uint_eq(segment->lost[0] + segment->lost[1], 0);
	ck_assert_uint_ge(sim_load(&sim->log.process->slot_count), 1);
	uint64_t finished = segment->writer[0] + segment->writer[1];
	ck_assert_uint_ge(finished + 2, 400000 / TEE_PERF_SUBBUF_RECORDS);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

int main(int argc, char **argv)
{
	TCase *tests = tcase_create("hostile");

	enclave = argv[1];
	total_events = argc > 2 ? strtoull(argv[2], NULL, 0) : CHUNK;
	tcase_set_timeout(tests, 1800);
	tcase_add_loop_test(tests, a_hostile_host_gets_no_write_outside_the_ring, 0, 3);
	tcase_add_test(tests, a_shared_index_steers_the_original_design);
	tcase_add_loop_test(tests, a_shared_index_cannot_steer_a_store_into_the_enclave, 0, 3);
	tcase_add_loop_test(tests, work_ends_whatever_the_host_does, 0, (int)(sizeof moods / sizeof *moods));
	tcase_add_test(tests, no_message_harms_the_enclave);
	tcase_add_test(tests, each_thread_of_the_enclave_has_a_ring);
	return run_suite(suite_create("hostile"), tests);
}
