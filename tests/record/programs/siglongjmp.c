/* SPDX-License-Identifier: MIT */
/* A handler that leaves by siglongjmp, from wherever it interrupted: hooks are abandoned half-way. */
#include "expect.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static sigjmp_buf back;
static volatile sig_atomic_t ticks, armed;
static volatile unsigned long entered, left;

KEPT static void on_tick(int number)
{
	(void)number;
	ticks++;
	if (armed) {
		armed = 0;
		siglongjmp(back, 1);
	}
}

/* Counts what it does itself: a call that is abandoned has entered, but not left. */
KEPT static void work(int depth)
{
	entered++;
	if (depth > 0)
		work(depth - 1);
	left++;
}

KEPT static void round_once(void)
{
	if (sigsetjmp(back, 1) == 0) {
		armed = 1;
		for (;;)
			work(20);
	}
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_tick };
	struct itimerval period = { { 0, 100 }, { 0, 100 } }, off = { { 0 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &period, NULL);
	for (int i = 0; i < 2000; i++)
		round_once();
	setitimer(ITIMER_REAL, &off, NULL);
	expect("round_once", 2000);
	expect("on_tick", (unsigned long)ticks);
	/* The interrupted call of work may have recorded its call and not counted it, once per jump. */
	printf("between work %lu %lu\n", entered, entered + 2000);
	expect("main", 1);
	return 0;
}
