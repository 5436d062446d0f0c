/* SPDX-License-Identifier: MIT */
#include "suites.h"

int main(void)
{
	SRunner *runner = srunner_create(text_suite());
	srunner_add_suite(runner, tree_suite());
	srunner_add_suite(runner, folded_suite());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
