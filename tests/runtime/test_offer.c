/* SPDX-License-Identifier: MIT */
/* What an enclave accepts as a log (runtime/offer.h): nothing that touches its own memory, and no size that makes no
 * sense; and what it checks is what it uses. */
#include "runtime/offer.h"

#include "runtime/platform/local.h"

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define RING          (4u * TEE_PERF_SUBBUF_BYTES)
#define MODULE_BYTES  TEE_PERF_SUBBUF_BYTES
#define SLOTS         2u
#define SEGMENT_BYTES (TEE_PERF_SLOTS_OFFSET(MODULE_BYTES) + SLOTS * TEE_PERF_SLOT_BYTES((uint64_t)RING))

/* The segment is not touched by attaching, so it can lie anywhere; the header is read where the checks have let it
 * pass. */
#define ENCLAVE       UINT64_C(0x7f0000000000)
#define ENCLAVE_BYTES (UINT64_C(64) << 20)
#define SEGMENT       UINT64_C(0x7e0000000000)

static struct tee_perf_log_header header __attribute__((aligned(4096)));
static struct tee_perf_log_process process __attribute__((aligned(64)));
static struct tee_perf_thread threads[4];
static struct tee_perf_offer offer;

static bool outside(uintptr_t begin, uint64_t size)
{
	return tee_perf_ranges_apart(begin, size, ENCLAVE, ENCLAVE_BYTES);
}

static void prepare(void)
{
	header = (struct tee_perf_log_header){ .magic = TEE_PERF_LOG_MAGIC,
					       .version = TEE_PERF_LOG_VERSION,
					       .process_max = 1,
					       .slot_max = SLOTS,
					       .ring_bytes = RING,
					       .segment_bytes = SEGMENT_BYTES,
					       .module_bytes = MODULE_BYTES };
	offer = (struct tee_perf_offer){ .header = (uint64_t)&header,
					 .segment = SEGMENT,
					 .segment_bytes = SEGMENT_BYTES,
					 .process = (uint64_t)&process,
					 .slots = SLOTS };
	tee_perf_state.host = NULL;
}

static bool attach(void)
{
	return tee_perf_attach_offer(&offer, outside, threads, 4);
}

START_TEST(a_good_offer_is_taken_once)
{
	ck_assert(attach());
	ck_assert_ptr_eq(tee_perf_state.host, &header);
	ck_assert_uint_eq(tee_perf_state.slots, SEGMENT + TEE_PERF_SLOTS_OFFSET(MODULE_BYTES));
	ck_assert_uint_eq(tee_perf_state.slot_count, SLOTS);
	ck_assert(tee_perf_state.foreign_counter); /* no clock instruction, whatever the host says */
	ck_assert(!attach());
}
END_TEST

START_TEST(what_touches_the_enclave_from_outside_is_taken)
{
	uint64_t rounded = (SEGMENT_BYTES + TEE_PERF_SUBBUF_BYTES - 1) / TEE_PERF_SUBBUF_BYTES * TEE_PERF_SUBBUF_BYTES;

	offer.segment = _i == 0 ? ENCLAVE - rounded : ENCLAVE + ENCLAVE_BYTES;
	offer.segment_bytes = rounded;
	ck_assert(attach());
}
END_TEST

START_TEST(fewer_slots_are_served_if_fewer_fit)
{
	offer.slots = 1;
	offer.segment_bytes -= TEE_PERF_SLOT_BYTES((uint64_t)RING);
	ck_assert(attach());
	ck_assert_uint_eq(tee_perf_state.slot_count, 1);
	tee_perf_state.host = NULL;
	prepare();
	header.slot_max = 9; /* more than the enclave has threads for */
	header.segment_bytes = TEE_PERF_SLOTS_OFFSET(MODULE_BYTES) + 9 * TEE_PERF_SLOT_BYTES((uint64_t)RING);
	offer.segment_bytes = header.segment_bytes;
	offer.slots = UINT64_MAX;
	ck_assert(attach());
	ck_assert_uint_eq(tee_perf_state.slot_count, 4);
}
END_TEST

#define OFFER(field, bad)                                                                                              \
	{                                                                                                              \
		&offer.field, bad, #field " = " #bad                                                                   \
	}
#define HEADER(field, bad)                                                                                             \
	{                                                                                                              \
		&header.field, bad, #field " = " #bad                                                                  \
	}
