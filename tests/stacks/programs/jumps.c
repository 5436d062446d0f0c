/* SPDX-License-Identifier: MIT */
/* setjmp and longjmp, also out of signal handlers, on the thread's stack and on a signal stack. */
#define _GNU_SOURCE
#include "tree.h"

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static jmp_buf target;
static sigjmp_buf signal_target;
static char memory[65536];
static struct tree_stack handlers, *interrupted;

KEPT static void thrower(int depth)
{
	ENTER();
	if (depth == 0)
		longjmp(target, 1);
	thrower(depth - 1);
	LEAVE();
}

KEPT static void plain(void)
{
	ENTER();
	volatile int depth = tree_now->depth, times = 0;
	if (setjmp(target) != 0)
		tree_now->depth = depth;
	leaf();
	if (times++ < 3)
		thrower(5);
	leaf();
	LEAVE();
}

/* The innermost catches, and throws on. */
KEPT static void nested(int level)
{
	jmp_buf outer;

	ENTER();
	volatile int depth = tree_now->depth;
	memcpy(outer, target, sizeof outer);
	if (setjmp(target) == 0) {
		if (level > 0)
			nested(level - 1);
		else
			thrower(2);
	}
	tree_now->depth = depth;
	leaf();
	memcpy(target, outer, sizeof outer);
	if (level < 3)
		longjmp(target, 1);
	LEAVE();
}

KEPT static void in_handler(int depth)
{
	ENTER();
	if (depth == 0)
		siglongjmp(signal_target, 1);
	in_handler(depth - 1);
	LEAVE();
}

KEPT static void on_signal(int number)
{
	interrupted = number == SIGUSR2 ? tree_switch(&handlers) : tree_now;
	ENTER();
	in_handler(3);
	LEAVE();
}

KEPT static void on_return(int number)
{
	(void)number;
	interrupted = tree_switch(&handlers);
	ENTER();
	leaf();
	LEAVE();
	tree_switch(interrupted);
}

KEPT static void raises(int number)
{
	ENTER();
	kill(getpid(), number);
	LEAVE();
}

KEPT static void interrupts(int number)
{
	ENTER();
	volatile int depth = tree_now->depth, times = 0;
	if (sigsetjmp(signal_target, 1) != 0) {
		tree_switch(interrupted);
		handlers.depth = 0;
		tree_now->depth = depth;
	}
	leaf();
	if (times++ < 3)
		raises(number);
	leaf();
	LEAVE();
}

int main(void)
{
	stack_t alternate = { .ss_sp = memory, .ss_size = sizeof memory };
	struct sigaction here = { .sa_handler = on_signal },
			 there = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK },
			 back = { .sa_handler = on_return, .sa_flags = SA_ONSTACK };

	ENTER();
	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &here, NULL);
	sigaction(SIGUSR2, &there, NULL);
	sigaction(SIGHUP, &back, NULL);
	for (int i = 0; i < 3; i++) {
		plain();
		nested(3);
		interrupts(SIGUSR1);
		interrupts(SIGUSR2);
		raises(SIGHUP);
	}
	LEAVE();
	tree_print();
	return 0;
}
