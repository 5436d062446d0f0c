/* SPDX-License-Identifier: MIT */
/* LEB128 integers, appended and read within bounds; internal to analyzer/. */
#ifndef TEE_PERF_ANALYZER_VARINT_H
#define TEE_PERF_ANALYZER_VARINT_H

#include "format/sections.h"

#include <stdbool.h>
#include <stdlib.h>

/* What is left to read. Once something was wrong, all further values are 0 and `bad` stays. */
struct tee_perf_cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline uint64_t tee_perf_take(struct tee_perf_cursor *cursor)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 64 && !cursor->bad; shift += 7) {
		if (cursor->at == cursor->end)
			break;
		uint8_t byte = *cursor->at++;
		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	cursor->bad = true;
	return 0;
}

/* A value below limit. */
static inline uint32_t tee_perf_take_below(struct tee_perf_cursor *cursor, uint64_t limit)
{
	uint64_t value = tee_perf_take(cursor);
	if (value >= limit)
		cursor->bad = true;
	return cursor->bad ? 0 : (uint32_t)value;
}

/* A number of things that take at least one byte each. */
static inline uint32_t tee_perf_take_count(struct tee_perf_cursor *cursor)
{
	uint64_t left = (uint64_t)(cursor->end - cursor->at);
	return tee_perf_take_below(cursor, left < UINT32_MAX ? left + 1 : UINT32_MAX);
}

/* 0, or -1 out of memory. */
static inline int tee_perf_put(struct tee_perf_bytes *out, uint64_t value)
{
	if (out->capacity - out->size < 10) {
		size_t capacity = out->capacity < 4096 ? 4096 : out->capacity * 2;
		uint8_t *data = realloc(out->data, capacity);
		if (data == NULL)
			return -1;
		out->data = data;
		out->capacity = capacity;
	}
	for (; value >= 0x80; value >>= 7)
		out->data[out->size++] = (uint8_t)(value | 0x80);
	out->data[out->size++] = (uint8_t)value;
	return 0;
}

#endif
