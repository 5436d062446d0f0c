/* SPDX-License-Identifier: MIT */
/* How far the first two cores that we may use are apart: the nanoseconds of a cache line's round trip between them. A
 * virtual machine's cores move, and the lines of a recording's ring go from one to the other. Prints nothing on one
 * core. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define TRIPS 100000

static _Atomic long ball __attribute__((aligned(128)));
static atomic_bool ready;
static int cores[2];

static int find_cores(void)
{
	cpu_set_t allowed;
	int found = 0;

	if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
		return 0;
	for (int core = 0; core < CPU_SETSIZE && found < 2; core++)
		if (CPU_ISSET(core, &allowed))
			cores[found++] = core;
	return found;
}

static void move_to(int core)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(core, &one);
	sched_setaffinity(0, sizeof one, &one);
}

static void *send_back(void *unused)
{
	move_to(cores[1]);
	atomic_store(&ready, true);
	for (long i = 0; i < TRIPS; i++) {
		while (atomic_load(&ball) != 2 * i + 1)
			;
		atomic_store(&ball, 2 * i + 2);
	}
	return unused;
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(void)
{
	pthread_t other;

	if (find_cores() < 2)
		return 0;
	move_to(cores[0]);
	if (pthread_create(&other, NULL, send_back, NULL) != 0)
		return 1;
	while (!atomic_load(&ready))
		sched_yield();
	double begin = now_ns();
	for (long i = 0; i < TRIPS; i++) {
		atomic_store(&ball, 2 * i + 1);
		while (atomic_load(&ball) != 2 * i + 2)
			;
	}
	printf("%.0f\n", (now_ns() - begin) / TRIPS);
	return 0;
}