static const struct {
	uint64_t *word, bad;
	const char *text;
} bad[] = {
	OFFER(header, 0),
	OFFER(header, ENCLAVE),
	OFFER(header, ENCLAVE + 4096),
	OFFER(header, ENCLAVE - 64),
	OFFER(header, ENCLAVE + ENCLAVE_BYTES - 64),
	OFFER(header, UINT64_MAX - 63),
	OFFER(segment, 0),
	OFFER(segment, SEGMENT + 8),
	OFFER(segment, SEGMENT + 4096),
	OFFER(segment, SEGMENT + TEE_PERF_SUBBUF_BYTES / 2),
	OFFER(segment, ENCLAVE),
	OFFER(segment, ENCLAVE + (32 << 20)),
	OFFER(segment, ENCLAVE - TEE_PERF_SUBBUF_BYTES),
	OFFER(segment, ENCLAVE + ENCLAVE_BYTES - TEE_PERF_SUBBUF_BYTES),
	OFFER(segment, UINT64_MAX - TEE_PERF_SUBBUF_BYTES + 1),
	OFFER(segment_bytes, 0),
	OFFER(segment_bytes, SEGMENT_BYTES - 1),
	OFFER(segment_bytes, ENCLAVE - SEGMENT + 1),                 /* reaches into the enclave */
	OFFER(segment_bytes, ENCLAVE - SEGMENT + 2 * ENCLAVE_BYTES), /* holds it */
	OFFER(segment_bytes, UINT64_MAX),
	OFFER(segment_bytes, UINT64_MAX - SEGMENT + 1),
	OFFER(process, ENCLAVE),
	OFFER(process, ENCLAVE + ENCLAVE_BYTES - 64),
	OFFER(process, 8),
	OFFER(process, UINT64_MAX - 63),
	OFFER(slots, 0),
	HEADER(magic, 0),
	HEADER(version, TEE_PERF_LOG_VERSION + 1),
	HEADER(process_max, 0),
	HEADER(process_max, UINT64_MAX),
	HEADER(slot_max, 0),
	HEADER(slot_max, SLOTS + 1),
	HEADER(slot_max, UINT64_C(1) << 32 | 1), /* one, if cut to 32 bits */
	HEADER(slot_max, UINT64_MAX),
	HEADER(ring_bytes, 0),
	HEADER(ring_bytes, RING + 8),
	HEADER(ring_bytes, TEE_PERF_SUBBUF_BYTES),
	HEADER(ring_bytes, RING + TEE_PERF_SUBBUF_BYTES),
	HEADER(ring_bytes, UINT64_C(1) << 63),
	HEADER(ring_bytes, UINT64_MAX - TEE_PERF_SUBBUF_BYTES + 1),
	HEADER(segment_bytes, 0),
	HEADER(segment_bytes, SEGMENT_BYTES - 4096),
	HEADER(segment_bytes, SEGMENT_BYTES + 8),
	HEADER(segment_bytes, UINT64_MAX),
	HEADER(module_bytes, 4096),
	HEADER(module_bytes, 2 * MODULE_BYTES),
	HEADER(module_bytes, UINT64_MAX - TEE_PERF_SUBBUF_BYTES + 1),
};

START_TEST(a_bad_offer_is_refused_and_changes_nothing)
{
	struct tee_perf_state before = tee_perf_state;

	*bad[_i].word = bad[_i].bad;
	ck_assert_msg(!attach(), "%s was accepted", bad[_i].text);
	ck_assert_mem_eq(&tee_perf_state, &before, sizeof before);
}
END_TEST

/* ---- a header that changes meanwhile */

static bool changing;

