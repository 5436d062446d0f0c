/* SPDX-License-Identifier: MIT */
/* Recursion one million deep, and back. */
#include "../../record/programs/expect.h"

#define DEPTH 1000000

static volatile unsigned sink;

KEPT static unsigned down(unsigned depth)
{
	unsigned below = depth > 0 ? down(depth - 1) : 0;

	sink++; /* no tail call */
	return below + 1;
}

int main(void)
{
	expect("down", DEPTH + 1);
	return down(DEPTH) != DEPTH + 1;
}
