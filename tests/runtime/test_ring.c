/* SPDX-License-Identifier: MIT */
/* The ring, seen from a host that is honest, full, silent, or hostile. */
#include "host.h"

#include "runtime/platform.h"
#include "runtime/platform/local.h"

#include <check.h>
#include <stdlib.h>

#define RING         (16u * TEE_PERF_SUBBUF_BYTES)
#define FULL(policy) (TEE_PERF_CONTROL_ON | (uint64_t)(policy) << TEE_PERF_CONTROL_FULL_SHIFT)
#define KIND(record) ((record).w0 >> TEE_PERF_KIND_SHIFT)

static struct tee_perf_map_entry entry __attribute__((aligned(16)));
static struct host host;

/* Call number i can be told from the others by its CFA. */
static void call(uint64_t i)
{
	tee_perf_call(&entry, (void *)(0x10000 + 16 * i));
}

static uint64_t number_of(const struct tee_perf_record *record)
{
	return ((record->w1 >> 32) - 0x10000) / 16;
}

static unsigned wait_and_drain(void)
{
	host_drain(&host);
	return 1;
}

static unsigned wait_in_vain(void)
{
	return 500;
}

START_TEST(keeps_all_records_in_order_while_the_ring_grows_and_fills)
{
	const uint64_t count = 200000;
	uint64_t expected = 0;

	host_open(&host, RING, FULL(TEE_PERF_FULL_WAIT));
	tee_perf_local_wait = wait_and_drain;
	for (uint64_t i = 0; i < count; i++)
		call(i);
	host_drain_tail(&host);
	for (size_t i = 0; i < host.taken_count; i++) {
		if (KIND(host.taken[i]) == TEE_PERF_GAP)
			continue;
		ck_assert_uint_eq(KIND(host.taken[i]), TEE_PERF_CALL);
		ck_assert_uint_eq((uint32_t)host.taken[i].w1, (uint32_t)(uintptr_t)&entry);
		ck_assert_uint_eq(number_of(&host.taken[i]), expected++);
	}
	ck_assert_uint_eq(expected, count);
	host_close(&host);
}
END_TEST

/* Calls from *i on, read every so many, or when the ring is full (0); the highest place in it that was read. */
static uint32_t call_and_read(uint64_t *i, uint64_t count, uint64_t every)
{
	host.highest = 0;
	for (uint64_t end = *i + count; *i < end;) {
		call((*i)++);
		if (every != 0 && *i % every == 0)
			host_drain(&host);
	}
	host_drain(&host);
	return host.highest;
}

START_TEST(a_ring_that_has_grown_shrinks_when_the_reader_keeps_up)
{
	const uint64_t round = 17 * TEE_PERF_SUBBUF_RECORDS;
	uint64_t i = 0, expected = 0;

	host_open(&host, RING, FULL(TEE_PERF_FULL_WAIT));
	tee_perf_local_wait = wait_and_drain;
	for (int again = 0; again < 3; again++) {
		ck_assert_uint_eq(call_and_read(&i, 5 * round, 0), 15);
		call_and_read(&i, 2 * round, 500);
		ck_assert_uint_eq(call_and_read(&i, 5 * round, 500), 7);
	}
	host_drain_tail(&host);
	for (size_t k = 0; k < host.taken_count; k++)
		if (KIND(host.taken[k]) != TEE_PERF_GAP)
			ck_assert_uint_eq(number_of(&host.taken[k]), expected++);
	ck_assert_uint_eq(expected, i);
	host_close(&host);
}
END_TEST

START_TEST(drop_counts_exactly_what_is_lost)
{
	const uint64_t count = 100000;
	uint64_t calls = 0, lost = 0;

	host_open(&host, RING, FULL(TEE_PERF_FULL_DROP));
	for (uint64_t i = 0; i < count; i++)
		call(i);
	ck_assert_uint_eq(host.segment->lost[0], count - 16 * TEE_PERF_SUBBUF_RECORDS);
	host_drain(&host);
	call(count);
	host_drain_tail(&host);
	for (size_t i = 0; i < host.taken_count; i++) {
		calls += KIND(host.taken[i]) == TEE_PERF_CALL;
		if (KIND(host.taken[i]) == TEE_PERF_META && (host.taken[i].w1 & 0xff) == TEE_PERF_META_LOST)
			lost += host.taken[i].w1 >> 8;
	}
	ck_assert_uint_eq(calls + lost, count + 1);
	host_close(&host);
}
END_TEST

