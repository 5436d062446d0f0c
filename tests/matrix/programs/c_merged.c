/* SPDX-License-Identifier: MIT */
/* What linkers drop and merge: functions that nobody calls, functions of equal code, one weak function in two files
 * (the other is in c_merged_too.c). Each that runs must show under its own name, once. */
#include "program.h"

#include <stdio.h>

int merged_weak(int x);
int merged_too(int x);

__attribute__((weak)) KEPT int merged_weak(int x)
{
	ENTER;
	return x + 40;
}

int never_called(int x);
KEPT int never_called(int x)
{
	ENTER;
	return merged_weak(x) * 2;
}

int calls_never_called(int x);
KEPT int calls_never_called(int x)
{
	ENTER;
	return never_called(x) + 1;
}

/* The same code: the name comes from outside. */
int twin_one(int x, const char *name);
int twin_two(int x, const char *name);
KEPT int twin_one(int x, const char *name)
{
	ENTER_AS(name);
	return x * 17 + 3;
}

KEPT int twin_two(int x, const char *name)
{
	ENTER_AS(name);
	return x * 17 + 3;
}

void merged_case(void)
{
	ENTER;
	printf("merged %d %d\n", merged_weak(1), merged_too(2));
	printf("twins %d %d %d\n", twin_one(1, "twin_one"), twin_two(2, "twin_two"), twin_one(3, "twin_one"));
}
