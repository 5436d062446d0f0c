/* SPDX-License-Identifier: MIT */
/* What the test programs may ask the counting hooks. */
#ifndef TEE_PERF_TESTS_COUNT_HOOKS_H
#define TEE_PERF_TESTS_COUNT_HOOKS_H

#ifdef __cplusplus
extern "C" {
#endif
/* Calls of the function so far, by its linkage name. */
unsigned long count_hooks_calls(const char *name);
/* The CFA of the innermost open frame. */
const void *count_hooks_cfa(void);
#ifdef __cplusplus
}
#endif
#endif
