/* SPDX-License-Identifier: MIT */
/* How fast the record codec is and how small its output, on made-up streams and on dumps of 16-byte records:
 *   codec_bench [FILE ...]
 * A file's times are replaced by each clock's, so that a dump from any source will do. */
#include "format/codec.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#define CHUNK        1020                /* records per call, as a 16 KiB sub-buffer has */
#define BLOCK_BYTES  ((size_t)256 << 10) /* per zstd frame, as in a section EVENTS */
#define STREAM_COUNT ((size_t)4 << 20)   /* records of a made-up stream */
#define REPEATS      3

struct stream {
	struct tee_perf_record *records;
	size_t count, capacity;
};

static uint64_t random_state = 1;

static uint32_t random32(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) * 2u ^ (uint32_t)(random_state >> 60);
}

/* ---- streams */

static void add(struct stream *stream, enum tee_perf_kind kind, uint32_t function, uint32_t cfa)
{
	if (stream->count == stream->capacity)
		return;
	stream->records[stream->count++] = (struct tee_perf_record){
		.w0 = (uint64_t)kind << TEE_PERF_KIND_SHIFT,
		.w1 = (uint64_t)cfa << 32 | (0x55550040u + function * 16),
	};
}

static void fib(struct stream *stream, unsigned n, uint32_t cfa)
{
	add(stream, TEE_PERF_CALL, 0, cfa);
	if (n >= 2) {
		fib(stream, n - 1, cfa - 48);
		fib(stream, n - 2, cfa - 48);
	}
	add(stream, TEE_PERF_RETURN, 0, cfa);
}

static void make_fib(struct stream *stream)
{
	while (stream->count < stream->capacity)
		fib(stream, 27, 0xffffe000);
}

static void make_leaf(struct stream *stream)
{
	while (stream->count < stream->capacity) {
		add(stream, TEE_PERF_CALL, 1, 0xffffe000);
		add(stream, TEE_PERF_RETURN, 1, 0xffffe000);
	}
}

static void make_deep(struct stream *stream)
{
	const uint32_t depth = 1000000;
	while (stream->count < stream->capacity) {
		for (uint32_t i = 0; i < depth; i++)
			add(stream, TEE_PERF_CALL, 1, 0xffffe000 - i * 64);
		for (uint32_t i = depth; i-- > 0;)
			add(stream, TEE_PERF_RETURN, 1, 0xffffe000 - i * 64);
	}
}

static void make_noise(struct stream *stream)
{
	while (stream->count < stream->capacity)
		add(stream, 1 + random32() % 4, random32() % 4096, random32() & ~15u);
}

/* A program of 2,000 functions with up to eight call sites. A site calls, or not, as data decides (one in three
 * sites) or always; it has one callee, or as an indirect call several. Callees are drawn by a Zipf-like law. */
#define FUNCTIONS 2000
#define SITES     8
static struct function {
	uint16_t callee[SITES][4];
	uint8_t chance[SITES]; /* of 256 that the site calls; 0: no site */
	bool indirect[SITES];
	uint16_t frame_size;
} program[FUNCTIONS];

static uint16_t draw_callee(unsigned above)
{
	double u = (random32() + 1.0) / 4294967297.0;
	unsigned rank = (unsigned)((FUNCTIONS - 1 - above) * u * u * u);
	return (uint16_t)(above + 1 + rank);
}

static void make_program(void)
{
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		program[i].frame_size = (uint16_t)(16 + random32() % 16 * 16);
		for (unsigned j = 0; j < SITES && i < FUNCTIONS - 8; j++) {
			uint32_t kind = random32() % 12;
			program[i].chance[j] = kind < 3 ? 255 : kind < 5 ? (uint8_t)(random32() % 256) : 0;
			program[i].indirect[j] = random32() % 10 == 0;
			for (unsigned k = 0; k < 4; k++)
				program[i].callee[j][k] = draw_callee(i);
		}
	}
}

static void walk(struct stream *stream, unsigned function, uint32_t cfa, unsigned depth)
{
	const struct function *f = &program[function];
	add(stream, TEE_PERF_CALL, function, cfa);
	for (unsigned j = 0; j < SITES && depth < 60 && stream->count < stream->capacity; j++) {
		if (f->chance[j] != 0 && (f->chance[j] == 255 || (random32() & 255) < f->chance[j]))
			walk(stream, f->callee[j][f->indirect[j] ? random32() % 4 : 0], cfa - f->frame_size, depth + 1);
	}
	add(stream, TEE_PERF_RETURN, function, cfa);
}

static void make_walk(struct stream *stream)
{
	make_program();
	while (stream->count < stream->capacity)
		walk(stream, random32() % 16, 0xffffe000, 0);
}

/* ---- clocks */

static void clock_host(struct stream *stream)
{
	uint64_t now = 0, next = 0;
	for (size_t i = 0; i < stream->count; i++) {
		if (i == next) {
			now += 950 + random32() % 100;
			next += 200 + random32() % 100;
		}
		stream->records[i].w0 = (stream->records[i].w0 & ~TEE_PERF_TIME_MASK) | now;
	}
}

