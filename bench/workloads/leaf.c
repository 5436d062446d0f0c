/* SPDX-License-Identifier: MIT */
/* The smallest function, called -n times by each of -t threads: what is left is the cost of the hooks. */
#include "bench.h"

/* The empty asm keeps the call: the compiler can neither fold nor hoist it. */
__attribute__((noinline)) static uint64_t leaf(uint64_t x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

struct job {
	struct bench_options options;
	uint64_t sums[64];
};

static void work(void *data, unsigned worker)
{
	struct job *job = data;
	uint64_t sum = 0;
	for (size_t i = 0; i < job->options.size; i++)
		sum = leaf(sum);
	job->sums[worker] = sum;
}

int main(int argc, char **argv)
{
	struct job job = { .options = bench_options(argc, argv, (struct bench_options){ 1, 200000000 }) };
	uint64_t total = 0;
	bench_phase_begin();
	bench_run_threads(job.options.threads, work, &job);
	bench_phase_end();
	for (unsigned i = 0; i < job.options.threads; i++)
		total += job.sums[i];
	return bench_verdict("calls", total, total == job.options.size * job.options.threads);
}