START_TEST(overwrite_keeps_the_newest)
{
	const uint64_t count = 100000;

	host_open(&host, RING, FULL(TEE_PERF_FULL_OVERWRITE));
	for (uint64_t i = 0; i < count; i++)
		call(i);
	uint64_t sequence = host.segment->writer[0];
	ck_assert_uint_eq(sequence, count / TEE_PERF_SUBBUF_RECORDS);
	uint64_t *tail = (uint64_t *)(host.ring + sequence % 16 * TEE_PERF_SUBBUF_BYTES);
	struct tee_perf_record *record = (struct tee_perf_record *)(tail + TEE_PERF_HEADER_WORDS);
	uint64_t in_tail = count % TEE_PERF_SUBBUF_RECORDS;
	ck_assert_uint_eq(number_of(&record[in_tail - 1]), count - 1);
	ck_assert_uint_eq(record[in_tail].w0, 0); /* the tail is terminated */
	host_close(&host);
}
END_TEST

/* Records that are not written are counted, the program goes on, and all that is left when the host comes back. */
START_TEST(waiting_for_a_dead_host_ends_and_what_follows_does_not_wait)
{
	host_open(&host, RING, FULL(TEE_PERF_FULL_WAIT));
	tee_perf_local_wait = wait_in_vain;
	for (uint64_t i = 0; i < 50000; i++)
		call(i);
	ck_assert_uint_ge(host.segment->lost[0], 50000 - 16 * TEE_PERF_SUBBUF_RECORDS);
	host_drain(&host);
	uint64_t lost = host.segment->lost[0];
	call(50000);
	call(50001);
	ck_assert_uint_eq(host.segment->lost[0], lost);
	host_drain_tail(&host);
	ck_assert_uint_eq(number_of(&host.taken[host.taken_count - 1]), 50001);
	host_close(&host);
}
END_TEST

static unsigned waits;

static unsigned wait_for_a_clock_alone(void)
{
	host.header->clock++;
	waits++;
	return 500;
}

/* A recorder that publishes and reads nothing is waited for once, not at each record. */
START_TEST(a_host_that_only_shows_life_is_given_up)
{
	host_open(&host, RING, FULL(TEE_PERF_FULL_WAIT));
	tee_perf_local_wait = wait_for_a_clock_alone;
	for (uint64_t i = 0; i < 50000; i++)
		call(i);
	ck_assert_uint_gt(waits, 0);
	ck_assert_uint_le(waits, 200);
	host_drain(&host);
	call(50000);
	host_drain_tail(&host);
	ck_assert_uint_eq(number_of(&host.taken[host.taken_count - 1]), 50000);
	host_close(&host);
}
END_TEST

static unsigned lie(void)
{
	static uint64_t seed = 1;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	uint64_t *word[] = { &host.segment->reader[0],        &host.header->clock,      &host.segment->writer[0],
			     &host.segment->nested_reader[0], &host.header->ring_bytes, &host.header->segment_bytes };
	*word[seed >> 33 & 3] = seed ^ seed >> 17;
	*word[4 + (seed >> 40 & 1)] = seed;
	if ((seed >> 50) % 4 == 0)
		host.segment->reader[0] = host.segment->writer[0];
	return 500;
}

/* The host forges every word that it has, at every wait and between calls: nothing is written outside the ring (the
 * guard page behind it, the check of the header's words), and every wait ends. */
START_TEST(a_lying_host_gets_no_write_outside_the_ring)
{
	host_open(&host, RING, FULL(_i));
	tee_perf_local_wait = lie;
	for (uint64_t i = 0; i < 300000; i++) {
		if (i % 997 == 0)
			lie();
		tee_perf_call(&entry, (void *)0x10000);
		tee_perf_return(&entry, (void *)0x10000);
	}
	ck_assert_uint_eq(host.header->magic, TEE_PERF_LOG_MAGIC);
	ck_assert_uint_eq(host.segment->writer[1], 0);
	ck_assert_uint_eq(host.segment->lost[1], 0);
	host_close(&host);
}
END_TEST

static unsigned rounds;

/* One round of waiting each; the clock moves, the reader's position says anything but room. */
static unsigned lie_about_room(void)
{
	host.header->clock++;
	host.segment->reader[0] = host.segment->writer[0] + 1 + ++rounds;
	return 1;
}

