/* SPDX-License-Identifier: MIT */
#include "format/sections.h"
#include "format/sections_cursor.h"
#include "format/wire.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- to bytes */

/* Makes room for size more bytes and returns where they go, or NULL out of memory. */
uint8_t *tee_perf_bytes_extend(struct tee_perf_bytes *out, size_t size)
{
	if (size > SIZE_MAX / 2 - out->size)
		return NULL;
	size_t needed = out->size + size;
	if (needed > out->capacity) {
		size_t capacity = out->capacity < 128 ? 256 : out->capacity * 2;
		if (capacity < needed)
			capacity = needed;
		uint8_t *data = realloc(out->data, capacity);
		if (data == NULL)
			return NULL;
		out->data = data;
		out->capacity = capacity;
	}
	uint8_t *place = out->data + out->size;
	out->size = needed;
	return place;
}

size_t tee_perf_string_size(const char *string)
{
	return 4 + (string == NULL ? 0 : strlen(string)) + 1;
}

/* Length without the NUL, the characters, the NUL. */
uint8_t *tee_perf_put_string(uint8_t *place, const char *string)
{
	size_t length = tee_perf_string_size(string) - 5;
	tee_perf_put32(place, (uint32_t)length);
	if (length != 0)
		memcpy(place + 4, string, length);
	place[4 + length] = 0;
	return place + 5 + length;
}

int tee_perf_process_encode(struct tee_perf_bytes *out, const struct tee_perf_process_info *info)
{
	uint8_t *place = tee_perf_bytes_extend(out, 24 + tee_perf_string_size(info->command));
	if (place == NULL)
		return -1;
	tee_perf_put32(place, info->process);
	tee_perf_put32(place + 4, info->parent);
	tee_perf_put32(place + 8, info->pid);
	tee_perf_put32(place + 12, 0);
	tee_perf_put64(place + 16, info->start_ns);
	tee_perf_put_string(place + 24, info->command);
	return 0;
}

int tee_perf_thread_encode(struct tee_perf_bytes *out, const struct tee_perf_thread_info *info)
{
	uint8_t *place = tee_perf_bytes_extend(out, 12 + tee_perf_string_size(info->name));
	if (place == NULL)
		return -1;
	tee_perf_put32(place, info->process);
	tee_perf_put32(place + 4, info->thread);
	tee_perf_put32(place + 8, info->tid);
	tee_perf_put_string(place + 12, info->name);
	return 0;
}

#define MODULE_HEADER_SIZE 64

int tee_perf_module_encode(struct tee_perf_bytes *out, const struct tee_perf_module_info *info)
{
	size_t texts = tee_perf_string_size(info->path) + tee_perf_string_size(info->build_id);
	if (info->map_size > UINT32_MAX || info->strings_size > UINT32_MAX || texts > UINT32_MAX)
		return -1;
	uint8_t *place = tee_perf_bytes_extend(out, MODULE_HEADER_SIZE + info->map_size + info->strings_size + texts);
	if (place == NULL)
		return -1;
	tee_perf_put32(place, info->process);
	tee_perf_put32(place + 4, info->module);
	tee_perf_put64(place + 8, info->map_begin);
	tee_perf_put64(place + 16, info->strings_begin);
	tee_perf_put64(place + 24, info->load_bias);
	tee_perf_put64(place + 32, info->load_ns);
	tee_perf_put64(place + 40, info->unload_ns);
	tee_perf_put32(place + 48, (uint32_t)info->map_size);
	tee_perf_put32(place + 52, (uint32_t)info->strings_size);
	tee_perf_put64(place + 56, 0);
	place += MODULE_HEADER_SIZE;
	if (info->map_size != 0)
		memcpy(place, info->map, info->map_size);
	place += info->map_size;
	if (info->strings_size != 0)
		memcpy(place, info->strings, info->strings_size);
	place += info->strings_size;
	tee_perf_put_string(tee_perf_put_string(place, info->path), info->build_id);
	return 0;
}

