/* SPDX-License-Identifier: MIT */
/* Linked, without instrumentation, into the programs that do not time themselves (SQLite, Lua, zstd): writes
 * "elapsed_ns N" and "process_cpu_ns N" from its constructor to its destructor into the file named by BENCH_TIMING. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct timespec start;

static int64_t nanoseconds(struct timespec time)
{
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

__attribute__((constructor)) static void begin(void)
{
	clock_gettime(CLOCK_MONOTONIC, &start);
}

__attribute__((destructor)) static void end(void)
{
	struct timespec now, cpu;
	clock_gettime(CLOCK_MONOTONIC, &now);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	const char *path = getenv("BENCH_TIMING");
	FILE *out = path ? fopen(path, "w") : NULL;
	if (!out)
		return;
	fprintf(out, "elapsed_ns %" PRId64 "\nprocess_cpu_ns %" PRId64 "\n", nanoseconds(now) - nanoseconds(start),
		nanoseconds(cpu));
	fclose(out);
}
