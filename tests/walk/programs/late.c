/* SPDX-License-Identifier: MIT */
/* Begins to work when the recording has begun: a thread deep in a recursion, main waiting for it. Argument: how deep.
 */
#include "runtime/log_layout.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define KEPT             __attribute__((noinline))
#define NOT_INSTRUMENTED __attribute__((no_instrument_function))

static volatile int sink;
extern struct tee_perf_log_header *tee_perf_state; /* its first member, of the runtime */

/* The control word of the log; without a recorder there is nothing to wait for. */
KEPT NOT_INSTRUMENTED static void wait_for_recorder(void)
{
	struct tee_perf_log_header *host = tee_perf_state;

	while (host != NULL && (__atomic_load_n(&host->control, __ATOMIC_ACQUIRE) & TEE_PERF_CONTROL_ON) == 0)
		sched_yield();
}

KEPT static void leaf(void)
{
	sink++;
}

KEPT static void bottom(void)
{
	wait_for_recorder();
	for (int i = 0; i < 5; i++)
		leaf();
	sink++;
}

KEPT static void recurse(int n)
{
	if (n > 1)
		recurse(n - 1);
	else
		bottom();
	leaf();
	sink++;
}

KEPT static void *worker(void *depth)
{
	recurse((int)(long)depth);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 20);
	if (pthread_create(&thread, &attributes, worker, (void *)(long)(argc > 1 ? atoi(argv[1]) : 1)) != 0)
		return 1;
	pthread_join(thread, NULL);
	leaf();
	sink++;
	return 0;
}
