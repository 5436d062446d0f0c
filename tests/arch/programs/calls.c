/* SPDX-License-Identifier: MIT */
/* Calls, returns, tail calls, longjmp, variadic functions, stack arguments. Says what a recording of it must hold. */
#include "../../record/programs/expect.h"
#include "edge.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#ifdef NO_MUSTTAIL
#define TAIL
#else
#define TAIL __attribute__((musttail))
#endif
#define DEEP 3000000

static volatile unsigned sink;
static jmp_buf back;

KEPT static int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

static unsigned long fibs;
KEPT static long fib(int n)
{
	fibs++;
	__asm__ volatile("" : "+r"(n)); /* no tail call, no pure function */
	if (n < 2)
		return n;
	long a = fib(n - 1), b = fib(n - 2);
	__asm__ volatile("" : "+r"(a), "+r"(b));
	return a + b;
}

/* Mutual tail recursion that would take 100 MB of stack, and more with stack arguments. */
static unsigned long evens, odds;
KEPT static int odd(int n);
KEPT static int even(int n)
{
	evens++;
	if (n == 0)
		return 1;
	TAIL return odd(n - 1);
}
KEPT static int odd(int n)
{
	odds++;
	if (n == 0)
		return 0;
	TAIL return even(n - 1);
}

KEPT static long sum(int count, ...)
{
	va_list list;
	long total = 0;

	va_start(list, count);
	for (int i = 0; i < count; i++)
		total += va_arg(list, long);
	va_end(list);
	sink++;
	return total + leaf(1);
}

KEPT static double mixed(double a, int count, long b, ...)
{
	va_list list;

	va_start(list, b);
	for (int i = 0; i < count; i++)
		a += va_arg(list, double);
	va_end(list);
	sink++;
	return a + (double)b + (double)sum(2, b, b);
}

KEPT static long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	sink++;
	return leaf(2) + a + b + c + d + e + f + g + h + i + j;
}

KEPT static void deep(int n)
{
	if (n == 0)
		longjmp(back, 1);
	deep(n - 1);
	sink++;
}

/* What is called after the jump lies where the frames lay that it has left. */
KEPT static void jump(int n)
{
	if (setjmp(back) == 0)
		deep(n);
	sum(1, 5l);
	many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	sink++;
}

int main(void)
{
	int x = 1, wrong = 0;

	errno = 77;
	for (int i = 0; i < 20000; i++)
		x = leaf(x);
	wrong |= fib(17) != 1597;
	wrong |= even(DEEP) != 1;
	for (int i = 0; i < 100; i++) {
		wrong |= sum(3, 1l, 2l, 3l) != 10 || sum(9, 1l, 2l, 3l, 4l, 5l, 6l, 7l, 8l, 9l) != 49;
		wrong |= mixed(1.5, 2, 3, 0.25, 0.25) != 15.0;
		wrong |= many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) != 62;
		jump(i % 20);
	}
	wrong |= errno != 77;
	if (wrong)
		return 1;
	expect("main", 1);
	expect("fib", fibs);
	expect("even", evens);
	expect("odd", odds);
	expect("sum", 400);
	expect("mixed", 100);
	expect("many", 200);
	expect("jump", 100);
	expect("deep", 5 * 210);
	expect("leaf", 20000 + 600);
	edge("main", "leaf", 20000);
	edge("main", "even", 1500001); /* a tail call's callee stands beside its caller */
	edge("main", "odd", 1500000);
	edge("even", "odd", 0);
	edge("main", "sum", 200);
	edge("jump", "sum", 100);
	edge("jump", "many", 100);
	edge("deep", "sum", 0);
	edge("deep", "many", 0);
	edge("deep", "deep", 950);
	edge("jump", "deep", 100);
	edge("sum", "leaf", 400);
	edge("many", "leaf", 200);
	edge("mixed", "sum", 100);
	return x == 0 ? 2 : 0;
}