void tee_perf_events_header(uint8_t place[TEE_PERF_EVENTS_HEADER], const struct tee_perf_events_info *info)
{
	tee_perf_put32(place, info->process);
	tee_perf_put32(place + 4, info->thread);
	tee_perf_put64(place + 8, info->record_count);
	tee_perf_put32(place + 16, info->reset != 0);
	tee_perf_put32(place + 20, 0);
}

int tee_perf_events_encode(struct tee_perf_bytes *out, const struct tee_perf_events_info *info)
{
	if (info->encoded_size > SIZE_MAX / 4)
		return -1;
	uint8_t *place = tee_perf_bytes_extend(out, TEE_PERF_EVENTS_HEADER + info->encoded_size);
	if (place == NULL)
		return -1;
	tee_perf_events_header(place, info);
	if (info->encoded_size != 0)
		memcpy(place + TEE_PERF_EVENTS_HEADER, info->encoded, info->encoded_size);
	return 0;
}

int tee_perf_pairs_encode(struct tee_perf_bytes *out, const struct tee_perf_time_pair *pairs, size_t count)
{
	if (count > SIZE_MAX / 64)
		return -1;
	uint8_t *place = tee_perf_bytes_extend(out, 8 + count * 16);
	if (place == NULL)
		return -1;
	tee_perf_put64(place, count);
	place += 8;
	for (size_t i = 0; i < count; i++, place += 16) {
		tee_perf_put64(place, pairs[i].a);
		tee_perf_put64(place + 8, pairs[i].b);
	}
	return 0;
}

/* ---- from bytes: one bounded cursor; after the first failure everything yields zero */

struct tee_perf_cursor tee_perf_cursor_over(const void *payload, size_t size)
{
	const uint8_t *at = payload;
	return (struct tee_perf_cursor){ at, at == NULL ? at : at + size, false };
}

const uint8_t *tee_perf_take(struct tee_perf_cursor *cursor, size_t size)
{
	if (cursor->bad || size > (size_t)(cursor->end - cursor->at)) {
		cursor->bad = true;
		return NULL;
	}
	const uint8_t *taken = cursor->at;
	cursor->at += size;
	return taken;
}

uint32_t tee_perf_take32(struct tee_perf_cursor *cursor)
{
	const uint8_t *taken = tee_perf_take(cursor, 4);
	return taken == NULL ? 0 : tee_perf_get32(taken);
}

uint64_t tee_perf_take64(struct tee_perf_cursor *cursor)
{
	const uint8_t *taken = tee_perf_take(cursor, 8);
	return taken == NULL ? 0 : tee_perf_get64(taken);
}

const char *tee_perf_take_string(struct tee_perf_cursor *cursor)
{
	size_t length = tee_perf_take32(cursor);
	const uint8_t *taken = tee_perf_take(cursor, length + 1);
	/* A NUL inside would make two readers see two strings. */
	if (taken == NULL || memchr(taken, 0, length + 1) != taken + length) {
		cursor->bad = true;
		return "";
	}
	return (const char *)taken;
}

/* Everything was there, and nothing follows. */
int tee_perf_cursor_finish(const struct tee_perf_cursor *cursor, const char *what, size_t size,
			   struct tee_perf_error *err)
{
	if (!cursor->bad && cursor->at == cursor->end)
		return 0;
	return tee_perf_fail(err, TEE_PERF_INPUT, "malformed %s section: its %zu bytes %s", what, size,
			     cursor->bad ? "end before its fields do, or a string in it is not terminated where it says"
					 : "hold more than its fields");
}

int tee_perf_process_decode(const void *payload, size_t size, struct tee_perf_process_info *info,
			    struct tee_perf_error *err)
{
	struct tee_perf_cursor cursor = tee_perf_cursor_over(payload, size);
	info->process = tee_perf_take32(&cursor);
	info->parent = tee_perf_take32(&cursor);
	info->pid = tee_perf_take32(&cursor);
	tee_perf_take32(&cursor);
	info->start_ns = tee_perf_take64(&cursor);
	info->command = tee_perf_take_string(&cursor);
	return tee_perf_cursor_finish(&cursor, "PROCESS", size, err);
}

