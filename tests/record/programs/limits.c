/* SPDX-License-Identifier: MIT */
/* Locks its memory, or limits its address space, as an ordinary user whose limit holds the program but not what was set
 * aside for its recording; then starts threads. Argument: lock or space. */
#include "expect.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREADS 8
#define CALLS   100000

KEPT static int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

KEPT static void *work(void *data)
{
	int x = 1;

	for (int i = 0; i < CALLS; i++)
		x = leaf(x);
	return x != 0 ? data : NULL;
}

static int lock(void)
{
	struct rlimit limit = { 8 << 20, 8 << 20 };

	if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || (geteuid() == 0 && setuid(65534) != 0))
		return -1;
	return mlockall(MCL_CURRENT);
}

static int limit_space(void)
{
	struct rlimit limit = { 256 << 20, 256 << 20 };

	if (setrlimit(RLIMIT_AS, &limit) != 0)
		return -1;
	void *half = malloc(128 << 20); /* the limit is the program's, not ours */
	free(half);
	return half == NULL ? -1 : 0;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	int failed;

	work(NULL);
	failed = argc > 1 && strcmp(argv[1], "lock") == 0 ? lock() : limit_space();
	if (failed)
		perror("limits");
	for (int i = 0; i < THREADS; i++)
		failed |= pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	expect("leaf", (THREADS + 1) * CALLS);
	expect("work", THREADS + 1);
	return failed != 0;
}
