/* SPDX-License-Identifier: MIT */
/* A fuzz target is one function, as libFuzzer and regression_driver.c call it. */
#ifndef TEE_PERF_TESTS_FUZZ_H
#define TEE_PERF_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, but never compiled out. */
#define EXPECT(condition)                                                                                              \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                        \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

#endif
