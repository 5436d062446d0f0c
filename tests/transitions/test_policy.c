/* SPDX-License-Identifier: MIT */
/* What an enclave is built with outranks the host, which writes whatever it likes into its control word. */
#include "tests/runtime/host.h"

#include "runtime/platform/local.h"
#include "runtime/thread.h"

#include <check.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SUB_BUFFERS    16u
#define RING           (SUB_BUFFERS * TEE_PERF_SUBBUF_BYTES)
#define FULL(policy)   (TEE_PERF_CONTROL_ON | (uint64_t)(policy) << TEE_PERF_CONTROL_FULL_SHIFT)
#define BUILT_IN(full) ((full) + 1u)
#define COUNT          100000u

/* Takes the place of the runtime's default, as what the compiler pass emits does. */
struct tee_perf_policy tee_perf_policy __attribute__((visibility("hidden")));

static struct tee_perf_map_entry entry __attribute__((aligned(16)));
static struct host host;
static unsigned rounds;

static unsigned wait_and_drain(void)
{
	rounds++;
	host_drain(&host);
	return 1;
}

/* The host shows life, but frees nothing. */
static unsigned wait_in_vain(void)
{
	rounds++;
	host.header->clock++;
	return 1;
}

static void open(const struct tee_perf_policy *policy, unsigned (*wait)(void), uint64_t control)
{
	tee_perf_policy = *policy;
	rounds = 0;
	host_open(&host, RING, control);
	tee_perf_local_wait = wait;
}

static void call_often(void)
{
	for (uint64_t i = 0; i < COUNT; i++)
		tee_perf_call(&entry, (void *)(0x10000 + 16 * i));
}

/* Every value that the field has, the clock and a few other bits changing with it; recording stays on. */
static void call_while_the_host_flips(void)
{
	for (uint64_t i = 0; i < COUNT; i++) {
		host.header->control =
		    TEE_PERF_CONTROL_ON | (i * 0x9e3779b97f4a7c15 & ~TEE_PERF_CONTROL_NEVER &
					   ~(TEE_PERF_CONTROL_FIELD << TEE_PERF_CONTROL_CLOCK_SHIFT));
		host.header->clock ^= i % 3 == 0 ? TEE_PERF_CLOCK_LOOK : 0;
		tee_perf_call(&entry, (void *)(0x10000 + 16 * i));
	}
}

static uint64_t calls_taken(void)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < host.taken_count; i++)
		calls += host.taken[i].w0 >> TEE_PERF_KIND_SHIFT == TEE_PERF_CALL;
	return calls;
}

START_TEST(the_host_decides_where_nothing_is_built_in)
{
	open(&(struct tee_perf_policy){ 0 }, wait_and_drain, FULL(TEE_PERF_FULL_DROP));
	call_often();
	ck_assert_uint_eq(rounds, 0);
	ck_assert_uint_eq(host.segment->lost[0], COUNT - SUB_BUFFERS * TEE_PERF_SUBBUF_RECORDS);
	host_close(&host);

	open(&(struct tee_perf_policy){ 0 }, wait_and_drain, FULL(TEE_PERF_FULL_WAIT));
	call_often();
	ck_assert_uint_gt(rounds, 0);
	ck_assert_uint_eq(host.segment->lost[0], 0);
	host_close(&host);
}
END_TEST

START_TEST(a_host_that_says_wait_cannot_stop_an_enclave_that_drops)
{
	struct tee_perf_policy policy = { .full = BUILT_IN(TEE_PERF_FULL_DROP) };

	open(&policy, wait_in_vain, FULL(TEE_PERF_FULL_WAIT));
	call_often();
	ck_assert_uint_eq(rounds, 0);
	ck_assert_uint_eq(host.segment->lost[0], COUNT - SUB_BUFFERS * TEE_PERF_SUBBUF_RECORDS);
	host_close(&host);
}
END_TEST

START_TEST(a_host_that_says_drop_loses_nothing_of_an_enclave_that_waits)
{
	struct tee_perf_policy policy = { .full = BUILT_IN(TEE_PERF_FULL_WAIT) };

	open(&policy, wait_and_drain, FULL(TEE_PERF_FULL_DROP));
	call_often();
	host_drain_tail(&host);
	ck_assert_uint_gt(rounds, 0);
	ck_assert_uint_eq(host.segment->lost[0], 0);
	ck_assert_uint_eq(calls_taken(), COUNT);
	host_close(&host);
}
END_TEST

START_TEST(a_host_that_flips_the_control_word_changes_nothing)
{
	struct tee_perf_policy drops = { .full = BUILT_IN(TEE_PERF_FULL_DROP) },
			       waits = { .full = BUILT_IN(TEE_PERF_FULL_WAIT) };

	open(&drops, wait_in_vain, FULL(TEE_PERF_FULL_WAIT));
	call_while_the_host_flips();
	ck_assert_uint_eq(rounds, 0);
	ck_assert_uint_eq(host.segment->lost[0], COUNT - SUB_BUFFERS * TEE_PERF_SUBBUF_RECORDS);
	host_close(&host);

	open(&waits, wait_and_drain, FULL(TEE_PERF_FULL_DROP));
	call_while_the_host_flips();
	host_drain_tail(&host);
	ck_assert_uint_eq(host.segment->lost[0], 0);
	ck_assert_uint_eq(calls_taken(), COUNT);
	host_close(&host);
}
END_TEST

