/* SPDX-License-Identifier: MIT */
/* C = A * B of order -n in 32-bit arithmetic, rows split among the threads. */
#include "bench.h"

#include <stdlib.h>

struct job {
	struct bench_options options;
	uint32_t *a, *b, *c;
};

/* One row of the result; the inner loop runs along rows of b, so that it vectorises. */
static void multiply_row(const struct job *job, size_t row)
{
	size_t n = job->options.size;
	const uint32_t *a = job->a + row * n;
	uint32_t *c = job->c + row * n;
	for (size_t k = 0; k < n; k++)
		for (size_t j = 0; j < n; j++)
			c[j] += a[k] * job->b[k * n + j];
}

static void work(void *data, unsigned worker)
{
	struct job *job = data;
	for (size_t row = worker; row < job->options.size; row += job->options.threads)
		multiply_row(job, row);
}

static void times_vector(const uint32_t *matrix, const uint32_t *in, uint32_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		out[i] = 0;
		for (size_t j = 0; j < n; j++)
			out[i] += matrix[i * n + j] * in[j];
	}
}

/* Freivalds: A (B r) == C r for a random vector r. */
static int is_product(const struct job *job, uint64_t *seed)
{
	size_t n = job->options.size;
	uint32_t *vectors = bench_allocate(4 * n * sizeof *vectors);
	uint32_t *r = vectors, *br = r + n, *abr = br + n, *cr = abr + n;
	size_t equal = 0;
	for (size_t i = 0; i < n; i++)
		r[i] = (uint32_t)bench_random(seed);
	times_vector(job->b, r, br, n);
	times_vector(job->a, br, abr, n);
	times_vector(job->c, r, cr, n);
	for (size_t i = 0; i < n; i++)
		equal += abr[i] == cr[i];
	free(vectors);
	return equal == n;
}

int main(int argc, char **argv)
{
	struct job job = { .options = bench_options(argc, argv, (struct bench_options){ 1, 1900 }) };
	size_t cells = job.options.size * job.options.size;
	uint64_t seed = 1, sum = 0;
	job.a = bench_allocate(3 * cells * sizeof *job.a);
	job.b = job.a + cells;
	job.c = job.b + cells;
	for (size_t i = 0; i < 2 * cells; i++)
		job.a[i] = (uint32_t)bench_random(&seed);
	bench_phase_begin();
	bench_run_threads(job.options.threads, work, &job);
	bench_phase_end();
	for (size_t i = 0; i < cells; i++)
		sum += job.c[i];
	int correct = is_product(&job, &seed);
	free(job.a);
	return bench_verdict("sum", sum, correct);
}
