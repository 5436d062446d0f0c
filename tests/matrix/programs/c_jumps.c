/* SPDX-License-Identifier: MIT */
/* setjmp and longjmp: nested, over many frames, out of signal handlers. */
#include "program.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back, outer;
static sigjmp_buf signal_back;

KEPT static int leaf(int x)
{
	ENTER;
	return x + 1;
}

KEPT static void dive(jmp_buf to, int depth, int value)
{
	ENTER;
	if (depth == 0)
		longjmp(to, value);
	dive(to, depth - 1, value);
	leaf(depth);
}

KEPT static int jump_once(int depth)
{
	ENTER;
	int value = setjmp(back);

	if (value == 0) {
		leaf(1);
		dive(back, depth, 7);
	}
	LANDED;
	return leaf(value);
}

/* Comes back to one place many times. */
KEPT static int jump_often(void)
{
	ENTER;
	volatile int round = 0;

	if (setjmp(back) != 0)
		LANDED;
	if (round < 4) {
		round = round + 1;
		dive(back, round, round);
	}
	return leaf(round);
}

KEPT static int inner_target(int depth)
{
	ENTER;
	if (setjmp(back) == 0)
		dive(back, depth, 1);
	LANDED;
	leaf(2);
	dive(outer, depth, 2); /* over this function's own frame */
	return leaf(3);
}

KEPT static int nested(int depth)
{
	ENTER;
	if (setjmp(outer) == 0)
		inner_target(depth);
	LANDED;
	return leaf(depth);
}

KEPT static void on_signal(int number)
{
	ENTER;
	leaf(number);
	siglongjmp(signal_back, number);
}

KEPT static void raise_below(int depth)
{
	ENTER;
	if (depth == 0)
		raise(SIGUSR1);
	else
		raise_below(depth - 1);
	leaf(depth);
}

KEPT static int out_of_handler(void)
{
	ENTER;
	if (sigsetjmp(signal_back, 1) == 0)
		raise_below(3);
	LANDED;
	return leaf(0);
}

KEPT static void on_return(int number)
{
	ENTER;
	if (number == SIGUSR2)
		raise(SIGUSR1); /* nested */
	leaf(number);
}

KEPT static int handlers_that_return(void)
{
	ENTER;
	raise(SIGUSR2);
	return leaf(8);
}

void jumps_case(void)
{
	ENTER;
	struct sigaction action = { .sa_handler = on_signal };

	printf("once %d %d often %d nested %d\n", jump_once(0), jump_once(6), jump_often(), nested(3));
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 3; i++)
		printf("out of a handler %d\n", out_of_handler());
	action.sa_handler = on_return;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	printf("handlers %d\n", handlers_that_return());
}