static unsigned lie_in_silence(void)
{
	rounds++;
	return 1;
}

/* However a host keeps a thread waiting: the bound holds for each event, and what follows does not wait again. */
START_TEST(every_wait_ends_within_its_bound)
{
	static unsigned (*const lies[])(void) = { lie_about_room, lie_in_silence };
	const unsigned bound = _i == 0 ? TEE_PERF_WAIT_TOTAL : TEE_PERF_WAIT_LIMIT;
	unsigned waits = 0;

	host_open(&host, RING, FULL(TEE_PERF_FULL_WAIT));
	tee_perf_local_wait = lies[_i];
	for (uint64_t i = 0; i < 40000; i++) {
		rounds = 0;
		call(i % 1000);
		ck_assert_uint_le(rounds, bound);
		waits += rounds != 0;
	}
	ck_assert_uint_eq(waits, 1);
	host_close(&host);
}
END_TEST

/* A handler that interrupted a hook: its records go to the nested ring, with the place of the interrupted one. */
START_TEST(a_handlers_hooks_go_to_the_nested_ring)
{
	host_open(&host, RING, FULL(TEE_PERF_FULL_WAIT));
	call(0);
	call(1);
	tee_perf_self->owner = 0x50000; /* a hook of a frame above is at work */
	tee_perf_call(&entry, (void *)0x4000);
	tee_perf_return(&entry, (void *)0x4000);
	tee_perf_self->owner = 0;
	call(2);
	struct tee_perf_nested_record *nested = (struct tee_perf_nested_record *)host.nested;
	ck_assert_uint_eq(host.segment->nested_writer[0], 2);
	ck_assert_uint_eq(KIND(nested[0]), TEE_PERF_CALL);
	ck_assert_uint_eq(KIND(nested[1]), TEE_PERF_RETURN);
	ck_assert_uint_eq(nested[0].place, 2);
	ck_assert_uint_eq(nested[1].place, 2);
	host_drain_tail(&host);
	ck_assert_uint_eq(host.taken_count, 3);
	host_close(&host);
}
END_TEST

/* siglongjmp out of a handler left the owner set: the next hook at or above that frame takes over. */
START_TEST(an_abandoned_hook_is_taken_over)
{
	host_open(&host, RING, FULL(TEE_PERF_FULL_WAIT));
	call(0);
	tee_perf_self->owner = 0x10000;
	call(1); /* CFA 0x10010: above the owner */
	ck_assert_uint_eq(tee_perf_self->owner, 0);
	ck_assert_uint_eq(host.segment->nested_writer[0], 0);
	host_drain_tail(&host);
	ck_assert_uint_eq(host.taken_count, 2);
	host_close(&host);
}
END_TEST

/* Left in the middle of a refill, at any step: doing it again neither loses nor repeats a record. */
START_TEST(an_abandoned_refill_is_done_again)
{
	host_open(&host, RING, FULL(TEE_PERF_FULL_WAIT));
	tee_perf_local_wait = wait_and_drain;
	for (uint64_t i = 0; i < TEE_PERF_SUBBUF_RECORDS; i++)
		call(i);
	struct tee_perf_thread before = *tee_perf_self;
	call(TEE_PERF_SUBBUF_RECORDS); /* opens the second */
	/* Back to where the cursor was not stored yet, then also to where the geometry was not. */
	tee_perf_self->cursor = before.cursor;
	if (_i == 1)
		tee_perf_self->geometry_valid = before.geometry_valid;
	call(TEE_PERF_SUBBUF_RECORDS + 1);
	host_drain_tail(&host);
	ck_assert_uint_ge(host.taken_count, TEE_PERF_SUBBUF_RECORDS + 1);
	ck_assert_uint_eq(number_of(&host.taken[TEE_PERF_SUBBUF_RECORDS - 1]), TEE_PERF_SUBBUF_RECORDS - 1);
	ck_assert_uint_eq(number_of(&host.taken[host.taken_count - 1]), TEE_PERF_SUBBUF_RECORDS + 1);
	host_close(&host);
}
END_TEST

