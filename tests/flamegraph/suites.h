/* SPDX-License-Identifier: MIT */
#ifndef TEE_PERF_TESTS_FLAMEGRAPH_SUITES_H
#define TEE_PERF_TESTS_FLAMEGRAPH_SUITES_H

#include <check.h>

Suite *text_suite(void);
Suite *tree_suite(void);
Suite *folded_suite(void);

#endif
