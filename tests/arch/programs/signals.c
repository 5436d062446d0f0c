/* SPDX-License-Identifier: MIT */
/* An instrumented handler on a timer of 1 kHz interrupts instrumented code, hooks included; with an argument, on a
 * signal stack. Runs until it was called 300 times. */
#include "../../record/programs/expect.h"

#include <errno.h>
#include <signal.h>
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

static unsigned long fibs;
KEPT static double fib(int n)
{
	fibs++;
	__asm__ volatile("" : "+r"(n));
	if (n < 2)
		return n;
	double a = fib(n - 1), b = fib(n - 2);
	__asm__ volatile("" ::: "memory");
	return a + b;
}

int main(int argc, char **argv)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART | (argc > 1 ? SA_ONSTACK : 0) };
	struct itimerval period = { { 0, 1000 }, { 0, 1000 } }, off = { { 0 } };
	unsigned long leaves = 0;
	int x = 1;

	(void)argv;
	sigaltstack(&alternate, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &period, NULL);
	errno = 77;
	while (ticks < 300) {
		if (fib(12) != 144)
			return 1;
		for (int i = 0; i < 500; i++, leaves++)
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
