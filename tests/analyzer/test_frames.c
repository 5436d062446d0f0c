/* SPDX-License-Identifier: MIT */
/* Which frames are open after which records. */
#include "tests/analyzer/model_text.h"
#include "tests/analyzer/scenario.h"

#include <check.h>
#include <stdlib.h>

#define PROGRAM "module 0 0 /bin/prog; fn main a.c 1; fn f a.c 2; fn g a.c 3; fn h a.c 4; @ 0 0;"

START_TEST(calls_and_returns)
{
	model_text_expect_tree(PROGRAM "0 call main 1000; 10 call f 900; 30 ret f 900; 35 call f 900; 40 ret f 900;"
				       "60 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 35\n"
			       "    f 2 25\n");
}
END_TEST

START_TEST(recursion_counts_once)
{
	model_text_expect_functions(PROGRAM
				    "0 call main 1000; 0 call f 900; 10 call f 800; 20 call f 700; 30 ret f 700;"
				    "40 ret f 800; 50 ret f 900; 60 ret main 1000",
				    0,
				    "f calls=3 self=50 total=50 min=10 max=50\n"
				    "main calls=1 self=10 total=60 min=60 max=60\n");
}
END_TEST

START_TEST(mutual_recursion_counts_once)
{
	model_text_expect_functions(PROGRAM "0 call f 900; 10 call g 800; 20 call f 700; 30 call g 600; 40 ret g 600;"
					    "40 ret f 700; 40 ret g 800; 40 ret f 900",
				    0,
				    "f calls=2 self=20 total=40 min=20 max=40\n"
				    "g calls=2 self=20 total=30 min=10 max=30\n");
}
END_TEST

/* An exception leaves g and f; the next record is a call by main at the place of f. */
START_TEST(call_ends_frames_at_or_below_it)
{
	model_text_expect_tree(PROGRAM "0 call main 1000; 10 call f 900; 20 call g 800; 30 call h 900; 50 ret h 900;"
				       "60 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 20\n"
			       "    f 1 10\n"
			       "      g 1 10\n"
			       "    h 1 20\n");
	model_text_expect_functions(PROGRAM
				    "0 call main 1000; 10 call f 900; 20 call g 800; 30 call h 900; 50 ret h 900;"
				    "60 ret main 1000",
				    0,
				    "f calls=1 self=10 total=20 min=20 max=20 unwound=1\n"
				    "g calls=1 self=10 total=10 min=10 max=10 unwound=1\n"
				    "h calls=1 self=20 total=20 min=20 max=20\n"
				    "main calls=1 self=20 total=60 min=60 max=60\n");
}
END_TEST

START_TEST(return_ends_frames_below_it)
{
	model_text_expect_functions(PROGRAM "0 call main 1000; 10 call f 900; 20 call g 800; 40 ret main 1000", 0,
				    "f calls=1 self=10 total=30 min=30 max=30 unwound=1\n"
				    "g calls=1 self=20 total=20 min=20 max=20 unwound=1\n"
				    "main calls=1 self=10 total=40 min=40 max=40\n");
}
END_TEST

/* longjmp to main from a deep recursion of f, then main calls g. */
START_TEST(longjmp_out_of_recursion)
{
	model_text_expect_tree(PROGRAM "0 call main 1000; 0 call f 900; 0 call f 800; 0 call f 700; 10 res main 1000;"
				       "30 call g 900; 35 ret g 900; 40 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 25\n"
			       "    f 1 0\n"
			       "      f 1 0\n"
			       "        f 1 10\n"
			       "    g 1 5\n");
}
END_TEST

/* An inlined call shares the CFA of its host; the host goes on after it. */
START_TEST(inlined_calls_share_a_cfa)
{
	model_text_expect_tree(PROGRAM "0 call main 1000; 10 inl f 1000; 20 inl g 1000; 30 ret g 1000; 40 ret f 1000;"
				       "50 inl f 1000; 55 call h 900; 60 ret h 900; 60 ret f 1000; 70 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 30\n"
			       "    f 2 25\n"
			       "      g 1 10\n"
			       "      h 1 5\n");
}
END_TEST

