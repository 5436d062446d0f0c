/* SPDX-License-Identifier: MIT */
/* An instrumented handler on a timer interrupts functions and hooks wherever it likes. Counted, not announced. */
#include "program.h"

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { TICKS = 200 };

static volatile sig_atomic_t ticks;
static volatile unsigned long steps, works;

KEPT static unsigned long count_step(unsigned long x)
{
	steps = steps + 1;
	return x * 3 + 1;
}

KEPT static void count_tick(int number)
{
	(void)number;
	ticks = ticks + 1;
}

KEPT static unsigned long count_work(unsigned long x)
{
	works = works + 1;
	for (int i = 0; i < 20; i++)
		x = count_step(x);
	return x + 1;
}

void timer_case(void)
{
	ENTER;
	struct sigaction action = { .sa_handler = count_tick };
	struct itimerval period = { { 0, 200 }, { 0, 200 } }, off = { { 0 } };
	unsigned long x = 1;
	sigset_t blocked;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &period, NULL);
	while (ticks < TICKS)
		x = count_work(x);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	printf("done\n");
	announce_count("count_step", steps, "count_work");
	announce_count("count_work", works, __func__);
	announce_count("count_tick", (unsigned long)ticks, NULL);
}
