/* SPDX-License-Identifier: MIT */
/* How fast the model takes records, and what memory it then has: synthetic streams, or a data file.
 * model_bench [-n RECORDS] [STREAM ...]    fib, leaf, interpreter
 * model_bench -r FILE                      raw records (16 bytes each) of one thread from a file
 * model_bench -i FILE                      a data file, as `tee-perf report` reads it
 * -t TICKS: the clock is the TSC, and each record is that many ticks later than the one before */
#include "analyzer/model.h"
#include "analyzer/recording.h"

#include <getopt.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define BATCH       1020u /* records of a sub-buffer */
#define PER_PERIOD  250u  /* records between two publications of the clock */
#define FUNCTIONS   2000u
#define SITES       8u
#define MAP_BEGIN   0x55550000u
#define STACK_BEGIN 0x7fff0000u

struct stream {
	struct tee_perf_record *records;
	size_t count, capacity;
	uint64_t time, random;
};

static void emit(struct stream *stream, enum tee_perf_kind kind, uint32_t entry, uint32_t cfa)
{
	if (stream->count == stream->capacity)
		return;
	if (stream->count % PER_PERIOD == 0)
		stream->time += 1000;
	stream->records[stream->count++] =
	    (struct tee_perf_record){ (uint64_t)kind << TEE_PERF_KIND_SHIFT | stream->time,
				      (uint64_t)cfa << 32 | entry };
}

static uint32_t next_random(struct stream *stream)
{
	stream->random = stream->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(stream->random >> 33);
}

static void fib(struct stream *stream, unsigned n, uint32_t cfa)
{
	if (stream->count == stream->capacity)
		return;
	emit(stream, TEE_PERF_CALL, MAP_BEGIN, cfa);
	if (n > 1) {
		fib(stream, n - 1, cfa - 48);
		fib(stream, n - 2, cfa - 48);
	}
	emit(stream, TEE_PERF_RETURN, MAP_BEGIN, cfa);
}

static void make_fib(struct stream *stream)
{
	while (stream->count < stream->capacity)
		fib(stream, 32, STACK_BEGIN);
}

static void make_leaf(struct stream *stream)
{
	emit(stream, TEE_PERF_CALL, MAP_BEGIN, STACK_BEGIN);
	while (stream->count < stream->capacity) {
		emit(stream, TEE_PERF_CALL, MAP_BEGIN + 16, STACK_BEGIN - 64);
		emit(stream, TEE_PERF_RETURN, MAP_BEGIN + 16, STACK_BEGIN - 64);
	}
}

/* A function calls a few others, mostly in the same order, sometimes not: as an interpreter with 2,000 functions whose
 * branches depend on data. */
static void interpret(struct stream *stream, uint32_t function, unsigned depth, uint32_t cfa)
{
	emit(stream, TEE_PERF_CALL, MAP_BEGIN + 16 * function, cfa);
	uint32_t state = function * 2654435761u;
	unsigned calls = depth == 0 ? 0 : state >> 29 & 3;
	for (unsigned i = 0; i < calls; i++) {
		uint32_t luck = next_random(stream);
		unsigned site = luck % 100 < 88 ? i : luck >> 8 & (SITES - 1);
		uint32_t callee = (function * 31 + site * 977 + 1) % FUNCTIONS;
		if (luck >> 16 & 15)
			interpret(stream, callee, depth - 1, cfa - 32 - 16 * (function & 7));
	}
	emit(stream, TEE_PERF_RETURN, MAP_BEGIN + 16 * function, cfa);
}

static void make_interpreter(struct stream *stream)
{
	uint32_t main_function = FUNCTIONS;
	emit(stream, TEE_PERF_CALL, MAP_BEGIN + 16 * main_function, STACK_BEGIN);
	while (stream->count < stream->capacity) {
		uint32_t luck = next_random(stream);
		interpret(stream, (luck & 7 ? luck >> 8 & 15 : luck >> 8 & 255) * 7 % FUNCTIONS, 7, STACK_BEGIN - 128);
	}
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); /* others may be busy */
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static size_t heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

struct maker {
	const char *name;
	void (*make)(struct stream *stream);
};

static const struct maker makers[] = {
	{ "fib", make_fib },
	{ "leaf", make_leaf },
	{ "interpreter", make_interpreter },
};

