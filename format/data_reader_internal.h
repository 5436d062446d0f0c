/* SPDX-License-Identifier: MIT */
/* What the reader of data files consists of; internal to format/. */
#ifndef TEE_PERF_FORMAT_DATA_READER_INTERNAL_H
#define TEE_PERF_FORMAT_DATA_READER_INTERNAL_H

#include "format/frame.h"

#include <sys/types.h>
#include <zstd.h>

#define TEE_PERF_READER_BLOCK ((size_t)256 << 10)

struct tee_perf_buffer {
	uint8_t *data;
	size_t capacity;
};

struct tee_perf_reader {
	int fd;
	char *path;
	uint64_t offset;        /* in the file, of the next frame */
	uint64_t section_count; /* whole sections seen since the last rewind */
	uint64_t read_offset;   /* in the file, of block[block_size] */
	size_t block_at, block_size;
	bool ended;
	struct tee_perf_buffer stored, raw;
	uint64_t search_bytes; /* that may still be read a second time in search of a section */
	uint64_t resume;       /* where the search from within a section that is too long found another */
	ZSTD_DCtx *zstd;
	struct tee_perf_damage damage;
	char truncated[256];
	uint8_t block[TEE_PERF_READER_BLOCK];
};

/* data_reader.c */
/* Reads up to size bytes at the current place; fewer only at the end of the file. Returns their number or -1. */
ssize_t tee_perf_reader_read(struct tee_perf_reader *reader, uint8_t *out, size_t size, struct tee_perf_error *err);
/* Makes room for size bytes. 0 or -1. */
int tee_perf_reader_reserve(struct tee_perf_reader *reader, struct tee_perf_buffer *buffer, size_t size,
			    struct tee_perf_error *err);
int tee_perf_reader_file_size(const struct tee_perf_reader *reader, uint64_t *size, struct tee_perf_error *err);

/* data_search.c */
/* The next section of a known type at or behind *place, or the file's end: a frame's check and its fields are 60 bits
 * that other bytes have to hit. 0 or -1. */
int tee_perf_reader_search(struct tee_perf_reader *reader, uint64_t *place, struct tee_perf_error *err);
/* Whether bytes may be read once more in search of a section: each of the file at most once. */
bool tee_perf_reader_may_search(struct tee_perf_reader *reader, uint64_t bytes);
/* Goes on behind the damaged section at the reader's offset. frame: NULL if it is what is damaged. 0 or -1. */
int tee_perf_reader_pass_over(struct tee_perf_reader *reader, const struct tee_perf_frame *frame,
			      struct tee_perf_error *err);

#endif
