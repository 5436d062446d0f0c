/* SPDX-License-Identifier: MIT */
/* Counts the values of the three colours of an image of -n pixels. */
#include "bench.h"

#include <string.h>

enum { COLOURS = 3, VALUES = 256, PASSES = 18 };

struct counts {
	uint64_t of[COLOURS][VALUES];
};

struct job {
	struct bench_options options;
	uint8_t *pixels;
	struct counts *counts; /* one per thread */
};

static void count_pixels(void *data, unsigned worker)
{
	struct job *job = data;
	size_t share = job->options.size / job->options.threads, begin = share * worker;
	size_t end = worker + 1 == job->options.threads ? job->options.size : begin + share;
	struct counts *counts = &job->counts[worker];
	memset(counts, 0, sizeof *counts);
	for (const uint8_t *p = job->pixels + COLOURS * begin; p < job->pixels + COLOURS * end; p += COLOURS)
		for (int colour = 0; colour < COLOURS; colour++)
			counts->of[colour][p[colour]]++;
}

/* The counts that the generator keeps itself. */
static void make_pixels(struct job *job, struct counts *made)
{
	uint64_t seed = 4;
	for (size_t i = 0; i < job->options.size; i++) {
		uint64_t bits = bench_random(&seed);
		for (int colour = 0; colour < COLOURS; colour++) {
			/* The sum of two: a hill, as in a photograph. */
			uint8_t value = (uint8_t)(((bits & 0xff) + (bits >> 8 & 0xff)) / 2);
			job->pixels[COLOURS * i + colour] = value;
			made->of[colour][value]++;
			bits >>= 16;
		}
	}
}

int main(int argc, char **argv)
{
	struct job job = { .options = bench_options(argc, argv, (struct bench_options){ 1, 60000000 }) };
	struct counts *made = bench_allocate(sizeof *made), *all = bench_allocate(sizeof *all);
	job.pixels = bench_allocate(COLOURS * job.options.size);
	job.counts = bench_allocate(job.options.threads * sizeof *job.counts);
	make_pixels(&job, made);
	bench_phase_begin();
	for (int pass = 0; pass < PASSES; pass++)
		bench_run_threads(job.options.threads, count_pixels, &job);
	bench_phase_end();
	for (unsigned i = 0; i < job.options.threads; i++)
		for (int cell = 0; cell < COLOURS * VALUES; cell++)
			all->of[cell / VALUES][cell % VALUES] += job.counts[i].of[cell / VALUES][cell % VALUES];
	return bench_verdict("grey", all->of[0][128], !memcmp(all, made, sizeof *all));
}
