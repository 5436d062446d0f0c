/* SPDX-License-Identifier: MIT */
/* ends COUNTERS HOW: counts its calls in a file that it shares, for whoever is left to read: three numbers of 8 bytes,
 * calls of leaf by each of two threads, and of deep. HOW: exit, _exit, abort, crash, kill, term: itself, deep in the
 * stack, after so many calls; wait: until somebody else does. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEPT __attribute__((noinline))

static volatile uint64_t *counters;
static const char *how;

/* The call's record is written before it is counted. */
KEPT static void leaf(int thread)
{
	counters[thread]++;
}

KEPT static void end(void)
{
	if (strcmp(how, "exit") == 0)
		exit(9);
	if (strcmp(how, "_exit") == 0)
		_exit(9);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "crash") == 0)
		*(volatile int *)1 = 0;
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "term") == 0)
		kill(getpid(), SIGTERM);
	for (;;)
		leaf(0);
}

KEPT static void deep(int depth)
{
	counters[2]++;
	for (int i = 0; i < 100; i++)
		leaf(0);
	if (depth > 0)
		deep(depth - 1);
	else
		end();
	leaf(0);
}

KEPT static void *endless(void *unused)
{
	for (;;)
		leaf(1);
	return unused;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	counters = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	how = argv[2];
	if (strcmp(how, "wait") == 0)
		pthread_create(&thread, NULL, endless, NULL);
	deep(200);
	return 0;
}
