/* SPDX-License-Identifier: MIT */
/* The first half of a principal component analysis: row means and covariances of a matrix of -n rows. */
#include "bench.h"

enum { COLUMNS = 2000 };

struct job {
	struct bench_options options;
	int32_t *matrix; /* -n rows of COLUMNS */
	int64_t *means;
	int64_t *covariances; /* -n times -n, the upper half; scaled by COLUMNS - 1 */
};

static int64_t row_mean(const int32_t *row)
{
	int64_t sum = 0;
	for (int i = 0; i < COLUMNS; i++)
		sum += row[i];
	return sum / COLUMNS;
}

static int64_t covariance(const int32_t *a, int64_t a_mean, const int32_t *b, int64_t b_mean)
{
	int64_t sum = 0;
	for (int i = 0; i < COLUMNS; i++)
		sum += (a[i] - a_mean) * (b[i] - b_mean);
	return sum;
}

static void find_means(void *data, unsigned worker)
{
	struct job *job = data;
	for (size_t row = worker; row < job->options.size; row += job->options.threads)
		job->means[row] = row_mean(job->matrix + row * COLUMNS);
}

static void find_covariances(void *data, unsigned worker)
{
	struct job *job = data;
	size_t n = job->options.size;
	for (size_t row = worker; row < n; row += job->options.threads)
		for (size_t other = row; other < n; other++)
			job->covariances[row * n + other] =
			    covariance(job->matrix + row * COLUMNS, job->means[row], job->matrix + other * COLUMNS,
				       job->means[other]);
}

/* Row 2k + 1 is row 2k times -2, and every even row has the mean 0: so cov(2k, 2k + 1) = -2 cov(2k, 2k). */
static void make_matrix(struct job *job)
{
	uint64_t seed = 6;
	for (size_t row = 0; row < job->options.size; row++) {
		int32_t *at = job->matrix + row * COLUMNS;
		for (int i = 0; i < COLUMNS; i += 2) {
			int32_t value = (int32_t)(bench_random(&seed) % 1000);
			at[i] = row % 2 ? -2 * (at - COLUMNS)[i] : value;
			at[i + 1] = -at[i];
		}
	}
}

static int is_right(const struct job *job)
{
	size_t n = job->options.size;
	int right = 1;
	for (size_t row = 0; row + 1 < n; row += 2) {
		int64_t own = job->covariances[row * n + row];
		right &= own > 0 && job->covariances[row * n + row + 1] == -2 * own &&
			 job->covariances[(row + 1) * n + row + 1] == 4 * own;
	}
	return right;
}

int main(int argc, char **argv)
{
	struct job job = { .options = bench_options(argc, argv, (struct bench_options){ 1, 1400 }) };
	size_t n = job.options.size;
	uint64_t trace = 0;
	job.matrix = bench_allocate(n * COLUMNS * sizeof *job.matrix);
	job.means = bench_allocate(n * sizeof *job.means);
	job.covariances = bench_allocate(n * n * sizeof *job.covariances);
	make_matrix(&job);
	bench_phase_begin();
	bench_run_threads(job.options.threads, find_means, &job);
	bench_run_threads(job.options.threads, find_covariances, &job);
	bench_phase_end();
	for (size_t i = 0; i < n; i++)
		trace += (uint64_t)job.covariances[i * n + i];
	return bench_verdict("trace", trace, is_right(&job));
}
