/* SPDX-License-Identifier: MIT */
/* memory lock|limit|crash|closes: what a program may do to its own memory and descriptors goes on to work. */
#include "../../record/programs/expect.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile unsigned sink;

KEPT static void leaf(void)
{
	sink++;
}

KEPT static void *in_thread(void *nothing)
{
	for (int i = 0; i < 1000; i++)
		leaf();
	return nothing;
}

NOT_INSTRUMENTED static long status_kib(const char *field)
{
	char line[256];
	long value = -1;
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, field, strlen(field)) == 0)
			value = strtol(line + strlen(field) + 1, NULL, 10);
	if (file)
		fclose(file);
	return value;
}

/* A daemon for which every page must be there; its limit is what such programs get. */
NOT_INSTRUMENTED static int lock_all(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
		printf("mlockall: %s\n", strerror(errno));
		return 1;
	}
	long locked = status_kib("VmLck:"), resident = status_kib("VmRSS:");
	if (resident > 64 * 1024) {
		printf("mlockall made %ld KiB resident, %ld locked\n", resident, locked);
		return 1;
	}
	return 0;
}

/* Most of what the limit leaves can be had. */
NOT_INSTRUMENTED static int take_most(void)
{
	struct rlimit limit;
	getrlimit(RLIMIT_AS, &limit);
	void *half = limit.rlim_cur == RLIM_INFINITY ? NULL : malloc(limit.rlim_cur / 2);

	if (half == NULL)
		printf("no half of %llu bytes\n", (unsigned long long)limit.rlim_cur);
	free(half);
	return half == NULL;
}

NOT_INSTRUMENTED static int close_all(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	return chdir("/") != 0;
}

NOT_INSTRUMENTED static int show_maps(void)
{
	char line[512];
	FILE *file = fopen("/proc/self/smaps", "r");

	while (file && fgets(line, sizeof line, file))
		printf("map %s", line);
	if (file)
		fclose(file);
	return 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	pthread_attr_t attributes;
	pthread_t thread;
	int status = 0;

	for (int i = 0; i < 1000; i++)
		leaf();
	if (strcmp(way, "lock") == 0)
		status = lock_all();
	else if (strcmp(way, "limit") == 0)
		status = take_most();
	else if (strcmp(way, "closes") == 0)
		status = close_all();
	else if (strcmp(way, "crash") == 0)
		status = show_maps();
	/* A thread on the smallest stack there is finds its ring afterwards. */
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
	if (status == 0 &&
	    (pthread_create(&thread, &attributes, in_thread, NULL) != 0 || pthread_join(thread, NULL) != 0))
		status = 1;
	for (int i = 0; i < 1000; i++)
		leaf();
	expect("leaf", 3000);
	expect("in_thread", 1);
	fflush(stdout);
	if (strcmp(way, "crash") == 0)
		abort();
	return status;
}
