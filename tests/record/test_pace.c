/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/pace.h"

#include <check.h>
#include <stdlib.h>
#include <time.h>

#define MS 1000000u

static uint64_t cpu_ns(void)
{
	struct timespec spent;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
	return (uint64_t)spent.tv_sec * 1000000000u + (uint64_t)spent.tv_nsec;
}

static void burn(uint64_t ns)
{
	uint64_t end = cpu_ns() + ns;

	while (cpu_ns() < end) {
	}
}

START_TEST(a_thread_that_gets_its_core_spins_on)
{
	struct tee_perf_pace pace = { 0 };
	uint64_t now = 1;

	ck_assert(!tee_perf_pace_look(&pace, now));
	for (int i = 0; i < 5; i++) {
		burn(30 * MS); /* of its own, whatever the machine does */
		now += 30 * MS;
		ck_assert(!tee_perf_pace_look(&pace, now));
	}
}
END_TEST

/* Time passes and hardly any of it is the thread's: as the clock is ours, nobody need wait for it. */
START_TEST(a_thread_that_is_kept_from_its_core_naps_longer_each_time)
{
	struct tee_perf_pace pace = { 0 };
	uint64_t now = 1, naps[8];

	ck_assert(!tee_perf_pace_look(&pace, now));
	for (int i = 0; i < 8; i++) {
		ck_assert(!tee_perf_pace_look(&pace, now + 5 * MS)); /* too early to say */
		now += 1000 * MS;
		ck_assert(tee_perf_pace_look(&pace, now));
		uint64_t begin = now;
		while (tee_perf_pace_look(&pace, now))
			now += 10 * MS;
		naps[i] = now - begin;
	}
	ck_assert_uint_eq(naps[0], 200 * MS);
	ck_assert_uint_eq(naps[1], 400 * MS);
	ck_assert_uint_eq(naps[7], 1600 * MS);
}
END_TEST

START_TEST(a_core_that_is_free_again_is_used)
{
	struct tee_perf_pace pace = { 0 };
	uint64_t now = 1;

	ck_assert(!tee_perf_pace_look(&pace, now));
	ck_assert(tee_perf_pace_look(&pace, now += 1000 * MS));
	ck_assert(!tee_perf_pace_look(&pace, now += 1000 * MS));
	burn(30 * MS);
	ck_assert(!tee_perf_pace_look(&pace, now += 30 * MS));
	ck_assert(tee_perf_pace_look(&pace, now += 1000 * MS));
	ck_assert(tee_perf_pace_look(&pace, now + 199 * MS));
	ck_assert(!tee_perf_pace_look(&pace, now + 200 * MS)); /* as the first time */
}
END_TEST

START_TEST(a_thread_of_real_time_priority_spins_whatever_happens)
{
	struct tee_perf_pace pace = { .never = true };

	for (uint64_t now = 1; now < 10000 * (uint64_t)MS; now += 1000 * MS) {
		ck_assert(!tee_perf_pace_look(&pace, now));
		tee_perf_pace_restart(&pace);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pace");
	TCase *tests = tcase_create("pace");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, a_thread_that_gets_its_core_spins_on);
	tcase_add_test(tests, a_thread_that_is_kept_from_its_core_naps_longer_each_time);
	tcase_add_test(tests, a_core_that_is_free_again_is_used);
	tcase_add_test(tests, a_thread_of_real_time_priority_spins_whatever_happens);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