START_TEST(the_control_word_switches_recording_and_clock)
{
	static const uint64_t meta[] = { TEE_PERF_META_OFF, TEE_PERF_META_ON, TEE_PERF_META_CLOCK };
	size_t seen = 0;

	host_open(&host, RING, FULL(TEE_PERF_FULL_WAIT));
	call(0);
	host_control(&host, 0);
	call(1);
	host_control(&host, TEE_PERF_CONTROL_ON);
	call(2);
	host_control(&host, TEE_PERF_CONTROL_ON | TEE_PERF_CLOCK_TSC << TEE_PERF_CONTROL_CLOCK_SHIFT);
	call(3);
	call(4);
	host_drain_tail(&host);
	uint64_t calls = 0, last = 0;
	for (size_t i = 0; i < host.taken_count; i++) {
		const struct tee_perf_record *record = &host.taken[i];
		if (KIND(*record) == TEE_PERF_META) {
			ck_assert_uint_lt(seen, 3);
			ck_assert_uint_eq(record->w1 & 0xff, meta[seen++]);
			continue;
		}
		calls++;
		if (seen == 3) { /* ticks, not the word that stands still */
			ck_assert_uint_gt(record->w0 & TEE_PERF_TIME_MASK, 1);
			ck_assert_uint_ge(record->w0 & TEE_PERF_TIME_MASK, last);
			last = record->w0 & TEE_PERF_TIME_MASK;
		}
	}
	ck_assert_uint_eq(seen, 3);
	ck_assert_uint_eq(calls, 4); /* not call 1 */
	host_close(&host);
}
END_TEST

static const struct {
	uint64_t process_max, slot_max, ring_bytes, segment_bytes, module_bytes;
	bool sane;
} sizes[] = {
	{ 1, 1, RING, 1 << 20, TEE_PERF_SUBBUF_BYTES, true },
	{ 0, 1, RING, 1 << 20, TEE_PERF_SUBBUF_BYTES, false },
	{ 1, 0, RING, 1 << 20, TEE_PERF_SUBBUF_BYTES, false },
	{ 1, TEE_PERF_SLOT_MAX + 1, RING, UINT64_C(1) << 40, TEE_PERF_SUBBUF_BYTES, false },
	{ 1, 1, 0, 1 << 20, TEE_PERF_SUBBUF_BYTES, false },
	{ 1, 1, TEE_PERF_SUBBUF_BYTES, 1 << 20, TEE_PERF_SUBBUF_BYTES, false },
	{ 1, 1, RING + 8, 1 << 20, TEE_PERF_SUBBUF_BYTES, false },
	{ 1, 1, UINT64_C(1) << 63, UINT64_C(1) << 63, TEE_PERF_SUBBUF_BYTES, false },
	{ 1, 1, RING, RING, TEE_PERF_SUBBUF_BYTES, false },
	{ 1, 1, RING, 1 << 20, UINT64_MAX - 16383, false },
	{ 1, 1, RING, 1 << 20, 4096, false },
	{ 1, 2, RING, TEE_PERF_SLOTS_OFFSET(TEE_PERF_SUBBUF_BYTES) + TEE_PERF_SLOT_BYTES(RING), TEE_PERF_SUBBUF_BYTES,
	  false },
};

START_TEST(attach_refuses_sizes_that_make_no_sense)
{
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		ck_assert_msg(tee_perf_sizes_sane(sizes[i].process_max, sizes[i].slot_max, sizes[i].ring_bytes,
						  sizes[i].segment_bytes, sizes[i].module_bytes) == sizes[i].sane,
			      "row %zu", i);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ring");
	TCase *tests = tcase_create("ring");

	tcase_add_test(tests, keeps_all_records_in_order_while_the_ring_grows_and_fills);
	tcase_add_test(tests, a_ring_that_has_grown_shrinks_when_the_reader_keeps_up);
	tcase_add_test(tests, drop_counts_exactly_what_is_lost);
	tcase_add_test(tests, overwrite_keeps_the_newest);
	tcase_add_test(tests, waiting_for_a_dead_host_ends_and_what_follows_does_not_wait);
	tcase_add_test(tests, a_host_that_only_shows_life_is_given_up);
	tcase_add_loop_test(tests, a_lying_host_gets_no_write_outside_the_ring, 0, 3);
	tcase_add_loop_test(tests, every_wait_ends_within_its_bound, 0, 2);
	tcase_add_test(tests, a_handlers_hooks_go_to_the_nested_ring);
	tcase_add_test(tests, an_abandoned_hook_is_taken_over);
	tcase_add_loop_test(tests, an_abandoned_refill_is_done_again, 0, 2);
	tcase_add_test(tests, the_control_word_switches_recording_and_clock);
	tcase_add_test(tests, attach_refuses_sizes_that_make_no_sense);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
