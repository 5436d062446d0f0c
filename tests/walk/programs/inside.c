/* SPDX-License-Identifier: MIT */
/* Recording resumes inside the program's own malloc, with values in vector registers, in a handler, in a forked child.
 * Each is checked by the program itself, which ends with a number that says what is wrong. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tee-perf.h>
#include <unistd.h>

#define KEPT             __attribute__((noinline))
#define NOT_INSTRUMENTED __attribute__((no_instrument_function))

typedef float eight __attribute__((vector_size(32)));

static volatile int sink;
static volatile unsigned long allocations;
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

KEPT void *malloc(size_t size)
{
	allocations = allocations + 1;
	return __libc_malloc(size);
}

KEPT void *calloc(size_t count, size_t size)
{
	allocations = allocations + 1;
	return __libc_calloc(count, size);
}

KEPT NOT_INSTRUMENTED static int descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(directory) != NULL)
		count++;
	closedir(directory);
	return count;
}

KEPT static void leaf(void)
{
	sink++;
}

KEPT static eight add(eight a, eight b)
{
	sink++;
	return a + b;
}

KEPT static int vectors(void)
{
	volatile float ten = 10;
	eight a = { 1, 2, 3, 4, 5, 6, 7, 8 }, b = a * ten;
	eight expected = a * (ten + 1);

	errno = 77;
	tee_perf_on();
	eight sum = add(a, b);
	int error = errno;
	tee_perf_off();
	return memcmp(&sum, &expected, sizeof sum) != 0 || error != 77;
}

KEPT static int allocates(void)
{
	unsigned long before = allocations;

	tee_perf_on();
	void *memory = malloc(100);
	unsigned long after = allocations;
	tee_perf_off();
	free(memory);
	return after != before + 1;
}

KEPT static void in_handler(int number)
{
	sink = number;
	tee_perf_on();
	leaf();
	tee_perf_off();
	sink++;
}

KEPT static void interrupted(void)
{
	raise(SIGUSR1);
	sink++;
}

KEPT static void in_child(void)
{
	leaf();
	sink++;
}

KEPT static int forks(void)
{
	int status = 1;

	tee_perf_on();
	pid_t child = fork();
	if (child == 0) {
		in_child();
		_exit(0);
	}
	waitpid(child, &status, 0);
	tee_perf_off();
	return status;
}

int main(void)
{
	signal(SIGUSR1, in_handler);
	tee_perf_off();
	int open = descriptors();
	if (__builtin_cpu_supports("avx") && vectors())
		return 1;
	if (allocates())
		return 2;
	interrupted();
	if (forks())
		return 3;
	return descriptors() == open ? 0 : 4;
}
