/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>

Suite *frames_suite(void);
Suite *time_suite(void);
Suite *stacks_suite(void);
Suite *profile_suite(void);
Suite *damage_suite(void);
Suite *holes_suite(void);
Suite *paths_suite(void);
Suite *walk_suite(void);
Suite *texts_suite(void);

int main(void)
{
	SRunner *runner = srunner_create(frames_suite());
	srunner_add_suite(runner, time_suite());
	srunner_add_suite(runner, stacks_suite());
	srunner_add_suite(runner, profile_suite());
	srunner_add_suite(runner, damage_suite());
	srunner_add_suite(runner, holes_suite());
	srunner_add_suite(runner, paths_suite());
	srunner_add_suite(runner, walk_suite());
	srunner_add_suite(runner, texts_suite());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
