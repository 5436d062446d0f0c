/* SPDX-License-Identifier: MIT */
/* More than one stack in a thread: signal stacks, fibers, stacks that nobody announced. */
#include "tests/analyzer/model_text.h"

#include <check.h>

#define PROGRAM                                                                                                        \
	"module 0 0 /bin/prog; fn main a.c 1; fn f a.c 2; fn g a.c 3; fn h a.c 4; fn i a.c 5;"                         \
	"@ 0 0; 0 stack 0x70000000 0x70800000;"

/* A handler on a stack of its own, at a lower address, runs while f is open: f stays open, and its time stands still.
 */
START_TEST(signal_stack)
{
	const char *scenario = PROGRAM "0 stack 0x10000000 0x10010000; 0 call main 0x707fff00; 10 call f 0x707ffe00;"
				       "20 call h 0x1000ff00; 30 call g 0x1000fe00; 40 ret g 0x1000fe00;"
				       "50 ret h 0x1000ff00; 60 ret f 0x707ffe00; 70 ret main 0x707fff00";
	model_text_expect_tree(scenario, 0,
			       "[not instrumented] 0 0\n"
			       "  [other stack] 0 0\n"
			       "    h 1 20\n"
			       "      g 1 10\n"
			       "  main 1 20\n"
			       "    f 1 20\n");
	model_text_expect_functions(scenario, 0,
				    "[other stack] calls=0 self=0 total=30 min=0 max=0\n"
				    "f calls=1 self=20 total=20 min=20 max=20\n"
				    "g calls=1 self=10 total=10 min=10 max=10\n"
				    "h calls=1 self=20 total=30 min=30 max=30\n"
				    "main calls=1 self=20 total=40 min=40 max=40\n");
}
END_TEST

/* The same where the signal stack lies above: its calls do not end what is open below. */
START_TEST(signal_stack_above)
{
	model_text_expect_tree(PROGRAM
			       "0 stack 0x7f000000 0x7f010000; 0 call main 0x707fff00; 10 call f 0x707ffe00;"
			       "20 call h 0x7f00ff00; 50 ret h 0x7f00ff00; 60 ret f 0x707ffe00; 70 ret main 0x707fff00",
			       0,
			       "[not instrumented] 0 0\n"
			       "  [other stack] 0 0\n"
			       "    h 1 30\n"
			       "  main 1 20\n"
			       "    f 1 20\n");
}
END_TEST

/* Two fibers take turns: each one's frames stay open while the other runs. */
START_TEST(fibers)
{
	model_text_expect_functions(
	    PROGRAM "0 stack 0x20000000 0x20010000; 0 stack 0x20010000 0x20020000;"
		    "0 call main 0x707fff00; 10 call f 0x2000ff00; 20 call g 0x2001ff00;"
		    "30 call h 0x2000fe00; 40 call i 0x2001fe00; 50 ret h 0x2000fe00;"
		    "60 ret f 0x2000ff00; 70 ret i 0x2001fe00; 80 ret g 0x2001ff00; 90 ret main 0x707fff00",
	    0,
	    "[other stack] calls=0 self=0 total=70 min=0 max=0\n"
	    "f calls=1 self=20 total=30 min=30 max=30\n"
	    "g calls=1 self=20 total=40 min=40 max=40\n"
	    "h calls=1 self=10 total=10 min=10 max=10\n"
	    "i calls=1 self=20 total=20 min=20 max=20\n"
	    "main calls=1 self=20 total=20 min=20 max=20\n");
}
END_TEST

/* A signal stack in an array of main's: it is a hole in the stack that it lies in. Functions below and above it, and
 * handlers, take turns. */
START_TEST(stack_within_a_stack)
{
	const char *scenario =
	    PROGRAM "0 call main 0x707fff00; 10 call f 0x707e0000; 20 sigstack 0x707f0000 0x707ff000;"
		    "30 call h 0x707fef00; 40 call g 0x707fee00; 50 ret g 0x707fee00; 60 ret h 0x707fef00;"
		    "70 call g 0x707dff00; 80 call h 0x707fef00; 90 ret h 0x707fef00; 100 ret g 0x707dff00;"
		    "110 ret f 0x707e0000; 120 call h 0x707fef00; 130 ret h 0x707fef00; 140 call i 0x707ff800;"
		    "150 ret i 0x707ff800; 160 call f 0x707e0000; 170 call h 0x707fef00; 180 ret h 0x707fef00;"
		    "190 ret f 0x707e0000; 200 call h 0x707fef00; 210 ret h 0x707fef00; 220 ret main 0x707fff00";
	model_text_expect_tree(scenario, 0,
			       "[not instrumented] 0 0\n"
			       "  main 1 60\n"
			       "    f 2 60\n"
			       "      g 1 20\n"
			       "    i 1 10\n"
			       "  [other stack] 0 0\n"
			       "    h 5 60\n"
			       "      g 1 10\n");
}
END_TEST