START_TEST(overwriting_is_built_in_too)
{
	struct tee_perf_policy policy = { .full = BUILT_IN(TEE_PERF_FULL_OVERWRITE) };

	open(&policy, wait_in_vain, FULL(TEE_PERF_FULL_WAIT));
	call_often();
	ck_assert_uint_eq(rounds, 0);
	ck_assert_uint_eq(host.segment->writer[0], COUNT / TEE_PERF_SUBBUF_RECORDS);
	host_close(&host);
}
END_TEST

START_TEST(an_enclave_without_the_right_to_wait_never_waits)
{
	struct tee_perf_policy policy = { .wait = 1 }; /* no round */

	open(&policy, wait_in_vain, FULL(TEE_PERF_FULL_WAIT));
	call_often();
	ck_assert_uint_eq(rounds, 0);
	ck_assert_uint_ge(host.segment->lost[0], COUNT - SUB_BUFFERS * TEE_PERF_SUBBUF_RECORDS);
	host_close(&host);
}
END_TEST

START_TEST(an_enclave_waits_no_longer_than_it_was_built_to)
{
	struct tee_perf_policy policy = { .wait = 5 + 1 }, more = { .wait = UINT32_MAX };

	open(&policy, wait_in_vain, FULL(TEE_PERF_FULL_WAIT));
	call_often();
	ck_assert_uint_eq(rounds, 5);
	host_close(&host);

	/* No policy gives more than the runtime's own bound. */
	open(&more, wait_in_vain, FULL(TEE_PERF_FULL_WAIT));
	call_often();
	ck_assert_uint_eq(rounds, 30 * 2000);
	host_close(&host);
}
END_TEST

START_TEST(a_ring_grows_no_further_than_it_was_built_to)
{
	const uint64_t limit = 4 * TEE_PERF_SUBBUF_BYTES;
	struct tee_perf_policy policy = { .full = BUILT_IN(TEE_PERF_FULL_DROP), .ring_bytes = limit };

	for (uint32_t full = TEE_PERF_FULL_DROP; full <= TEE_PERF_FULL_OVERWRITE; full++) {
		policy.full = BUILT_IN(full);
		open(&policy, wait_in_vain, FULL(TEE_PERF_FULL_WAIT));
		ck_assert_int_eq(mprotect(host.ring + limit, RING - limit, PROT_NONE), 0);
		call_often();
		uint64_t lost = full == TEE_PERF_FULL_DROP ? COUNT - 4 * TEE_PERF_SUBBUF_RECORDS : 0;
		ck_assert_uint_eq(host.segment->lost[0], lost);
		host_close(&host);
	}

	/* A limit above what the host offers gives no more than that. */
	policy = (struct tee_perf_policy){ .full = BUILT_IN(TEE_PERF_FULL_DROP), .ring_bytes = 4 * RING };
	open(&policy, wait_in_vain, FULL(TEE_PERF_FULL_WAIT));
	call_often();
	ck_assert_uint_eq(host.segment->lost[0], COUNT - SUB_BUFFERS * TEE_PERF_SUBBUF_RECORDS);
	host_close(&host);
}
END_TEST

/* Each record's time is of the clock that the records before it name: the host's stands at 1 here. */
static void check_times(void)
{
	uint64_t clock = TEE_PERF_CLOCK_HOST, changes = 0;

	for (size_t i = 0; i < host.taken_count; i++) {
		uint64_t time = host.taken[i].w0 & TEE_PERF_TIME_MASK;
		bool meta = host.taken[i].w0 >> TEE_PERF_KIND_SHIFT == TEE_PERF_META;
		if (meta && (host.taken[i].w1 & 0xff) == TEE_PERF_META_CLOCK) {
			clock = host.taken[i].w1 >> 8;
			changes++;
		}
		ck_assert_msg((time == 1) == (clock == TEE_PERF_CLOCK_HOST), "record %zu: time %llu of clock %llu", i,
			      (unsigned long long)time, (unsigned long long)clock);
	}
	ck_assert_uint_eq(changes, 2);
}

START_TEST(a_clock_that_changes_while_the_ring_is_full_is_told_before_it_is_used)
{
	const uint64_t tsc = (uint64_t)TEE_PERF_CLOCK_TSC << TEE_PERF_CONTROL_CLOCK_SHIFT;

	open(&(struct tee_perf_policy){ 0 }, wait_in_vain, FULL(TEE_PERF_FULL_DROP));
	for (int round = 0; round < 2; round++) {
		call_often();
		host_control(&host, host.header->control ^ tsc);
		call_often(); /* all of them are dropped */
		host_drain(&host);
	}
	call_often();
	host_drain_tail(&host);
	check_times();
	host_close(&host);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("policy");
	TCase *tests = tcase_create("policy");
	SRunner *runner = srunner_create(suite);

	tcase_add_test(tests, the_host_decides_where_nothing_is_built_in);
	tcase_add_test(tests, a_host_that_says_wait_cannot_stop_an_enclave_that_drops);
	tcase_add_test(tests, a_host_that_says_drop_loses_nothing_of_an_enclave_that_waits);
	tcase_add_test(tests, a_host_that_flips_the_control_word_changes_nothing);
	tcase_add_test(tests, overwriting_is_built_in_too);
	tcase_add_test(tests, an_enclave_without_the_right_to_wait_never_waits);
	tcase_add_test(tests, an_enclave_waits_no_longer_than_it_was_built_to);
	tcase_add_test(tests, a_clock_that_changes_while_the_ring_is_full_is_told_before_it_is_used);
	tcase_add_test(tests, a_ring_grows_no_further_than_it_was_built_to);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
