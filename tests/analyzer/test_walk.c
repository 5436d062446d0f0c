/* SPDX-License-Identifier: MIT */
/* Stacks that were walked when recording began or resumed in the middle. */
#include "tests/analyzer/model_text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define PROGRAM "module 0 0 /bin/prog; fn main a.c 1; fn f a.c 2; fn g a.c 3; fn h a.c 4; @ 0 0;"

/* The frames have no calls of their own, and end by their returns. */
START_TEST(begins_deep_in_the_stack)
{
	model_text_expect_tree(PROGRAM "100 frame g 800; 100 frame f 900; 100 frame main 1000; 100 walked 1;"
				       "100 call h 700; 110 ret h 700; 120 ret g 800; 130 call h 800; 140 ret h 800;"
				       "150 ret f 900; 160 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 0 10\n"
			       "    f 0 20\n"
			       "      g 0 10\n"
			       "        h 1 10\n"
			       "      h 1 10\n");
	model_text_expect_functions(PROGRAM "100 frame f 900; 100 frame main 1000; 100 walked 1; 110 ret f 900;"
					    "120 ret main 1000",
				    0,
				    "f calls=0 self=10 total=10 min=0 max=0 unconfirmed=1\n"
				    "main calls=0 self=10 total=20 min=0 max=0 unconfirmed=1\n");
}
END_TEST

/* What was open and is no more ended in the pause; what still is goes on; the time between belongs to nobody. */
START_TEST(resumes_in_another_function)
{
	model_text_expect_tree(PROGRAM "0 call main 1000; 10 call f 900; 20 call g 800; 30 off;"
				       "100 frame h 800; 100 frame f 900; 100 frame main 1000; 100 walked 1; 100 on;"
				       "110 call g 700; 120 ret g 700; 130 ret h 800; 140 ret f 900; 150 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 20\n"
			       "    f 1 20\n"
			       "      g 1 10\n"
			       "      h 0 20\n"
			       "        g 1 10\n");
}
END_TEST

/* Beyond the end of a walk that is not whole nothing is known: main may be open still. */
START_TEST(a_cut_walk_leaves_what_lies_beyond)
{
	const char *scenario =
	    PROGRAM "0 call main 1000; 10 call f 900; 20 off; 100 frame h 800; 100 walked %d; 100 on;"
		    "110 ret h 800; 120 ret main 1000";
	char text[512];
	snprintf(text, sizeof text, scenario, 0);
	model_text_expect_tree(text, 0,
			       "[not instrumented] 0 0\n"
			       "  main 1 10\n"
			       "    f 1 20\n"
			       "      h 0 10\n");
	snprintf(text, sizeof text, scenario, 1);
	model_text_expect_tree(text, 0,
			       "[not instrumented] 0 10\n"
			       "  main 1 10\n"
			       "    f 1 10\n"
			       "  h 0 10\n");
}
END_TEST

/* As if there had been none. */
START_TEST(an_invalid_walk_is_not_used)
{
	model_text_expect_tree(PROGRAM
			       "0 call main 1000; 10 off; 100 frame h 800; 100 walked 2; 100 on; 110 call g 700;"
			       "120 ret g 700; 130 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 1 10\n"
			       "    [after a pause] 0 20\n"
			       "      g 1 10\n");
}
END_TEST

/* gcc's hooks: what was inlined in a walked function returns at its CFA, and does not end it. */
START_TEST(an_inlined_function_returns_into_a_walked_one)
{
	model_text_expect_tree(PROGRAM "100 frame f 900; 100 frame main 1000; 100 walked 1; 110 ret g 900;"
				       "110 call h 800; 120 ret h 800; 130 ret f 900; 140 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 0 10\n"
			       "    f 0 20\n"
			       "      h 1 10\n");
}
END_TEST

/* Records are lost later: then the walked frames are in doubt as any other. */
START_TEST(lost_records_after_a_walk)
{
	model_text_expect_tree(PROGRAM "100 frame f 900; 100 frame main 1000; 100 walked 1; 110 call g 800;"
				       "120 lost 5; 130 call h 700; 140 ret h 700; 150 ret main 1000",
			       0,
			       "[not instrumented] 0 0\n"
			       "  main 0 0\n"
			       "    f 0 10\n"
			       "      g 1 0\n"
			       "        [after lost records] 0 30\n"
			       "          h 1 10\n");
}
END_TEST

/* Frames without an end, an end without frames, a CFA without an address. */
START_TEST(broken_walks)
{
	model_text_expect_tree(PROGRAM "0 walked 1; 0 frame f 900; 0 call main 1000; 10 walked 1; 20 ret f 900;"
				       "30 ret main 1000",
			       0,
			       "[not instrumented] 0 10\n"
			       "  main 1 10\n"
			       "  f 0 10\n");
}
END_TEST

Suite *walk_suite(void)
{
	const TTest *const tests[] = {
		begins_deep_in_the_stack,
		resumes_in_another_function,
		a_cut_walk_leaves_what_lies_beyond,
		an_invalid_walk_is_not_used,
		an_inlined_function_returns_into_a_walked_one,
		lost_records_after_a_walk,
		broken_walks,
	};
	Suite *suite = suite_create("walk");
	TCase *tcase = tcase_create("walk");
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}
