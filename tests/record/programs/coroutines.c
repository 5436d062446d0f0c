/* SPDX-License-Identifier: MIT */
/* A coroutine whose stack lies below the signal stack: handlers interrupt its hooks while neither the hook nor the
 * handler is on the thread's own stack. */
#include "expect.h"

#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#ifndef SS_AUTODISARM /* <linux/signal.h> does not go together with <signal.h> */
#define SS_AUTODISARM (1u << 31)
#endif

static char stacks[2][65536]; /* the coroutine's, the handlers' */
static ucontext_t context, coroutine;
static volatile sig_atomic_t ticks;
static volatile unsigned long steps;

KEPT static int below_handler(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

KEPT static void on_tick(int number)
{
	ticks++;
	below_handler(number);
}

KEPT static int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

KEPT static void run(void)
{
	int x = 1;

	for (;; swapcontext(&coroutine, &context))
		for (int i = 0; i < 100000; i++, steps++)
			x = leaf(x);
}

int main(int argc, char **argv)
{
	stack_t alternate = { .ss_sp = stacks[1], .ss_size = sizeof stacks[1] };
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART | SA_ONSTACK };
	struct itimerval period = { { 0, 100 }, { 0, 100 } }, off = { { 0 } };

	(void)argv;
	if (argc > 1)
		alternate.ss_flags = (int)SS_AUTODISARM;
	if (sigaltstack(&alternate, NULL) != 0)
		return 1;
	sigaction(SIGALRM, &action, NULL);
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stacks[0];
	coroutine.uc_stack.ss_size = sizeof stacks[0];
	makecontext(&coroutine, run, 0);
	setitimer(ITIMER_REAL, &period, NULL);
	for (int i = 0; i < 100; i++)
		swapcontext(&context, &coroutine);
	setitimer(ITIMER_REAL, &off, NULL);
	expect("on_tick", (unsigned long)ticks);
	expect("below_handler", (unsigned long)ticks);
	expect("leaf", steps);
	expect("run", 1);
	expect("main", 1);
	return 0;
}
