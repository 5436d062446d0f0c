/* SPDX-License-Identifier: MIT */
/* What an exception or a longjmp left is open no more, also to code without hooks that calls back from deeper on the
 * stack than the frames that were left, and where hooks of several functions share a frame. */
#include "../../record/programs/expect.h"

#include <setjmp.h>
#include <stdlib.h>

static volatile unsigned sink;
static jmp_buf back;

extern "C" {

KEPT int compare(const void *, const void *)
{
	sink = sink + 1;
	return 0;
}

/* The C library calls back from below its own frames. */
KEPT void calls_back(void)
{
	int two[2] = { 2, 1 };

	qsort(two, 2, sizeof *two, compare);
	sink = sink + 1;
}

NOT_INSTRUMENTED static inline __attribute__((always_inline)) void sorts(void)
{
	int two[2] = { 2, 1 };

	qsort(two, 2, sizeof *two, compare);
}

KEPT void leaves(int depth, int by_jump)
{
	if (depth > 0)
		leaves(depth - 1, by_jump);
	else if (by_jump)
		longjmp(back, 1);
	else
		throw 1;
	sink = sink + 1;
}

/* Inlined where that is allowed. */
static inline void throws_inline(int wanted)
{
	if (wanted)
		throw wanted;
	sink = sink + 1;
}

KEPT void jumped(void)
{
	if (setjmp(back) == 0)
		leaves(2, 1);
	sorts();
	calls_back();
}

KEPT void caught(void)
{
	try {
		leaves(2, 0);
	} catch (int) {
		sorts();
		calls_back();
	}
}

KEPT void caught_inline(void)
{
	try {
		throws_inline((int)sink);
	} catch (int) {
		calls_back();
	}
	sink = sink + 1;
}
}

int main(void)
{
	for (int i = 0; i < 10; i++) {
		jumped();
		caught();
		caught_inline();
	}
	expect("jumped", 10);
	expect("leaves", 60);
	return 0;
}
