/* SPDX-License-Identifier: MIT */
/* Compiled without instrumentation in every variant, so that it adds no events. */
#include "bench.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 64

static struct {
	struct timespec wall, cpu;
} phase;

struct bench_options bench_options(int argc, char **argv, struct bench_options options)
{
	for (int option; (option = getopt(argc, argv, "t:n:")) != -1;) {
		char *end = "";
		unsigned long long value = optarg ? strtoull(optarg, &end, 10) : 0;
		if (option == '?' || *end || !value || (option == 't' && value > MAX_THREADS)) {
			fprintf(stderr, "usage: %s [-t THREADS] [-n SIZE]\n", argv[0]);
			exit(2);
		}
		if (option == 't')
			options.threads = (unsigned)value;
		else
			options.size = (size_t)value;
	}
	return options;
}

void *bench_allocate(size_t bytes)
{
	void *memory = calloc(1, bytes);
	if (!memory) {
		fprintf(stderr, "out of memory: %zu bytes\n", bytes);
		exit(5);
	}
	return memory;
}

struct worker {
	void (*work)(void *, unsigned);
	void *data;
	unsigned number;
};

static void *worker_main(void *argument)
{
	struct worker *worker = argument;
	worker->work(worker->data, worker->number);
	return NULL;
}

void bench_run_threads(unsigned threads, void (*work)(void *, unsigned), void *data)
{
	pthread_t ids[MAX_THREADS];
	struct worker workers[MAX_THREADS];
	if (threads == 1) {
		work(data, 0);
		return;
	}
	for (unsigned i = 0; i < threads; i++) {
		workers[i] = (struct worker){ work, data, i };
		if (pthread_create(&ids[i], NULL, worker_main, &workers[i])) {
			fprintf(stderr, "cannot start thread %u\n", i);
			exit(4);
		}
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
}

static int64_t since_ns(clockid_t clock, struct timespec then)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (int64_t)(now.tv_sec - then.tv_sec) * 1000000000 + (now.tv_nsec - then.tv_nsec);
}

void bench_phase_begin(void)
{
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &phase.cpu);
	clock_gettime(CLOCK_MONOTONIC, &phase.wall);
}

void bench_phase_end(void)
{
	int64_t wall = since_ns(CLOCK_MONOTONIC, phase.wall);
	printf("elapsed_ns %" PRId64 "\ncpu_ns %" PRId64 "\n", wall, since_ns(CLOCK_PROCESS_CPUTIME_ID, phase.cpu));
}

int bench_verdict(const char *name, uint64_t value, int correct)
{
	/* Of the whole process: what is left of a recorder's and its command's CPU time is the recorder's. */
	printf("process_cpu_ns %" PRId64 "\n", since_ns(CLOCK_PROCESS_CPUTIME_ID, (struct timespec){ 0 }));
	printf("result %s %" PRIu64 "\n%s\n", name, value, correct ? "verified" : "wrong");
	return correct ? 0 : 1;
}