/* The bounds of the thread's own stack are of the mapping that it lies in, with a fiber below it in the same. */
START_TEST(stack_at_the_bottom_of_the_mapping)
{
	model_text_expect_functions(
	    PROGRAM "0 call main 0x707fff00; 10 call f 0x707ffe00; 20 stack 0x70000000 0x70010000;"
		    "20 call h 0x7000ff00; 30 call g 0x7000fe00; 40 ret g 0x7000fe00;"
		    "50 call g 0x707ffd00; 60 ret g 0x707ffd00; 70 ret h 0x7000ff00; 80 ret f 0x707ffe00;"
		    "90 ret main 0x707fff00",
	    0,
	    "[other stack] calls=0 self=0 total=30 min=0 max=0\n"
	    "f calls=1 self=30 total=40 min=40 max=40\n"
	    "g calls=2 self=20 total=20 min=10 max=10\n"
	    "h calls=1 self=20 total=30 min=30 max=30\n"
	    "main calls=1 self=20 total=60 min=60 max=60\n");
}
END_TEST

/* All that runs is on a fiber in the mapping that was taken for the thread's stack. */
START_TEST(own_stack_better_known)
{
	model_text_expect_tree(PROGRAM "0 call main 0x7001ff00; 10 stack 0x70010000 0x70020000; 20 call f 0x7001fe00;"
				       "30 stack 0x70020000 0x70030000; 40 call h 0x7002ff00; 50 ret h 0x7002ff00;"
				       "60 ret f 0x7001fe00; 70 ret main 0x7001ff00",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 30\n"
			       "    f 1 30\n"
			       "  [other stack] 0 0\n"
			       "    h 1 10\n");
}
END_TEST

/* A handler on a signal stack leaves by siglongjmp, into a coroutine: its frames are gone, and take no more time,
 * although the coroutine ends and the thread goes back to where it came from. */
START_TEST(siglongjmp_into_a_coroutine)
{
	model_text_expect_tree(
	    PROGRAM "0 stack 0x20000000 0x20010000; 0 sigstack 0x10000000 0x10010000; 0 call main 0x707fff00;"
		    "10 call f 0x2000ff00; 20 call h 0x1000ff00; 30 call g 0x1000fe00; 40 res f 0x2000ff00;"
		    "50 ret f 0x2000ff00; 70 ret main 0x707fff00",
	    0,
	    "[not instrumented] 0 0\n"
	    "  [other stack] 0 0\n"
	    "    f 1 20\n"
	    "    h 1 10\n"
	    "      g 1 10\n"
	    "  main 1 30\n");
	model_text_expect_functions(
	    PROGRAM "0 stack 0x20000000 0x20010000; 0 sigstack 0x10000000 0x10010000;"
		    "0 call main 0x707fff00; 10 call f 0x2000ff00; 20 call h 0x1000ff00;"
		    "30 call g 0x1000fe00; 40 res f 0x2000ff00; 50 call i 0x1000fd00; 60 ret i 0x1000fd00;"
		    "70 ret f 0x2000ff00; 70 ret main 0x707fff00",
	    0,
	    "[other stack] calls=0 self=0 total=60 min=0 max=0\n"
	    "f calls=1 self=30 total=30 min=30 max=30\n"
	    "g calls=1 self=10 total=10 min=10 max=10 unwound=1\n"
	    "h calls=1 self=10 total=20 min=20 max=20 unwound=1\n"
	    "i calls=1 self=10 total=10 min=10 max=10\n"
	    "main calls=1 self=10 total=10 min=10 max=10\n");
}
END_TEST

/* A coroutine made by the trick of a signal handler that called setjmp: it is waiting, not gone. */
START_TEST(coroutine_on_a_signal_stack)
{
	model_text_expect_functions(PROGRAM
				    "0 sigstack 0x10000000 0x10010000; 0 call main 0x707fff00; 10 call h 0x1000ff00;"
				    "20 res h 0x1000ff00; 30 res main 0x707fff00; 40 res h 0x1000ff00;"
				    "50 ret h 0x1000ff00; 60 ret main 0x707fff00",
				    0,
				    "[other stack] calls=0 self=0 total=30 min=0 max=0\n"
				    "h calls=1 self=30 total=30 min=30 max=30\n"
				    "main calls=1 self=30 total=30 min=30 max=30\n");
}
END_TEST

