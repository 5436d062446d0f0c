/* SPDX-License-Identifier: MIT */
#include "part.h"

__attribute__((noinline)) int part_step(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

int part_run(int rounds)
{
	int x = 0;

	for (int i = 0; i < rounds; i++)
		x = part_step(x);
	return x;
}
