/* SPDX-License-Identifier: MIT */
/* Where time goes: waiting, pauses, lost records, clocks, gaps of the clock. */
#include "tests/analyzer/model_text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define PROGRAM "module 0 0 /bin/prog; fn main a.c 1; fn f a.c 2; fn g a.c 3; fn h a.c 4; @ 0 0;"

START_TEST(waiting_belongs_to_nobody)
{
	const char *scenario = PROGRAM "0 call main 1000; 10 call f 900; 110 gap 80; 120 ret f 900; 130 ret main 1000";
	model_text_expect_functions(scenario, 0,
				    "f calls=1 self=30 total=30 min=30 max=30\n"
				    "main calls=1 self=20 total=50 min=50 max=50\n");
	struct tee_perf_recording *recording = model_text_play(scenario, 0);
	ck_assert_uint_eq(recording->model->tracks[0]->counts.waited_ns, 80);
	model_text_free(recording);
}
END_TEST

/* A claim to have waited longer than the time that has passed is held to it. */
START_TEST(waiting_is_bounded)
{
	model_text_expect_tree(
	    PROGRAM "100 call main 1000; 110 gap 5000; 120 gap 0xffffffffffffffff; 120 gap 7; 125 ret main 1000", 0,
	    "[not instrumented] 0 0\n"
	    "  main 1 5\n");
}
END_TEST

/* Off inside f, on inside g: the time between belongs to nobody, and what was open is not sure. */
START_TEST(off_in_one_function_on_in_another)
{
	model_text_expect_tree(PROGRAM "0 call main 1000; 10 call f 900; 20 off; 100 on; 110 ret g 900; 130 call h 900;"
				       "140 ret h 900; 150 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 10\n"
			       "    f 1 10\n"
			       "      [after a pause] 0 10\n"
			       "    [after a pause] 0 30\n"
			       "      h 1 10\n");
	model_text_expect_functions(PROGRAM "0 call main 1000; 10 call f 900; 20 off; 100 on; 110 ret f 900;"
					    "120 ret main 1000",
				    0,
				    "[after a pause] calls=0 self=20 total=20 min=0 max=0\n"
				    "f calls=1 self=10 total=20 min=0 max=0 unconfirmed=1\n"
				    "main calls=1 self=10 total=40 min=0 max=0 unconfirmed=1\n");
}
END_TEST

START_TEST(starts_switched_off)
{
	model_text_expect_tree(PROGRAM "0 off; 1000 on; 1010 call f 900; 1020 ret f 900", 0,
			       "[not instrumented] 0 10\n"
			       "  f 1 10\n");
}
END_TEST

/* Nobody knows what ran in the gap: not the function that was on top before it. */
START_TEST(lost_records)
{
	model_text_expect_tree(PROGRAM
			       "0 call main 1000; 10 call f 900; 20 call g 800; 1000 lost 500; 1010 call h 700;"
			       "1020 ret h 700; 1030 ret g 800; 1040 ret f 900; 1050 call g 900; 1060 ret g 900;"
			       "1070 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 10\n"
			       "    f 1 10\n"
			       "      g 1 0\n"
			       "        [after lost records] 0 1000\n"
			       "          h 1 10\n"
			       "      [after lost records] 0 10\n"
			       "    [after lost records] 0 20\n"
			       "      g 1 10\n");
	struct tee_perf_recording *recording =
	    model_text_play(PROGRAM "0 call main 1000; 5 lost 7; 6 lost 8; 7 hole 2", 0);
	ck_assert_uint_eq(recording->model->tracks[0]->counts.lost, 15);
	ck_assert_uint_eq(recording->model->tracks[0]->counts.holes, 2);
	model_text_free(recording);
}
END_TEST