/* A handler announces a stack between the two records that announce another. */
START_TEST(announced_within_an_announcement)
{
	model_text_expect_tree(PROGRAM
			       "0 call main 0x707fff00; 10 lo 0x20000000; 10 stack 0x10000000 0x10010000;"
			       "10 hi 0x20010000; 20 call h 0x1000ff00; 30 call f 0x2000ff00; 40 ret f 0x2000ff00;"
			       "50 ret h 0x1000ff00; 60 ret main 0x707fff00",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 30\n"
			       "  [other stack] 0 0\n"
			       "    h 1 20\n"
			       "    f 1 10\n");
}
END_TEST

/* What is open on a forgotten stack is gone; its memory may be anything then. */
START_TEST(forgotten_stack)
{
	model_text_expect_functions(PROGRAM
				    "0 stack 0x20000000 0x20010000; 0 call main 0x707fff00; 10 call f 0x2000ff00;"
				    "20 forget 0x20000000; 30 ret main 0x707fff00",
				    0,
				    "[other stack] calls=0 self=0 total=10 min=0 max=0\n"
				    "f calls=1 self=10 total=10 min=10 max=10 unwound=1\n"
				    "main calls=1 self=20 total=20 min=20 max=20\n");
}
END_TEST

/* The memory of a stack is announced as another one: what was open on it is gone. */
START_TEST(stack_memory_is_used_again)
{
	model_text_expect_functions(PROGRAM
				    "0 stack 0x20000000 0x20010000; 0 call main 0x707fff00; 10 call f 0x2000ff00;"
				    "20 stack 0x20008000 0x20018000; 30 call g 0x2000ff00; 40 ret g 0x2000ff00;"
				    "50 ret main 0x707fff00",
				    0,
				    "[other stack] calls=0 self=0 total=20 min=0 max=0\n"
				    "f calls=1 self=10 total=10 min=10 max=10 unwound=1\n"
				    "g calls=1 self=10 total=10 min=10 max=10\n"
				    "main calls=1 self=30 total=30 min=30 max=30\n");
}
END_TEST

/* Each sub-buffer repeats the announcement; a stack that has grown downwards is the same. */
START_TEST(announced_again)
{
	model_text_expect_tree(PROGRAM "0 call main 0x707fff00; 10 stack 0x70000000 0x70800000; 20 call f 0x707ffe00;"
				       "30 stack 0x6f000000 0x70800000; 40 call g 0x6fffff00; 50 ret g 0x6fffff00;"
				       "60 ret f 0x707ffe00; 60 ret main 0x707fff00",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 20\n"
			       "    f 1 30\n"
			       "      g 1 10\n");
}
END_TEST

/* Nobody announced the stack that h runs on: it is kept apart, and said to be guessed. */
START_TEST(guessed_stack)
{
	const char *scenario = PROGRAM "0 call main 0x707fff00; 10 call f 0x707ffe00; 20 call h 0x30000000;"
				       "30 call g 0x2fffff00; 40 ret g 0x2fffff00; 50 ret h 0x30000000;"
				       "60 ret f 0x707ffe00; 70 ret main 0x707fff00";
	model_text_expect_tree(scenario, 0,
			       "[not instrumented] 0 0\n"
			       "  main 1 20\n"
			       "    f 1 20\n"
			       "  [guessed stack] 0 0\n"
			       "    h 1 20\n"
			       "      g 1 10\n");
	struct tee_perf_recording *recording = model_text_play(scenario, 0);
	ck_assert_uint_eq(recording->model->tracks[0]->guessed_stacks, 1);
	model_text_free(recording);
}
END_TEST

/* Without any announcement a stack may be long, if it has no large holes. */
START_TEST(one_long_stack_without_bounds)
{
	const char *scenario = "module 0 0 /p; fn main a.c 1; fn f a.c 2; @ 0 0; 0 call main 0x70000000;"
			       "1 call f 0x6ffd0000; 2 call f 0x6ffa0000; 3 call f 0x6ff70000; 4 call f 0x6ff40000;"
			       "5 call f 0x6ff10000; 9 ret main 0x70000000";
	struct tee_perf_recording *recording = model_text_play(scenario, 0);
	ck_assert_uint_eq(recording->model->tracks[0]->guessed_stacks, 0);
	model_text_free(recording);
	model_text_expect_functions(scenario, 0,
				    "f calls=5 self=8 total=8 min=4 max=8 unwound=5\n"
				    "main calls=1 self=1 total=9 min=9 max=9\n");
}
END_TEST

/* The bounds come after the first calls: they are of the stack that these are on. */
START_TEST(announced_late)
{
	model_text_expect_tree(
	    "module 0 0 /p; fn main a.c 1; fn f a.c 2; @ 0 0; 0 call main 0x707fff00; 5 stack 0x70000000 0x70800000;"
	    "10 call f 0x70100000; 20 ret f 0x70100000; 30 ret main 0x707fff00",
	    0,
	    "[not instrumented] 0 0\n"
	    "  main 1 20\n"
	    "    f 1 10\n");
}
END_TEST

