/* SPDX-License-Identifier: MIT */
/* Threads that return, exit deep in the stack, and are cancelled; what runs at their end. */
#include "program.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_key_t key;
static sem_t ready;

KEPT static int leaf(int x)
{
	ENTER;
	return x + 1;
}

KEPT static int descend(int depth)
{
	ENTER;
	return depth == 0 ? leaf(1) : descend(depth - 1) + leaf(depth);
}

KEPT static void key_ends(void *value)
{
	announce_thread_ended();
	ENTER;
	leaf(*(int *)value);
}

KEPT static void *returns(void *argument)
{
	ENTER;
	pthread_setspecific(key, argument);
	descend(*(int *)argument);
	return argument;
}

KEPT static void exits_below(int depth)
{
	ENTER;
	if (depth == 0) {
		announce_thread_ends();
		pthread_exit(NULL);
	}
	exits_below(depth - 1);
	leaf(depth);
}

KEPT static void *exits(void *argument)
{
	ENTER;
	pthread_setspecific(key, argument);
	leaf(3);
	exits_below(4);
	return argument;
}

/* Called by the function that pushed it, after a jump back to there. */
KEPT static void cleans_up(void *node)
{
	if (node)
		announce_landed(*(unsigned *)node);
	ENTER;
	leaf(5);
}

KEPT static void waits_below(int depth)
{
	ENTER;
	if (depth == 0) {
		sem_post(&ready);
		for (;;)
			pause();
	}
	waits_below(depth - 1);
	leaf(depth);
}

KEPT static void *waits(void *argument)
{
	ENTER;
	static unsigned node;

	node = announce_node;
	pthread_cleanup_push(cleans_up, &node);
	waits_below(3);
	pthread_cleanup_pop(0);
	return argument;
}

KEPT static void run(void *(*function)(void *), int cancel)
{
	ENTER;
	static int number = 2;
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, function, &number) != 0)
		abort();
	if (cancel) {
		while (sem_wait(&ready) != 0)
			;
		pthread_cancel(thread);
	}
	pthread_join(thread, &result);
	printf("joined %d\n", result == PTHREAD_CANCELED ? 2 : result != NULL);
}

KEPT static void run_together(void)
{
	ENTER;
	pthread_t threads[4];
	static int depths[4] = { 10, 20, 30, 40 };

	for (int i = 0; i < 4; i++) {
		if (pthread_create(&threads[i], NULL, returns, &depths[i]) != 0)
			abort();
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

void threads_case(void)
{
	ENTER;
	pthread_key_create(&key, key_ends);
	sem_init(&ready, 0, 0);
	run(returns, 0);
	run(waits, 1);
	run_together();
}

void thread_exit_case(void)
{
	ENTER;
	pthread_key_create(&key, key_ends);
	run(exits, 0);
}
