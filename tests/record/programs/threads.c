/* SPDX-License-Identifier: MIT */
/* Threads at once and one after another; argument 1: how many at once, 2: rounds. */
#include "expect.h"

#include <pthread.h>
#include <stdlib.h>

#define CALLS 5000

static __thread unsigned sink;

KEPT static void leaf(void)
{
	sink++;
	__asm__ volatile("" ::: "memory");
}

KEPT static void *body(void *data)
{
	for (int i = 0; i < CALLS; i++)
		leaf();
	if (data != NULL)
		pthread_exit(data);
	return NULL;
}

int main(int argc, char **argv)
{
	int at_once = argc > 1 ? atoi(argv[1]) : 8, rounds = argc > 2 ? atoi(argv[2]) : 100;
	pthread_t *thread = calloc((size_t)at_once, sizeof *thread);

	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < at_once; i++)
			if (pthread_create(&thread[i], NULL, body, i % 2 ? &sink : NULL) != 0)
				return 1;
		for (int i = 0; i < at_once; i++)
			pthread_join(thread[i], NULL);
	}
	free(thread);
	expect("body", (unsigned long)at_once * (unsigned long)rounds);
	expect("leaf", (unsigned long)at_once * (unsigned long)rounds * CALLS);
	expect("main", 1);
	return 0;
}
