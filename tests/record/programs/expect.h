/* SPDX-License-Identifier: MIT */
/* Programs that count for themselves: each line "expect <function> <calls>" is what the report must say. */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>

#define NOT_INSTRUMENTED __attribute__((no_instrument_function))
#define KEPT             __attribute__((noinline))

static inline NOT_INSTRUMENTED void expect(const char *function, unsigned long calls)
{
	printf("expect %s %lu\n", function, calls);
}

#endif
