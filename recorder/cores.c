/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/cores.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

/* The path of our cgroup (version 2) below /sys/fs/cgroup; "" without one. */
static void own_cgroup(char *path, size_t size)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[512];

	path[0] = '\0';
	if (file == NULL)
		return;
	while (fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, "0::", 3) == 0) {
			line[strcspn(line, "\n")] = '\0';
			snprintf(path, size, "%s", line + 3);
		}
	fclose(file);
}

/* cpu.max: "<quota or max> <period>", in microseconds. 0: no limit. */
static unsigned quota_of(const char *cgroup)
{
	char path[640];
	unsigned long quota, period;
	int got;

	snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", cgroup);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return 0;
	got = fscanf(file, "%lu %lu", &quota, &period);
	fclose(file);
	if (got != 2 || period == 0)
		return 0;
	return quota < period ? 1 : (unsigned)(quota / period);
}

unsigned tee_perf_cores(void)
{
	char cgroup[512];
	cpu_set_t set;
	unsigned cores = 1;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		cores = (unsigned)CPU_COUNT(&set);
	own_cgroup(cgroup, sizeof cgroup);
	/* A limit may stand in any group above us. */
	for (;;) {
		unsigned quota = quota_of(cgroup);
		if (quota != 0 && quota < cores)
			cores = quota;
		char *slash = strrchr(cgroup, '/');
		if (slash == NULL)
			return cores;
		*slash = '\0';
	}
}