START_TEST(lost_records_on_all_stacks)
{
	model_text_expect_functions(PROGRAM
				    "0 stack 0x10000000 0x10010000; 0 call main 0x707fff00; 10 call f 0x707ffe00;"
				    "20 call h 0x1000ff00; 30 lost 3; 40 ret h 0x1000ff00; 50 ret f 0x707ffe00;"
				    "60 ret main 0x707fff00",
				    0,
				    "[after lost records] calls=0 self=40 total=40 min=0 max=0\n"
				    "[other stack] calls=0 self=0 total=20 min=0 max=0\n"
				    "f calls=1 self=10 total=20 min=0 max=0 unconfirmed=1\n"
				    "h calls=1 self=0 total=20 min=0 max=0 unconfirmed=1\n"
				    "main calls=1 self=10 total=40 min=0 max=0 unconfirmed=1\n");
}
END_TEST

/* A server makes fibers for as long as it runs: those that are over make room for those that come. */
START_TEST(fibers_without_end)
{
	struct tee_perf_model *model = tee_perf_model_new();
	struct tee_perf_track *track = tee_perf_model_track(model, 0, 0);
	for (uint64_t i = 0; i < 3 * (uint64_t)TEE_PERF_STACKS_MAX; i++) {
		uint64_t lo = i * 0x10000, cfa = (lo + 0xff00) & UINT32_MAX;
		struct tee_perf_record records[] = {
			{ UINT64_C(6) << 61 | i, lo << 8 | TEE_PERF_META_STACK_LO },
			{ UINT64_C(6) << 61 | i, (lo + 0x10000) << 8 | TEE_PERF_META_STACK_HI },
			{ UINT64_C(1) << 61 | i, cfa << 32 | 0x100 },
			{ UINT64_C(3) << 61 | i, cfa << 32 | 0x100 },
		};
		tee_perf_track_feed(track, records, 4);
	}
	ck_assert_uint_le(track->stack_count, TEE_PERF_STACKS_MAX);
	ck_assert_uint_eq(track->guessed_stacks, 0);
	ck_assert_uint_eq(track->counts.orphan_returns, 0);
	ck_assert_int_eq(tee_perf_model_finish(model, 0, NULL), 0);
	tee_perf_model_free(model);
}
END_TEST

/* Hostile: more stacks than there is room for, and bounds that make no sense. */
START_TEST(stacks_are_bounded)
{
	struct tee_perf_model *model = tee_perf_model_new();
	struct tee_perf_track *track = tee_perf_model_track(model, 0, 0);
	for (uint64_t i = 0; i < 20000; i++) {
		struct tee_perf_record records[] = {
			{ UINT64_C(6) << 61 | i, (i * 0x20000) << 8 | TEE_PERF_META_STACK_LO },
			{ UINT64_C(6) << 61 | i, (i * 0x20000 + 0x10000) << 8 | TEE_PERF_META_STACK_HI },
			{ UINT64_C(1) << 61 | i, (i * 0x20000 + 0xff00) << 32 | 0x100 },
			{ UINT64_C(6) << 61 | i, (i << 40) | TEE_PERF_META_STACK_HI },
			{ UINT64_C(1) << 61 | i, i * UINT64_C(0x9e3779b97f4a7c15) },
		};
		tee_perf_track_feed(track, records, 5);
	}
	ck_assert_uint_le(track->stack_count, TEE_PERF_STACKS_MAX);
	ck_assert_uint_le(track->guessed_count, TEE_PERF_STACKS_GUESSED);
	ck_assert_int_eq(tee_perf_model_finish(model, 0, NULL), 0);
	tee_perf_model_free(model);
}
END_TEST

Suite *stacks_suite(void)
{
	const TTest *const tests[] = { signal_stack,
				       signal_stack_above,
				       fibers,
				       stack_within_a_stack,
				       stack_at_the_bottom_of_the_mapping,
				       own_stack_better_known,
				       siglongjmp_into_a_coroutine,
				       coroutine_on_a_signal_stack,
				       announced_within_an_announcement,
				       forgotten_stack,
				       stack_memory_is_used_again,
				       announced_again,
				       guessed_stack,
				       one_long_stack_without_bounds,
				       announced_late,
				       lost_records_on_all_stacks,
				       fibers_without_end,
				       stacks_are_bounded };
	Suite *suite = suite_create("stacks");
	TCase *cases = tcase_create("stacks");
	tcase_set_timeout(cases, 60);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(cases, tests[i]);
	suite_add_tcase(suite, cases);
	return suite;
}