/* The host returns while inlined frames are open: they were left by other means. */
START_TEST(host_return_ends_inlined_frames)
{
	model_text_expect_functions(PROGRAM "0 call main 1000; 10 inl f 1000; 20 inl g 1000; 30 ret main 1000", 0,
				    "f calls=1 self=10 total=20 min=20 max=20 unwound=1\n"
				    "g calls=1 self=10 total=10 min=10 max=10 unwound=1\n"
				    "main calls=1 self=10 total=30 min=30 max=30\n");
}
END_TEST

START_TEST(resync_keeps_inlined_host)
{
	model_text_expect_tree(PROGRAM "0 call main 1000; 0 inl f 1000; 10 call g 900; 20 res f 1000; 40 ret f 1000;"
				       "50 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 10\n"
			       "    f 1 30\n"
			       "      g 1 10\n");
}
END_TEST

START_TEST(cfa_wraps_around)
{
	model_text_expect_tree(PROGRAM
			       "0 call main 0x100; 10 call f 0xffffff00; 20 call g 0xfffffe00; 30 ret g 0xfffffe00;"
			       "30 ret f 0xffffff00; 40 call h 0xffffff00; 50 ret h 0xffffff00; 50 ret main 0x100",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 20\n"
			       "    f 1 10\n"
			       "      g 1 10\n"
			       "    h 1 10\n");
}
END_TEST

START_TEST(open_at_the_end)
{
	model_text_expect_functions(PROGRAM "0 call main 1000; 10 call f 900", 100,
				    "f calls=1 self=90 total=90 min=90 max=90 open=1\n"
				    "main calls=1 self=10 total=100 min=100 max=100 open=1\n");
	model_text_expect_functions(PROGRAM "0 call main 1000; 10 call f 900; 30 ret f 900", 0,
				    "f calls=1 self=20 total=20 min=20 max=20\n"
				    "main calls=1 self=10 total=30 min=30 max=30 open=1\n");
}
END_TEST

/* A thread that has ended does not go on to the end of the recording. */
START_TEST(ended_thread_stays_ended)
{
	model_text_expect_functions(PROGRAM "0 call main 1000; 10 call f 900; 30 done", 100,
				    "f calls=1 self=20 total=20 min=20 max=20 unwound=1\n"
				    "main calls=1 self=10 total=30 min=30 max=30 unwound=1\n");
	model_text_expect_tree(PROGRAM "0 call main 1000; 20 ret main 1000", 100,
			       "[not instrumented] 0 0\n"
			       "  main 1 20\n");
}
END_TEST

/* exec ends the first process where the second one of its pid begins; of another process only its records are known. */
START_TEST(ended_processes_stay_ended)
{
	struct tee_perf_model *model = tee_perf_model_new();
	struct scenario_sink sink = scenario_model_sink(model);
	ck_assert_int_eq(
	    scenario_play("process 0 7 - sh; @ 0 0; 0 call a 1000; @ 1 0; 40 call b 1000; process 1 7 - prog;"
			  "process 2 8 0 child; @ 2 0; 50 call c 1000; @ 2 1; 60 call d 1000;"
			  "@ 1 0; 70 call e 900",
			  &sink),
	    0);
	ck_assert_int_eq(tee_perf_model_finish(model, 100, NULL), 0);
	static const uint64_t ends[] = { 40, 100, 60, 60 };
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(model->tracks[i]->now_ns, ends[i]);
	tee_perf_model_free(model);
}
END_TEST

/* Functions that were open before the recording: their returns tell who they were. */
START_TEST(returns_without_calls)
{
	model_text_expect_tree(PROGRAM "0 call h 700; 10 ret h 700; 20 ret g 800; 25 call h 800; 30 ret h 800;"
				       "40 ret f 900; 60 ret main 1000; 65 call f 1000; 70 ret f 1000",
			       0,
			       "[not instrumented] 0 5\n"
			       "  main 0 20\n"
			       "    f 0 15\n"
			       "      g 0 10\n"
			       "        h 1 10\n"
			       "      h 1 5\n"
			       "  f 1 5\n");
	struct tee_perf_recording *recording =
	    model_text_play(PROGRAM "0 call h 700; 10 ret h 700; 20 ret g 800; 40 ret f 900", 0);
	ck_assert_uint_eq(recording->model->tracks[0]->counts.orphan_returns, 2);
	model_text_free(recording);
}
END_TEST

