/* SPDX-License-Identifier: MIT */
/* An instrumented handler at 10 kHz interrupts instrumented code, hooks included; on the thread's stack or,
 * with an argument, on a signal stack. */
#include "expect.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static volatile unsigned sink;

KEPT static void below_handler(void)
{
	sink++;
}

KEPT static void on_tick(int number)
{
	(void)number;
	ticks++;
	below_handler();
	below_handler();
}

KEPT static int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

KEPT static long fib(int n)
{
	__asm__ volatile("" : "+r"(n)); /* no tail call, no pure function */
	if (n < 2)
		return n;
	long a = fib(n - 1), b = fib(n - 2);
	__asm__ volatile("" : "+r"(a), "+r"(b));
	return a + b;
}

int main(int argc, char **argv)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART | (argc > 1 ? SA_ONSTACK : 0) };
	struct itimerval period = { { 0, 100 }, { 0, 100 } }, off = { { 0 } };
	unsigned long fibs = 0, leaves = 0;
	int x = 1;

	(void)argv;
	sigaltstack(&alternate, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &period, NULL);
	errno = 77;
	for (int round = 0; round < 60; round++) {
		fib(24);
		fibs += 150049; /* 2 * 75025 - 1 calls */
		for (int i = 0; i < 50000; i++, leaves++)
			x = leaf(x);
		if (errno != 77)
			return 1;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	expect("on_tick", (unsigned long)ticks);
	expect("below_handler", 2ul * (unsigned long)ticks);
	expect("fib", fibs);
	expect("leaf", leaves);
	expect("main", 1);
	return x == 0 ? 2 : 0;
}
