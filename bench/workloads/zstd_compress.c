/* SPDX-License-Identifier: MIT */
/* Compresses -n bytes of generated text with zstd, linked from its own sources, and decompresses them again. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { LEVEL = 6 };

/* Words of a small vocabulary with numbers between them: compresses about as logs do. */
static void write_text(char *text, size_t size)
{
	static const char *const words[] = { "open",  "read", "write", "close", "error", "thread",  "page", "index",
					     "table", "from", "to",    "at",    "with",  "without", "of",   "cache" };
	uint64_t seed = 7;
	for (size_t at = 0; at < size;) {
		uint64_t bits = bench_random(&seed);
		char piece[64];
		int length = snprintf(piece, sizeof piece, bits & 7 ? "%s " : "%s %u\n", words[bits >> 3 & 15],
				      (unsigned)(bits >> 32) >> (bits >> 8 & 31));
		for (int i = 0; i < length && at < size; i++)
			text[at++] = piece[i];
	}
}

int main(int argc, char **argv)
{
	struct bench_options options = bench_options(argc, argv, (struct bench_options){ 1, 60000000 });
	size_t bound = ZSTD_compressBound(options.size);
	char *text = bench_allocate(options.size), *packed = bench_allocate(bound),
	     *back = bench_allocate(options.size);
	write_text(text, options.size);
	bench_phase_begin();
	size_t size = ZSTD_compress(packed, bound, text, options.size, LEVEL);
	int fits = !ZSTD_isError(size) && ZSTD_decompress(back, options.size, packed, size) == options.size;
	bench_phase_end();
	return bench_verdict("bytes", size, fits && !memcmp(text, back, options.size));
}
