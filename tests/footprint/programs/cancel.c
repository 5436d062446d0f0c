/* SPDX-License-Identifier: MIT */
/* Threads that can be cancelled at any instruction, in a hook too: the stack is unwound from there, clean-ups run, and
 * everything that comes after is recorded as if nothing had been. */
#include "../../record/programs/expect.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define THREADS 100

static volatile unsigned sink;
static volatile unsigned started;

KEPT static void leaf(void)
{
	sink++;
}

KEPT static void inner(unsigned depth)
{
	leaf();
	if (depth > 0)
		inner(depth - 1);
	leaf();
}

KEPT static void cleaned(void *count)
{
	leaf();
	++*(unsigned *)count;
}

KEPT static void destroyed(void *value)
{
	leaf();
	free(value);
}

static pthread_key_t key;

/* Has no clean-up itself: with -fexceptions one is found from a call only, not from any instruction beside it. */
KEPT static void until_cancelled(void)
{
	int before;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
	__atomic_store_n(&started, 1, __ATOMIC_SEQ_CST);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
	for (;;)
		inner(5);
}

KEPT static void *worker(void *count)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	pthread_setspecific(key, malloc(16));
	leaf(); /* from here on the thread has its ring */
	pthread_cleanup_push(cleaned, count);
	until_cancelled();
	pthread_cleanup_pop(0);
	return count;
}

int main(void)
{
	unsigned count = 0, seed = 1;

	pthread_key_create(&key, destroyed);
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		void *result;
		started = 0;
		if (pthread_create(&thread, NULL, worker, &count) != 0)
			return 1;
		while (!__atomic_load_n(&started, __ATOMIC_SEQ_CST))
			sched_yield();
		/* After another number of instructions each time. */
		seed = seed * 1103515245 + 12345;
		for (volatile unsigned spin = seed >> 20; spin > 0; spin--)
			;
		pthread_cancel(thread);
		if (pthread_join(thread, &result) != 0 || result != PTHREAD_CANCELED)
			return 1;
	}
	expect("worker", THREADS);
	expect("cleaned", THREADS);
	expect("destroyed", THREADS);
	return count == THREADS ? 0 : 1;
}