int tee_perf_thread_decode(const void *payload, size_t size, struct tee_perf_thread_info *info,
			   struct tee_perf_error *err)
{
	struct tee_perf_cursor cursor = tee_perf_cursor_over(payload, size);
	info->process = tee_perf_take32(&cursor);
	info->thread = tee_perf_take32(&cursor);
	info->tid = tee_perf_take32(&cursor);
	info->name = tee_perf_take_string(&cursor);
	return tee_perf_cursor_finish(&cursor, "THREAD", size, err);
}

int tee_perf_module_decode(const void *payload, size_t size, struct tee_perf_module_info *info,
			   struct tee_perf_error *err)
{
	struct tee_perf_cursor cursor = tee_perf_cursor_over(payload, size);
	info->process = tee_perf_take32(&cursor);
	info->module = tee_perf_take32(&cursor);
	info->map_begin = tee_perf_take64(&cursor);
	info->strings_begin = tee_perf_take64(&cursor);
	info->load_bias = tee_perf_take64(&cursor);
	info->load_ns = tee_perf_take64(&cursor);
	info->unload_ns = tee_perf_take64(&cursor);
	info->map_size = tee_perf_take32(&cursor);
	info->strings_size = tee_perf_take32(&cursor);
	tee_perf_take64(&cursor);
	info->map = tee_perf_take(&cursor, info->map_size);
	info->strings = (const char *)tee_perf_take(&cursor, info->strings_size);
	info->path = tee_perf_take_string(&cursor);
	info->build_id = tee_perf_take_string(&cursor);
	if (tee_perf_cursor_finish(&cursor, "MODULE", size, err) != 0)
		return -1;
	if (info->map_size % 16 != 0)
		return tee_perf_fail(err, TEE_PERF_INPUT,
				     "malformed MODULE section: its map of %zu bytes is no whole number of entries",
				     info->map_size);
	if (info->strings_size != 0 && info->strings[info->strings_size - 1] != 0)
		return tee_perf_fail(err, TEE_PERF_INPUT, "malformed MODULE section: its last string does not end");
	return 0;
}

int tee_perf_events_decode(const void *payload, size_t size, struct tee_perf_events_info *info,
			   struct tee_perf_error *err)
{
	struct tee_perf_cursor cursor = tee_perf_cursor_over(payload, size);
	info->process = tee_perf_take32(&cursor);
	info->thread = tee_perf_take32(&cursor);
	info->record_count = tee_perf_take64(&cursor);
	info->reset = tee_perf_take32(&cursor);
	tee_perf_take32(&cursor);
	info->encoded_size = (size_t)(cursor.end - cursor.at);
	info->encoded = tee_perf_take(&cursor, info->encoded_size);
	return tee_perf_cursor_finish(&cursor, "EVENTS", size, err);
}

int tee_perf_pairs_decode(const void *payload, size_t size, struct tee_perf_time_pair **pairs, size_t *count,
			  struct tee_perf_error *err)
{
	struct tee_perf_cursor cursor = tee_perf_cursor_over(payload, size);
	uint64_t number = tee_perf_take64(&cursor);
	*pairs = NULL;
	*count = 0;
	if (cursor.bad || number > (uint64_t)(cursor.end - cursor.at) / 16)
		cursor.bad = true;
	else
		tee_perf_take(&cursor, (size_t)number * 16);
	if (tee_perf_cursor_finish(&cursor, "time pairs", size, err) != 0)
		return -1;
	*pairs = malloc(number == 0 ? 1 : (size_t)number * sizeof **pairs);
	if (*pairs == NULL)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for %zu time pairs", (size_t)number);
	const uint8_t *at = (const uint8_t *)payload + 8;
	for (*count = 0; *count < number; ++*count, at += 16)
		(*pairs)[*count] = (struct tee_perf_time_pair){ tee_perf_get64(at), tee_perf_get64(at + 8) };
	return 0;
}