/* Begins with a change to the TSC, and gives each record a time of its own. */
static int use_tsc(struct tee_perf_model *model, struct tee_perf_track *track, struct tee_perf_record *records,
		   size_t count, uint64_t step)
{
	struct tee_perf_record change = { (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | 1000,
					  TEE_PERF_CLOCK_TSC << 8 | TEE_PERF_META_CLOCK };
	for (size_t i = 0; i < count; i++) {
		uint64_t kind = records[i].w0 >> TEE_PERF_KIND_SHIFT;
		records[i].w0 = kind << TEE_PERF_KIND_SHIFT | (1000 + i * step);
	}
	tee_perf_track_feed(track, &change, 1);
	return tee_perf_model_tsc(model, 1000, 0, NULL) | tee_perf_model_tsc(model, 3001000, 1000000, NULL);
}

/* The same again, later. */
static void move_on(struct tee_perf_record *records, size_t count)
{
	uint64_t length = (records[count - 1].w0 - records[0].w0) & TEE_PERF_TIME_MASK;
	for (size_t i = 0; i < count; i++) {
		uint64_t kind = records[i].w0 >> TEE_PERF_KIND_SHIFT;
		records[i].w0 = kind << TEE_PERF_KIND_SHIFT | ((records[i].w0 + length) & TEE_PERF_TIME_MASK);
	}
}

/* Frees the records. step: 0, or ticks per record. */
static int feed(const char *name, struct tee_perf_record *records, size_t count, uint64_t step)
{
	size_t before = heap_bytes();
	struct tee_perf_model *model = tee_perf_model_new();
	struct tee_perf_track *track = model == NULL ? NULL : tee_perf_model_track(model, 0, 0);
	if (track == NULL)
		return 1;
	if (step != 0 && use_tsc(model, track, records, count, step) != 0)
		return 1;
	double best = 1e9;
	for (unsigned round = 0; round < 3; round++) { /* the first one builds the tree */
		double start = now();
		for (size_t i = 0; i < count; i += BATCH)
			tee_perf_track_feed(track, records + i, count - i < BATCH ? count - i : BATCH);
		double took = now() - start;
		best = took < best ? took : best;
		move_on(records, count);
	}
	printf("%-12s %8.1f M records/s  %8.1f KiB\n", name, (double)count / best * 1e-6,
	       (double)(heap_bytes() - before) / 1024);
	tee_perf_model_free(model);
	free(records);
	return 0;
}

static int run(const struct maker *maker, size_t count, uint64_t step)
{
	struct stream stream = { .records = malloc(count * sizeof *stream.records), .capacity = count };
	if (stream.records == NULL)
		return 1;
	stream.random = 42;
	maker->make(&stream);
	return feed(maker->name, stream.records, stream.count, step);
}

static int run_raw(const char *path, size_t count, uint64_t step)
{
	FILE *file = fopen(path, "rb");
	struct tee_perf_record *records = malloc(count * sizeof *records);
	if (file == NULL || records == NULL) {
		perror(path);
		return 1;
	}
	count = fread(records, sizeof *records, count, file);
	fclose(file);
	return feed("raw", records, count, step);
}

/* Memory: the most that the process had. */
static int run_file(const char *path)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_summary summary;
	struct rusage usage;
	double start = now();
	struct tee_perf_recording *recording = tee_perf_recording_open(path, &err);
	double took = now() - start;
	if (recording == NULL || tee_perf_recording_summary(recording, &summary, &err) != 0) {
		fprintf(stderr, "model_bench: %s\n", err.message);
		return 1;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%-12s %8.1f M records/s  %8.1f KiB  %" PRIu64 " events\n", "file", (double)summary.events / took * 1e-6,
	       (double)usage.ru_maxrss, summary.events);
	tee_perf_summary_clear(&summary);
	tee_perf_recording_close(recording);
	return 0;
}

int main(int argc, char **argv)
{
	size_t count = 20000000;
	uint64_t step = 0;
	const char *raw = NULL;
	int option;
	while ((option = getopt(argc, argv, "i:n:r:t:")) != -1) {
		if (option == 'i')
			return run_file(optarg);
		if (option == 'r')
			raw = optarg;
		else if (option == 't')
			step = strtoull(optarg, NULL, 10);
		else if (option == 'n')
			count = strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	if (raw != NULL)
		return run_raw(raw, count, step);
	int status = 0;
	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
		bool wanted = optind == argc;
		for (int a = optind; a < argc; a++)
			wanted |= strcmp(argv[a], makers[i].name) == 0;
		if (wanted)
			status |= run(&makers[i], count, step);
	}
	return status;
}