/* A return at a CFA that was used before names no outer function: its call was lost. */
START_TEST(orphan_return_at_the_same_height)
{
	model_text_expect_tree(PROGRAM "0 call f 900; 10 ret f 900; 20 ret g 900; 30 call f 900; 35 ret f 900", 0,
			       "[not instrumented] 0 20\n"
			       "  f 2 15\n");
}
END_TEST

START_TEST(unknown_kinds_are_counted)
{
	static const struct tee_perf_record records[] = { { 0, 0 },
							  { UINT64_C(7) << 61 | 5, 1 },
							  { UINT64_C(6) << 61 | 6, 0xff } };
	struct tee_perf_model *model = tee_perf_model_new();
	struct tee_perf_track *track = tee_perf_model_track(model, 0, 0);
	tee_perf_track_feed(track, records, 3);
	ck_assert_uint_eq(track->counts.unknown, 3);
	tee_perf_model_free(model);
}
END_TEST

START_TEST(a_million_deep)
{
	enum { DEPTH = 1000000 };
	struct tee_perf_record *records = calloc(2 * DEPTH, sizeof *records);
	for (uint32_t i = 0; i < DEPTH; i++) {
		uint64_t w1 = (uint64_t)(0xf0000000u - 64 * i) << 32 | 0x1000;
		records[i] = (struct tee_perf_record){ UINT64_C(1) << 61 | i, w1 };
		records[2 * DEPTH - 1 - i] = (struct tee_perf_record){ UINT64_C(3) << 61 | (2 * DEPTH - i), w1 };
	}
	struct tee_perf_model *model = tee_perf_model_new();
	tee_perf_track_feed(tee_perf_model_track(model, 0, 0), records, 2 * DEPTH);
	ck_assert_int_eq(tee_perf_model_finish(model, 0, NULL), 0);
	ck_assert_uint_eq(model->tracks[0]->cct.count, DEPTH + 2);
	ck_assert_uint_eq(model->tracks[0]->counts.too_deep, 0);
	ck_assert_uint_eq(model->tracks[0]->cct.functions[TEE_PERF_PSEUDO_COUNT].max_ns, 2 * DEPTH);
	tee_perf_model_free(model);
	free(records);
}
END_TEST

/* Two modules at the same addresses, one after the other. */
START_TEST(addresses_change_their_module)
{
	model_text_expect_tree("module 0 0 /lib/a.so at 0x7f0000000000; fn f a.c 1; @ 0 0; 0 call f 900; 10 ret f 900;"
			       "20 call f 900; 30 ret f 900; unload 0 0 40; 50 call f 900; 55 ret f 900;"
			       "module 0 1 /lib/b.so at 0x7f0000000000; fn g b.c 1; 60 call g 900; 63 ret g 900;"
			       "70 call g 900; 77 ret g 900",
			       0,
			       "[not instrumented] 0 42\n"
			       "  f 3 25\n"
			       "  g 2 10\n");
}
END_TEST

Suite *frames_suite(void)
{
	const TTest *const tests[] = { calls_and_returns,
				       recursion_counts_once,
				       mutual_recursion_counts_once,
				       call_ends_frames_at_or_below_it,
				       return_ends_frames_below_it,
				       longjmp_out_of_recursion,
				       inlined_calls_share_a_cfa,
				       host_return_ends_inlined_frames,
				       resync_keeps_inlined_host,
				       cfa_wraps_around,
				       open_at_the_end,
				       ended_thread_stays_ended,
				       ended_processes_stay_ended,
				       returns_without_calls,
				       orphan_return_at_the_same_height,
				       unknown_kinds_are_counted,
				       a_million_deep,
				       addresses_change_their_module };
	Suite *suite = suite_create("frames");
	TCase *cases = tcase_create("frames");
	tcase_set_timeout(cases, 60);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(cases, tests[i]);
	suite_add_tcase(suite, cases);
	return suite;
}