/* Another function returns at the place of an unconfirmed one: that one ended in the gap. */
START_TEST(another_function_after_lost_records)
{
	model_text_expect_functions(PROGRAM "0 call main 1000; 10 call f 900; 20 lost 9; 30 ret g 900; 40 call h 900;"
					    "45 ret h 900; 50 ret main 1000",
				    0,
				    "[after lost records] calls=0 self=35 total=40 min=0 max=0\n"
				    "f calls=1 self=0 total=20 min=0 max=0 unconfirmed=1\n"
				    "h calls=1 self=5 total=5 min=5 max=5\n"
				    "main calls=1 self=10 total=50 min=0 max=0 unconfirmed=1\n");
}
END_TEST

START_TEST(lost_records_without_open_frames)
{
	model_text_expect_tree(PROGRAM "0 call f 900; 10 ret f 900; 20 lost 5; 30 call f 900; 40 ret f 900", 0,
			       "[not instrumented] 0 20\n"
			       "  f 2 20\n");
}
END_TEST

START_TEST(time_does_not_go_back)
{
	const char *scenario = PROGRAM "100 call main 1000; 90 call f 900; 95 ret f 900; 120 ret main 1000";
	model_text_expect_tree(scenario, 0,
			       "[not instrumented] 0 0\n"
			       "  main 1 20\n"
			       "    f 1 0\n");
	struct tee_perf_recording *recording = model_text_play(scenario, 0);
	ck_assert_uint_eq(recording->model->tracks[0]->counts.backwards, 2);
	model_text_free(recording);
}
END_TEST

/* 2 ticks per ns from tick 1,000,000 on, from ns 500 on 4 ticks per ns. */
#define TSC "tsc 1000000 100; tsc 1000800 500; tsc 1001200 600;"

START_TEST(clock_changes)
{
	model_text_expect_tree(PROGRAM TSC "150 call main 1000; 160 call f 900; 1000140 clock tsc; 1000200 ret f 900;"
					   "1000240 call g 900; 1001200 ret g 900; 650 clock host; 700 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 130\n"
			       "    f 1 40\n"
			       "    g 1 380\n");
}
END_TEST

START_TEST(tsc_before_and_behind_its_points)
{
	model_text_expect_tree(PROGRAM TSC "999900 clock tsc; 999900 call main 1000; 1001600 ret main 1000", 0,
			       "[not instrumented] 0 0\n"
			       "  main 1 650\n");
}
END_TEST

START_TEST(tsc_without_calibration)
{
	struct tee_perf_recording *recording =
	    model_text_play(PROGRAM "0 clock tsc; 10 call main 1000; 20 ret main 1000", 0);
	ck_assert(recording->model->tsc_unknown);
	model_text_free(recording);
}
END_TEST

/* Records with the last time before a gap may lie anywhere in it: only main was open throughout. */
START_TEST(gap_of_the_clock)
{
	model_text_expect_tree(PROGRAM "clockgap 20 520; 0 call main 1000; 10 call f 900; 20 ret f 900; 20 call g 900;"
				       "20 ret g 900; 20 call h 900; 530 ret h 900; 540 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 20\n"
			       "    f 1 10\n"
			       "    g 1 0\n"
			       "    h 1 10\n"
			       "    [unresolved] 0 500\n");
}
END_TEST

/* No record lies in the gap: f ran all through it. */
START_TEST(gap_without_records)
{
	model_text_expect_tree(
	    PROGRAM "clockgap 20 520; 0 call main 1000; 10 call f 900; 530 ret f 900; 530 ret main 1000", 0,
	    "[not instrumented] 0 0\n"
	    "  main 1 10\n"
	    "    f 1 520\n");
}
END_TEST

START_TEST(gap_below_the_frame_that_stayed)
{
	model_text_expect_tree(PROGRAM "clockgap 20 520; 0 call main 1000; 10 call f 900; 20 call g 800; 20 ret g 800;"
				       "520 call g 800; 530 ret g 800; 530 ret f 900; 530 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 10\n"
			       "    f 1 10\n"
			       "      g 2 10\n"
			       "      [unresolved] 0 500\n");
}
END_TEST

/* A call's own duration and its total agree: what is unresolved belongs to neither where it began in the gap, and to
 * both where it was open before. */
