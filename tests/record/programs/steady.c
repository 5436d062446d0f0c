/* SPDX-License-Identifier: MIT */
/* Calls for a while: argument 1 is how many million times; exits with argument 2. Says when it is at it. */
#include "expect.h"

#include <stdlib.h>

KEPT static int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

int main(int argc, char **argv)
{
	long millions = argc > 1 ? atol(argv[1]) : 1;
	int x = 1;

	for (long i = 0; i < millions * 1000000; i++) {
		x = leaf(x);
		if (i == 100000) {
			puts("begun");
			fflush(stdout);
		}
	}
	expect("leaf", (unsigned long)millions * 1000000);
	fflush(stdout);
	return argc > 2 ? atoi(argv[2]) : x == 0;
}
