/* SPDX-License-Identifier: MIT */
/* What the codecs of the sections are made of; internal to format/. */
#ifndef TEE_PERF_FORMAT_SECTIONS_CURSOR_H
#define TEE_PERF_FORMAT_SECTIONS_CURSOR_H

#include "format/sections.h"

#include <stdbool.h>

/* ---- to bytes */

/* Makes room for size more bytes and returns where they go, or NULL out of memory. */
uint8_t *tee_perf_bytes_extend(struct tee_perf_bytes *out, size_t size);
/* A string: length without the NUL, the characters, the NUL. NULL stands for "". put returns the place behind it. */
size_t tee_perf_string_size(const char *string);
uint8_t *tee_perf_put_string(uint8_t *place, const char *string);

/* ---- from bytes: one bounded cursor; after the first failure everything yields zero */

struct tee_perf_cursor {
	const uint8_t *at, *end;
	bool bad;
};

struct tee_perf_cursor tee_perf_cursor_over(const void *payload, size_t size);
const uint8_t *tee_perf_take(struct tee_perf_cursor *cursor, size_t size);
uint32_t tee_perf_take32(struct tee_perf_cursor *cursor);
uint64_t tee_perf_take64(struct tee_perf_cursor *cursor);
const char *tee_perf_take_string(struct tee_perf_cursor *cursor);
/* Everything was there, and nothing follows: 0. Else -1 and class INPUT. */
int tee_perf_cursor_finish(const struct tee_perf_cursor *cursor, const char *what, size_t size,
			   struct tee_perf_error *err);

#endif