START_TEST(gap_and_durations)
{
	model_text_expect_functions(PROGRAM "clockgap 20 520; 20 call main 1000; 20 call f 900; 530 ret f 900;"
					    "540 ret main 1000",
				    0,
				    "[unresolved] calls=0 self=500 total=500 min=0 max=0\n"
				    "f calls=1 self=10 total=10 min=10 max=10\n"
				    "main calls=1 self=10 total=20 min=20 max=20\n");
	model_text_expect_functions(PROGRAM "clockgap 20 520; 0 call main 1000; 20 call f 900; 520 ret f 900;"
					    "540 ret main 1000",
				    0,
				    "[unresolved] calls=0 self=500 total=500 min=0 max=0\n"
				    "f calls=1 self=0 total=0 min=0 max=0\n"
				    "main calls=1 self=40 total=540 min=540 max=540\n");
	model_text_expect_functions(PROGRAM "0 stack 0x70000000 0x70800000; 0 stack 0x20000000 0x20010000;"
					    "clockgap 20 520; 0 call main 0x707fff00; 10 call f 0x707ffe00;"
					    "20 call g 0x2000ff00; 530 ret g 0x2000ff00; 530 ret f 0x707ffe00;"
					    "540 ret main 0x707fff00",
				    0,
				    "[other stack] calls=0 self=0 total=10 min=0 max=0\n"
				    "[unresolved] calls=0 self=500 total=500 min=0 max=0\n"
				    "f calls=1 self=10 total=10 min=10 max=10\n"
				    "g calls=1 self=10 total=10 min=10 max=10\n"
				    "main calls=1 self=20 total=30 min=30 max=30\n");
}
END_TEST

START_TEST(two_gaps_in_one_jump)
{
	model_text_expect_tree(PROGRAM
			       "clockgap 20 120; clockgap 220 320; 0 call main 1000; 20 call f 900; 320 ret f 900;"
			       "330 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 30\n"
			       "    f 1 200\n"
			       "    [unresolved] 0 100\n");
}
END_TEST

START_TEST(gap_while_waiting)
{
	model_text_expect_tree(PROGRAM "clockgap 20 520; 0 call main 1000; 20 call f 900; 520 gap 400; 530 ret f 900;"
				       "530 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 20\n"
			       "    f 1 10\n"
			       "    [unresolved] 0 100\n");
}
END_TEST

/* More gaps than are kept: a thread that slept through them all still knows the one that it fell asleep in. */
START_TEST(many_gaps)
{
	static const struct tee_perf_record before[] = { { UINT64_C(1) << 61 | 10, UINT64_C(1000) << 32 | 16 },
							 { UINT64_C(1) << 61 | 20, UINT64_C(900) << 32 | 32 } };
	struct tee_perf_model *model = tee_perf_model_new();
	struct tee_perf_track *track = tee_perf_model_track(model, 0, 0);
	uint64_t last = 0;
	int failed = 0;
	tee_perf_track_feed(track, before, 2);
	for (uint64_t i = 0; i < 3 * (uint64_t)TEE_PERF_GAPS_MAX / 2; i++) {
		last = 20 + i * 10;
		failed |= tee_perf_model_gap(model, last, last + 5, NULL);
	}
	ck_assert_int_eq(failed, 0);
	ck_assert_uint_le(model->gap_count, TEE_PERF_GAPS_MAX);
	ck_assert_uint_eq(model->gap_total, 3 * (uint64_t)TEE_PERF_GAPS_MAX / 2);
	struct tee_perf_record after[] = { { UINT64_C(3) << 61 | last, UINT64_C(900) << 32 | 32 },
					   { UINT64_C(3) << 61 | (last + 105), UINT64_C(1000) << 32 | 16 } };
	tee_perf_track_feed(track, after, 2);
	ck_assert_int_eq(tee_perf_model_finish(model, 0, NULL), 0);
	struct tee_perf_recording *recording = model_text_wrap(model);
	char *text = model_text_tree(recording), expected[128];
	snprintf(
	    expected, sizeof expected,
	    "[not instrumented] 0 0\n  0x10 of process 0 1 110\n    0x20 of process 0 1 %lu\n    [unresolved] 0 10\n",
	    (unsigned long)last - 25);
	ck_assert_str_eq(text, expected);
	free(text);
	model_text_free(recording);
}
END_TEST