static void *change(void *data)
{
	static const uint64_t ring[] = { RING, RING, 2 * TEE_PERF_SUBBUF_BYTES, UINT64_C(1) << 63, 8 };
	static const uint64_t module[] = { MODULE_BYTES, MODULE_BYTES, MODULE_BYTES, UINT64_MAX, 8 };
	static const uint64_t slots[] = { SLOTS, SLOTS, 1, UINT64_MAX, 0 };

	(void)data;
	for (unsigned i = 0; __atomic_load_n(&changing, __ATOMIC_ACQUIRE); i++) {
		__atomic_store_n(&header.ring_bytes, ring[i % 5], __ATOMIC_RELEASE);
		__atomic_store_n(&header.module_bytes, module[i / 5 % 5], __ATOMIC_RELEASE);
		__atomic_store_n(&header.slot_max, slots[i / 25 % 5], __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Whatever was accepted fits into what was checked. check_accesses proves that each word is read once. */
START_TEST(a_header_that_changes_is_used_as_it_was_checked)
{
	unsigned accepted = 0;
	pthread_t thread;

	changing = true;
	ck_assert_int_eq(pthread_create(&thread, NULL, change, NULL), 0);
	for (unsigned i = 0; i < 300000 || accepted == 0; i++) {
		tee_perf_state.host = NULL;
		if (!attach())
			continue;
		accepted++;
		ck_assert_uint_le(tee_perf_state.ring_bytes, RING);
		ck_assert_uint_eq(tee_perf_state.ring_bytes % TEE_PERF_SUBBUF_BYTES, 0);
		ck_assert_uint_ge(tee_perf_state.slot_count, 1);
		ck_assert_uint_le(tee_perf_state.slots +
				      tee_perf_state.slot_count * TEE_PERF_SLOT_BYTES(tee_perf_state.ring_bytes),
				  SEGMENT + SEGMENT_BYTES);
	}
	__atomic_store_n(&changing, false, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}
END_TEST

/* ---- a host that makes two offers at once, through two threads of the enclave: each is good by itself, but the
 * second's rings beside the first's addresses would reach into the enclave */

#define LARGE_RING    (64u * TEE_PERF_SUBBUF_BYTES)
#define LARGE_SEGMENT UINT64_C(0x7d0000000000)

static struct tee_perf_log_header large_header __attribute__((aligned(4096)));
static struct tee_perf_offer large_offer;

static void prepare_two(void)
{
	uint64_t large_bytes = TEE_PERF_SLOTS_OFFSET(MODULE_BYTES) + SLOTS * TEE_PERF_SLOT_BYTES((uint64_t)LARGE_RING);

	prepare();
	/* It ends where the enclave begins. */
	offer.segment = (ENCLAVE - SEGMENT_BYTES) & ~(uint64_t)(TEE_PERF_SUBBUF_BYTES - 1);
	large_header = header;
	large_header.ring_bytes = LARGE_RING;
	large_header.segment_bytes = large_bytes;
	large_offer = (struct tee_perf_offer){ .header = (uint64_t)&large_header,
					       .segment = LARGE_SEGMENT,
					       .segment_bytes = large_bytes,
					       .process = (uint64_t)&process,
					       .slots = SLOTS };
}

static bool state_is_of_one_offer(void)
{
	const struct tee_perf_state *state = &tee_perf_state;
	bool large = state->host == &large_header;
	uint64_t segment = large ? large_offer.segment : offer.segment;

	return (uint64_t)state->segment == segment && state->slots == segment + TEE_PERF_SLOTS_OFFSET(MODULE_BYTES) &&
	       state->ring_bytes == (large ? LARGE_RING : RING);
}

static bool second_taken;

/* While the first offer is being checked, the second comes, and is taken. */
static bool outside_and_another_offer(uintptr_t begin, uint64_t size)
{
	if (!second_taken)
		second_taken = tee_perf_attach_offer(&large_offer, outside, threads, 4);
	return outside(begin, size);
}

START_TEST(an_offer_that_is_checked_while_another_is_taken_is_refused)
{
	prepare_two();
	ck_assert(!tee_perf_attach_offer(&offer, outside_and_another_offer, threads, 4));
	ck_assert(second_taken);
	ck_assert_ptr_eq(tee_perf_state.host, &large_header);
	ck_assert(state_is_of_one_offer());
}
END_TEST

static unsigned round_begun, round_ended;
static bool other_took;

static void *offer_the_large_one(void *data)
{
	(void)data;
	for (unsigned round = 1; round <= 20000; round++) {
		while (__atomic_load_n(&round_begun, __ATOMIC_ACQUIRE) < round)
			sched_yield();
		other_took = tee_perf_attach_offer(&large_offer, outside, threads, 4);
		__atomic_store_n(&round_ended, round, __ATOMIC_RELEASE);
	}
	return NULL;
}

START_TEST(of_two_offers_at_once_one_is_taken_as_a_whole)
{
	pthread_t thread;

	prepare_two();
	ck_assert_int_eq(pthread_create(&thread, NULL, offer_the_large_one, NULL), 0);
	for (unsigned round = 1; round <= 20000; round++) {
		tee_perf_state.host = NULL;
		__atomic_store_n(&round_begun, round, __ATOMIC_RELEASE);
		bool took = attach();
		while (__atomic_load_n(&round_ended, __ATOMIC_ACQUIRE) < round)
			sched_yield();
		ck_assert_int_eq(took + other_took, 1);
		ck_assert_ptr_eq(tee_perf_state.host, took ? &header : &large_header);
		ck_assert(state_is_of_one_offer());
	}
	pthread_join(thread, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("offer");
	TCase *tests = tcase_create("offer");

	tcase_add_checked_fixture(tests, prepare, NULL);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, a_good_offer_is_taken_once);
	tcase_add_loop_test(tests, what_touches_the_enclave_from_outside_is_taken, 0, 2);
	tcase_add_test(tests, fewer_slots_are_served_if_fewer_fit);
	tcase_add_loop_test(tests, a_bad_offer_is_refused_and_changes_nothing, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_test(tests, a_header_that_changes_is_used_as_it_was_checked);
	tcase_add_test(tests, an_offer_that_is_checked_while_another_is_taken_is_refused);
	tcase_add_test(tests, of_two_offers_at_once_one_is_taken_as_a_whole);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
