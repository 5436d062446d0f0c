/* SPDX-License-Identifier: MIT */
/* Random streams by the fast and by the general path. */
#include "tests/analyzer/feed_compare.h"

#include <check.h>

START_TEST(fast_path_is_the_general_path)
{
	enum { STREAMS = 300, BYTES = 4000 };
	static uint8_t bytes[BYTES];
	uint64_t random = 1;
	for (unsigned i = 0; i < STREAMS; i++) {
		for (size_t j = 0; j < BYTES; j++) {
			random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			bytes[j] = (uint8_t)(random >> 56);
		}
		ck_assert_msg(feed_compare(bytes, BYTES - i), "stream %u", i);
	}
}
END_TEST

Suite *paths_suite(void)
{
	Suite *suite = suite_create("paths");
	TCase *cases = tcase_create("paths");
	tcase_set_timeout(cases, 120);
	tcase_add_test(cases, fast_path_is_the_general_path);
	suite_add_tcase(suite, cases);
	return suite;
}