START_TEST(marks)
{
	struct tee_perf_recording *recording =
	    model_text_play(PROGRAM "0 call main 1000; 10 mark h; 20 mark g; 30 ret main 1000", 0);
	const struct tee_perf_track *track = recording->model->tracks[0];
	ck_assert_uint_eq(track->mark_count, 2);
	ck_assert_uint_eq(track->marks[1].time_ns, 20);
	struct tee_perf_symbol symbol = tee_perf_symbol_lookup(recording->model, 0, track->marks[1].entry, 20);
	ck_assert_str_eq(symbol.linkage_name, "g");
	model_text_free(recording);
}
END_TEST

/* A counter of 2.5 GHz whose first two points are 50 ppm off, as 2 ms are short, and whose every point comes some
 * microseconds late or early. Each time is told before the point that follows is known: how many go back, and how far
 * they are from the truth at the end of the second. */
static unsigned tell_times(bool live, int64_t *off)
{
	static const int64_t late[] = { 0, 100, 900, -1500, 400, 2000, -700, 0, 0 };
	struct tee_perf_model *model = tee_perf_model_new();
	struct tee_perf_time_pair before = { 0 };
	struct tee_perf_error err = { 0 };
	uint64_t last = 0;
	uint32_t cursor = 0;
	unsigned back = 0;
	*off = 0;
	for (uint64_t i = 0; i < sizeof late / sizeof *late; i++) {
		uint64_t ns = i == 0 ? 1000 : i == 1 ? 2001000 : (i - 1) * 1000000000;
		struct tee_perf_time_pair now = { ns * 5 / 2, (uint64_t)((int64_t)ns + late[i]) };
		int told = live ? tee_perf_model_tsc_live(model, before, now, &err)
				: tee_perf_model_tsc(model, now.a, now.b, &err);
		ck_assert_int_eq(told, 0);
		before = now;
		for (uint64_t at = ns; i > 0 && at < i * 1000000000; at += 999983) {
			uint64_t time = tee_perf_model_to_ns(model, TEE_PERF_CLOCK_TSC, at * 5 / 2, &cursor);
			back += time < last;
			last = time;
			*off = (int64_t)(time - at);
		}
	}
	tee_perf_model_free(model);
	return back;
}

/* A time that is told stays, and the next is not earlier: the points' errors do not hold times back, nor add up. */
START_TEST(a_live_clock_goes_on_without_steps)
{
	int64_t off;
	ck_assert_uint_gt(tell_times(false, &off), 0);
	ck_assert_uint_eq(tell_times(true, &off), 0);
	ck_assert_int_lt(off < 0 ? -off : off, 3000);
}
END_TEST

Suite *time_suite(void)
{
	const TTest *const tests[] = { waiting_belongs_to_nobody,
				       waiting_is_bounded,
				       off_in_one_function_on_in_another,
				       starts_switched_off,
				       lost_records,
				       another_function_after_lost_records,
				       lost_records_without_open_frames,
				       time_does_not_go_back,
				       clock_changes,
				       tsc_before_and_behind_its_points,
				       tsc_without_calibration,
				       a_live_clock_goes_on_without_steps,
				       gap_of_the_clock,
				       gap_without_records,
				       gap_below_the_frame_that_stayed,
				       gap_and_durations,
				       two_gaps_in_one_jump,
				       gap_while_waiting,
				       marks,
				       many_gaps };
	Suite *suite = suite_create("time");
	TCase *cases = tcase_create("time");
	tcase_set_timeout(cases, 60);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(cases, tests[i]);
	suite_add_tcase(suite, cases);
	return suite;
}
