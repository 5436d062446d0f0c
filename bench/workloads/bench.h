/* SPDX-License-Identifier: MIT */
/* What every workload of bench/ shares: options, a repeatable generator, threads, the timed phase, the verdict. */
#ifndef TEE_PERF_BENCH_H
#define TEE_PERF_BENCH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct bench_options {
	unsigned threads; /* -t */
	size_t size;      /* -n: what it counts is said by each program */
};

/* Reads -t and -n over the given defaults; exits with status 2 and a usage line on anything else. */
struct bench_options bench_options(int argc, char **argv, struct bench_options defaults);

/* splitmix64 (public domain, S. Vigna): the same sequence on every machine. */
static inline uint64_t bench_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void *bench_allocate(size_t bytes); /* zeroed; exits when out of memory */

/* Runs work(data, worker) for worker 0 .. threads - 1, each in a thread of its own; with one thread, in the
 * caller. Ends when all have ended. */
void bench_run_threads(unsigned threads, void (*work)(void *data, unsigned worker), void *data);

/* The phase that is measured. The end prints "elapsed_ns N" and "cpu_ns N" (CPU time of the process in the
 * phase) on stdout: input generation and verification stay outside. */
void bench_phase_begin(void);
void bench_phase_end(void);

/* Prints "result NAME VALUE" and "verified", or "wrong" with exit status 1. */
int bench_verdict(const char *name, uint64_t value, int correct);

#endif