static void clock_tsc(struct stream *stream)
{
	uint64_t now = UINT64_C(1) << 45;
	for (size_t i = 0; i < stream->count; i++) {
		now += 10 + random32() % 90 + (random32() % 64 == 0 ? random32() % 4096 : 0);
		stream->records[i].w0 = (stream->records[i].w0 & ~TEE_PERF_TIME_MASK) | now;
	}
}

static const struct {
	const char *name;
	void (*set)(struct stream *);
} clocks[] = { { "host", clock_host }, { "tsc", clock_tsc } };

/* ---- measuring */

static double now_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* From a copy that is in the cache, as a ring is. Returns the time in ns; *end is the end of what was written. */
static double encode(const struct stream *stream, uint8_t *out, uint8_t **end)
{
	static struct tee_perf_record hot[CHUNK];
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	double spent = 0;
	for (size_t i = 0; i < stream->count; i += CHUNK) {
		size_t count = stream->count - i < CHUNK ? stream->count - i : CHUNK;
		memcpy(hot, stream->records + i, count * sizeof *hot);
		double start = now_ns();
		out = tee_perf_encode(encoder, hot, count, out);
		spent += now_ns() - start;
	}
	*end = tee_perf_encode_flush(encoder, out);
	tee_perf_encoder_free(encoder);
	return spent;
}

static double decode(const struct stream *stream, const uint8_t *in, const uint8_t *end)
{
	static struct tee_perf_record hot[CHUNK];
	struct tee_perf_decoder *decoder = tee_perf_decoder_new();
	double spent = 0;
	size_t done = 0;
	for (;;) {
		double start = now_ns();
		size_t count = tee_perf_decode(decoder, &in, end, hot, CHUNK);
		spent += now_ns() - start;
		if (count == 0)
			break;
		if (memcmp(hot, stream->records + done, count * sizeof *hot) != 0) {
			fprintf(stderr, "codec_bench: records from %zu on differ\n", done);
			exit(1);
		}
		done += count;
	}
	if (done != stream->count || in != end) {
		fprintf(stderr, "codec_bench: %zu of %zu records came back\n", done, stream->count);
		exit(1);
	}
	tee_perf_decoder_free(decoder);
	return spent;
}

static size_t pack(const uint8_t *bytes, const uint8_t *end)
{
	size_t total = 0, bound = ZSTD_compressBound(BLOCK_BYTES);
	void *packed = malloc(bound);
	for (; bytes < end; bytes += BLOCK_BYTES) {
		size_t size = (size_t)(end - bytes) < BLOCK_BYTES ? (size_t)(end - bytes) : BLOCK_BYTES;
		total += ZSTD_compress(packed, bound, bytes, size, 1);
	}
	free(packed);
	return total;
}

static void measure(const char *name, struct stream *stream)
{
	uint8_t *encoded = malloc(stream->count * TEE_PERF_ENCODED_MAX + TEE_PERF_ENCODED_MAX), *end;
	memset(encoded, 1, stream->count * TEE_PERF_ENCODED_MAX); /* pages in place */
	for (size_t c = 0; c < sizeof clocks / sizeof *clocks; c++) {
		clocks[c].set(stream);
		double best_encode = 1e18, best_decode = 1e18;
		for (unsigned i = 0; i < REPEATS; i++) {
			double spent = encode(stream, encoded, &end);
			best_encode = spent < best_encode ? spent : best_encode;
			spent = decode(stream, encoded, end);
			best_decode = spent < best_decode ? spent : best_decode;
		}
		double count = (double)stream->count;
		printf("%-20s %-5s %10zu %10.0f %10.0f %12.3f %12.3f\n", name, clocks[c].name, stream->count,
		       count / best_encode * 1e3, count / best_decode * 1e3, (double)(end - encoded) / count,
		       (double)pack(encoded, end) / count);
	}
	free(encoded);
}

static int measure_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		return 1;
	}
	struct stream stream = { .count = (size_t)ftell(file) / sizeof(struct tee_perf_record) };
	stream.records = malloc(stream.count * sizeof *stream.records + 1);
	rewind(file);
	if (stream.records == NULL ||
	    fread(stream.records, sizeof *stream.records, stream.count, file) != stream.count) {
		fprintf(stderr, "codec_bench: cannot read %s\n", path);
		return 1;
	}
	fclose(file);
	const char *slash = strrchr(path, '/');
	measure(slash == NULL ? path : slash + 1, &stream);
	free(stream.records);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(struct stream *);
	} made_up[] = {
		{ "leaf", make_leaf }, { "fib", make_fib },     { "program", make_walk },
		{ "deep", make_deep }, { "noise", make_noise },
	};
	struct stream stream = { .capacity = STREAM_COUNT };
	int result = 0;
	stream.records = calloc(stream.capacity, sizeof *stream.records);
	if (stream.records == NULL)
		return 1;
	printf("%-20s %-5s %10s %10s %10s %12s %12s\n", "stream", "clock", "records", "enc M/s", "dec M/s", "bytes/rec",
	       "after zstd");
	for (size_t i = 0; i < sizeof made_up / sizeof *made_up; i++) {
		stream.count = 0;
		made_up[i].make(&stream);
		measure(made_up[i].name, &stream);
	}
	free(stream.records);
	for (int i = 1; i < argc; i++)
		result |= measure_file(argv[i]);
	return result;
}
