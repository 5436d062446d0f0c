/* SPDX-License-Identifier: MIT */
/* main returns while eight threads call on; destructors and exit handlers run meanwhile. */
#include "../../record/programs/expect.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static volatile unsigned sink, running;

KEPT static void leaf(void)
{
	sink++;
}

KEPT static void at_end(void)
{
	for (int i = 0; i < 1000; i++)
		leaf();
}

NOT_INSTRUMENTED static void *body(void *nothing)
{
	leaf();
	__atomic_fetch_add(&running, 1, __ATOMIC_SEQ_CST);
	for (;;) {
		leaf();
		for (volatile int i = 0; i < 500; i++)
			;
	}
	return nothing;
}

int main(void)
{
	atexit(at_end);
	for (int i = 0; i < 8; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, body, NULL) != 0)
			return 1;
		pthread_detach(thread);
	}
	while (__atomic_load_n(&running, __ATOMIC_SEQ_CST) < 8)
		sched_yield();
	return 7;
}
