/* SPDX-License-Identifier: MIT */
/* Tail calls. Those that the source demands, those that the optimiser makes, and those that it must not make. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

#define MUST __attribute__((musttail))

KEPT static int leaf(int x)
{
	ENTER;
	return x + 1;
}

KEPT static int end(int x)
{
	ENTER_TAIL;
	int result = leaf(x);

	LEAVE;
	return result;
}

KEPT static int must_odd(int n);
KEPT static int must_even(int n)
{
	ENTER_TAIL;
	leaf(n);
	if (n == 0) {
		LEAVE;
		return 1;
	}
	TAIL;
	MUST return must_odd(n - 1);
}

KEPT static int must_odd(int n)
{
	ENTER_TAIL;
	if (n == 0) {
		LEAVE;
		return 0;
	}
	TAIL;
	MUST return must_even(n - 1);
}

KEPT static int must_pointer(int n, int (*next)(int))
{
	ENTER_TAIL;
	if (n == 0) {
		TAIL;
		return next(7);
	}
	TAIL;
	MUST return must_pointer(n - 1, next);
}

KEPT static int direct(int x)
{
	ENTER_TAIL;
	leaf(x);
	TAIL;
	return end(x + 1);
}

KEPT static int conditional(int x)
{
	ENTER_TAIL;
	if (x > 2) {
		TAIL;
		return end(x);
	}
	leaf(x);
	LEAVE;
	return -x;
}

/* One return that several calls share. */
KEPT static int chosen(int x)
{
	ENTER_TAIL;
	int result;

	switch (x) {
	case 0:
		TAIL;
		result = end(1);
		break;
	case 1:
		TAIL;
		result = direct(2);
		break;
	case 2:
		TAIL;
		result = conditional(3);
		break;
	default:
		result = leaf(4);
		LEAVE;
		break;
	}
	return result;
}

static int (*volatile pointer)(int) = direct;

KEPT static int indirect(int x)
{
	ENTER_TAIL;
	TAIL;
	return pointer(x);
}

KEPT static int self(int n, int sum)
{
	ENTER_TAIL;
	leaf(n);
	if (n == 0) {
		LEAVE;
		return sum;
	}
	TAIL;
	return self(n - 1, sum + n);
}

KEPT static int mutual_odd(int n);
KEPT static int mutual_even(int n)
{
	ENTER_TAIL;
	if (n == 0) {
		LEAVE;
		return 1;
	}
	TAIL;
	return mutual_odd(n - 1);
}

KEPT static int mutual_odd(int n)
{
	ENTER_TAIL;
	leaf(n);
	if (n == 0) {
		LEAVE;
		return 0;
	}
	TAIL;
	return mutual_even(n - 1);
}

KEPT static void nothing(int *x)
{
	ENTER;
	*x += leaf(*x);
}

KEPT static void returns_nothing(int *x)
{
	ENTER_TAIL;
	TAIL;
	nothing(x);
}

/* Its callee sees a variable of this function: no jump. */
KEPT static void lends(int x)
{
	ENTER_TAIL;
	TAIL;
	nothing(&x);
}

KEPT static char narrow(int x)
{
	ENTER;
	return (char)leaf(x);
}

/* The result must be extended first: no jump. */
KEPT static int widens(int x)
{
	ENTER;
	return narrow(x);
}

KEPT static long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	ENTER;
	return a + b + c + d + e + f + g + h + i + j;
}

/* Arguments on the stack; whether that is a jump is up to the target. */
KEPT static long passes_many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	ENTER_TAIL;
	TAIL;
	return many(j, i, h, g, f, e, d, c, b, a);
}

KEPT static long grows(long a)
{
	ENTER_TAIL;
	TAIL;
	return many(a, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

void tails_case(void)
{
	ENTER;
	int x = 5;

	printf("must %d %d %d\n", must_even(10), must_odd(6), must_pointer(4, end));
	printf("direct %d conditional %d %d indirect %d\n", direct(1), conditional(1), conditional(3), indirect(4));
	for (int i = 0; i < 4; i++)
		printf("chosen %d\n", chosen(i));
	printf("self %d mutual %d %d\n", self(6, 0), mutual_even(7), mutual_odd(5));
	returns_nothing(&x);
	lends(x);
	printf("nothing %d widens %d many %ld %ld\n", x, widens(130), passes_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
	       grows(3));
}
