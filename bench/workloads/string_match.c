/* SPDX-License-Identifier: MIT */
/* Looks for four enciphered keys among the enciphered lines of a text of -n bytes. */
#include "bench.h"

#include <string.h>

enum { KEYS = 4, LINE_MAX = 32, BLOCKS = 2 };

static const char *const keys[KEYS] = { "Helloworld", "howareyou", "ferrari", "whotheman" };

struct job {
	struct bench_options options;
	char *text;
	size_t length;
	uint64_t found[64][16]; /* per thread, a cache line or two of its own */
	uint64_t enciphered[KEYS][BLOCKS];
};

/* XTEA (Needham and Wheeler, 1997) on one block, 16 of its 32 cycles. */
static uint64_t encipher_block(uint64_t block)
{
	static const uint32_t secret[4] = { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 };
	uint32_t left = (uint32_t)block, right = (uint32_t)(block >> 32), sum = 0;
	for (int cycle = 0; cycle < 16; cycle++) {
		left += (((right << 4) ^ (right >> 5)) + right) ^ (sum + secret[sum & 3]);
		sum += 0x9e3779b9;
		right += (((left << 4) ^ (left >> 5)) + left) ^ (sum + secret[sum >> 11 & 3]);
	}
	return (uint64_t)right << 32 | left;
}

static void encipher(const char *in, size_t length, uint64_t *out)
{
	memset(out, 0, BLOCKS * sizeof *out);
	memcpy(out, in, length < BLOCKS * sizeof *out ? length : BLOCKS * sizeof *out);
	for (int i = 0; i < BLOCKS; i++)
		out[i] = encipher_block(out[i]);
}

static int is_key(const uint64_t *line, const uint64_t *key)
{
	return memcmp(line, key, BLOCKS * sizeof *line) == 0;
}

static void match_line(struct job *job, unsigned worker, const char *line, size_t length)
{
	uint64_t secret[BLOCKS];
	encipher(line, length, secret);
	for (int key = 0; key < KEYS; key++)
		if (is_key(secret, job->enciphered[key]))
			job->found[worker][key]++;
}

/* A piece begins after the first line end at or after its share of the text. */
static size_t piece_begin(const struct job *job, unsigned worker)
{
	size_t at = job->length / job->options.threads * worker;
	if (worker == 0 || worker == job->options.threads)
		return worker ? job->length : 0;
	const char *newline = memchr(job->text + at, '\n', job->length - at);
	return newline ? (size_t)(newline - job->text) + 1 : job->length;
}

static void match_piece(void *data, unsigned worker)
{
	struct job *job = data;
	size_t end = piece_begin(job, worker + 1);
	for (size_t at = piece_begin(job, worker); at < end;) {
		const char *newline = memchr(job->text + at, '\n', end - at);
		size_t length = newline ? (size_t)(newline - job->text) - at : end - at;
		match_line(job, worker, job->text + at, length);
		at += length + 1;
	}
}

/* Lines of random letters, and every thousandth a key; returns how often each key was written. */
static uint64_t *write_text(struct job *job)
{
	uint64_t seed = 5, *written = bench_allocate(KEYS * sizeof *written);
	job->text = bench_allocate(job->options.size + LINE_MAX);
	while (job->length + LINE_MAX < job->options.size) {
		uint64_t bits = bench_random(&seed);
		char *line = job->text + job->length;
		size_t length = 6 + (bits & 7);
		if (bits >> 8 & 0x3ff) {
			for (size_t i = 0; i < length; i++)
				line[i] = (char)('a' + (bits >> (18 + 2 * i)) % 26);
		} else {
			length = strlen(keys[bits >> 20 & 3]);
			memcpy(line, keys[bits >> 20 & 3], length);
			written[bits >> 20 & 3]++;
		}
		line[length] = '\n';
		job->length += length + 1;
	}
	return written;
}

int main(int argc, char **argv)
{
	static struct job job;
	job.options = bench_options(argc, argv, (struct bench_options){ 1, 80000000 });
	uint64_t *written = write_text(&job), all = 0;
	int correct = 1;
	bench_phase_begin();
	for (int key = 0; key < KEYS; key++)
		encipher(keys[key], strlen(keys[key]), job.enciphered[key]);
	bench_run_threads(job.options.threads, match_piece, &job);
	bench_phase_end();
	for (int key = 0; key < KEYS; key++) {
		uint64_t found = 0;
		for (unsigned i = 0; i < job.options.threads; i++)
			found += job.found[i][key];
		correct &= found == written[key];
		all += found;
	}
	return bench_verdict("keys", all, correct && all);
}
