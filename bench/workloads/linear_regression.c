/* SPDX-License-Identifier: MIT */
/* Least squares over -n points with 8-bit coordinates: one pass of sums per thread. */
#include "bench.h"

#include <math.h>

struct point {
	uint8_t x, y;
};

struct sums {
	uint64_t x, y, xx, xy, count;
	char other_line[88]; /* of the cache: threads do not share one */
};

struct job {
	struct bench_options options;
	struct point *points;
	struct sums sums[64];
};

static void add_points(void *data, unsigned worker)
{
	struct job *job = data;
	size_t begin = job->options.size / job->options.threads * worker,
	       end = begin + job->options.size / job->options.threads;
	struct sums sums = { 0 };
	if (worker + 1 == job->options.threads)
		end = job->options.size;
	for (size_t i = begin; i < end; i++) {
		uint64_t x = job->points[i].x, y = job->points[i].y;
		sums.x += x;
		sums.y += y;
		sums.xx += x * x;
		sums.xy += x * y;
	}
	sums.count = end - begin;
	job->sums[worker] = sums;
}

/* y = 20 + x / 2 with noise between -15 and 15. */
static void make_points(struct job *job)
{
	uint64_t seed = 3;
	for (size_t i = 0; i < job->options.size; i++) {
		uint64_t bits = bench_random(&seed);
		job->points[i].x = (uint8_t)bits;
		job->points[i].y = (uint8_t)(20 + job->points[i].x / 2.0 + (double)((bits >> 8 & 0xffff) % 31) - 15);
	}
}

int main(int argc, char **argv)
{
	struct job job = { .options = bench_options(argc, argv, (struct bench_options){ 1, 120000000 }) };
	struct sums all = { 0 };
	job.points = bench_allocate(job.options.size * sizeof *job.points);
	make_points(&job);
	bench_phase_begin();
	for (int pass = 0; pass < 8; pass++)
		bench_run_threads(job.options.threads, add_points, &job);
	bench_phase_end();
	for (unsigned i = 0; i < job.options.threads; i++) {
		all.x += job.sums[i].x;
		all.y += job.sums[i].y;
		all.xx += job.sums[i].xx;
		all.xy += job.sums[i].xy;
		all.count += job.sums[i].count;
	}
	double n = (double)all.count, x = (double)all.x, y = (double)all.y;
	double slope = (n * (double)all.xy - x * y) / (n * (double)all.xx - x * x), intercept = (y - slope * x) / n;
	return bench_verdict("slope_millionths", (uint64_t)llround(slope * 1e6),
			     all.count == job.options.size && fabs(slope - 0.5) < 0.01 &&
				 fabs(intercept - 19.75) < 0.5);
}
