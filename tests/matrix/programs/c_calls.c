/* SPDX-License-Identifier: MIT */
/* Plain calls: recursion, inlined functions, pointers, variable arguments, callbacks of the C library, weak functions
 * and aliases, functions that run before and after main. */
#include "program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Left to the optimiser: inlined or not, here and there. */
static int small(int x)
{
	ENTER;
	return x * 3 + 1;
}

static inline int smaller(int x)
{
	ENTER;
	return small(x) - small(x + 1);
}

__attribute__((always_inline)) static inline int always(int x)
{
	ENTER;
	return smaller(x) ^ 5;
}

KEPT static int fibonacci(int n)
{
	ENTER;
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

KEPT static int ackermann(int m, int n)
{
	ENTER;
	if (m == 0)
		return small(n) - 2 * n;
	return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

KEPT static int sum(int count, ...)
{
	ENTER;
	va_list arguments;
	double total = 0;

	va_start(arguments, count);
	for (int i = 0; i < count; i++)
		total += i % 2 ? va_arg(arguments, double) : va_arg(arguments, int);
	va_end(arguments);
	return (int)total;
}

KEPT static int twice(int x)
{
	ENTER;
	return 2 * x;
}

KEPT static int thrice(int x)
{
	ENTER;
	return always(x);
}

KEPT static int through_pointer(int (*const *table)(int), unsigned count)
{
	ENTER;
	int result = 0;

	for (unsigned i = 0; i < count; i++)
		result = 7 * result + table[i]((int)i);
	return result;
}

KEPT static int compare(const void *a, const void *b)
{
	ENTER;
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

KEPT static int sorted(void)
{
	ENTER;
	int numbers[] = { 5, 3, 9, 1, 7, 2, 8 }, wanted = 7;

	qsort(numbers, 7, sizeof *numbers, compare);
	return (int)((int *)bsearch(&wanted, numbers, 7, sizeof *numbers, compare) - numbers);
}

__attribute__((weak)) int weak_one(int x);
__attribute__((weak)) KEPT int weak_one(int x)
{
	ENTER;
	return x + 11;
}

int real_name(int x);
KEPT int real_name(int x)
{
	ENTER;
	return x - 11;
}
int other_name(int x) __attribute__((alias("real_name")));

KEPT static int keeps_errno(int value)
{
	ENTER;
	errno = value;
	return errno;
}

__attribute__((constructor)) KEPT static void before_main(void)
{
	ENTER;
	small(1);
}

__attribute__((destructor)) KEPT static void after_main(void)
{
	ENTER;
	small(2);
}

KEPT static void at_exit(void)
{
	ENTER;
	small(3);
}

void calls_case(void)
{
	ENTER;
	int (*const table[])(int) = { twice, thrice, small, fibonacci };
	int saved;

	atexit(at_exit);
	printf("fibonacci %d ackermann %d\n", fibonacci(7), ackermann(2, 2));
	printf("sum %d pointers %d sorted %d\n", sum(4, 1, 2.5, 3, 4.5), through_pointer(table, 4), sorted());
	printf("weak %d alias %d always %d\n", weak_one(1), other_name(1), always(4));
	saved = keeps_errno(EILSEQ);
	printf("errno %d\n", saved == EILSEQ && errno == EILSEQ);
}

KEPT static void leaves(int depth)
{
	ENTER;
	if (depth == 0)
		exit(small(1) - 2);
	leaves(depth - 1);
	printf("never here\n");
}

void exit_case(void)
{
	ENTER;
	atexit(at_exit);
	leaves(5);
}
