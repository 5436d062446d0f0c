/* SPDX-License-Identifier: MIT */
/* Sections TEXT and FUNCTIONS: functions that records name by address. */
#include "format/sections.h"
#include "format/sections_cursor.h"
#include "format/wire.h"

#include <stdlib.h>

#define TEXT_HEADER_SIZE 48

int tee_perf_text_encode(struct tee_perf_bytes *out, const struct tee_perf_text_info *info)
{
	size_t texts = tee_perf_string_size(info->path) + tee_perf_string_size(info->build_id);
	uint8_t *place = tee_perf_bytes_extend(out, TEXT_HEADER_SIZE + texts);
	if (place == NULL)
		return -1;
	tee_perf_put32(place, info->process);
	tee_perf_put32(place + 4, info->text);
	tee_perf_put64(place + 8, info->begin);
	tee_perf_put64(place + 16, info->size);
	tee_perf_put64(place + 24, info->load_bias);
	tee_perf_put64(place + 32, info->load_ns);
	tee_perf_put32(place + 40, info->has_hooks != 0);
	tee_perf_put32(place + 44, 0);
	tee_perf_put_string(tee_perf_put_string(place + TEXT_HEADER_SIZE, info->path), info->build_id);
	return 0;
}

int tee_perf_text_decode(const void *payload, size_t size, struct tee_perf_text_info *info, struct tee_perf_error *err)
{
	struct tee_perf_cursor cursor = tee_perf_cursor_over(payload, size);
	info->process = tee_perf_take32(&cursor);
	info->text = tee_perf_take32(&cursor);
	info->begin = tee_perf_take64(&cursor);
	info->size = tee_perf_take64(&cursor);
	info->load_bias = tee_perf_take64(&cursor);
	info->load_ns = tee_perf_take64(&cursor);
	info->has_hooks = tee_perf_take32(&cursor);
	tee_perf_take32(&cursor);
	info->path = tee_perf_take_string(&cursor);
	info->build_id = tee_perf_take_string(&cursor);
	return tee_perf_cursor_finish(&cursor, "TEXT", size, err);
}

/* ---- FUNCTIONS: count, functions, size of the strings, strings, path, build-id. String 0 is "". */

/* Files are few, and follow each other. */
struct strings {
	size_t size;
	const char *file; /* the last one */
	uint32_t file_at;
};

static uint32_t file_place(struct strings *strings, const char *file, char *out)
{
	if (file[0] == 0)
		return 0;
	if (strings->file == NULL || strcmp(strings->file, file) != 0) {
		strings->file = file;
		strings->file_at = (uint32_t)strings->size;
		if (out != NULL)
			strcpy(out + strings->size, file);
		strings->size += strlen(file) + 1;
	}
	return strings->file_at;
}

/* out NULL: only measures. */
static size_t put_functions(const struct tee_perf_function_info *functions, size_t count, uint8_t *place, char *out)
{
	struct strings strings = { .size = 1 };
	if (out != NULL)
		out[0] = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t name = (uint32_t)strings.size;
		strings.size += strlen(functions[i].name) + 1;
		if (out != NULL)
			strcpy(out + name, functions[i].name);
		uint32_t file = file_place(&strings, functions[i].file, out);
		if (out == NULL)
			continue;
		tee_perf_put64(place, functions[i].address);
		tee_perf_put32(place + 8, functions[i].size);
		tee_perf_put32(place + 12, functions[i].line);
		tee_perf_put32(place + 16, name);
		tee_perf_put32(place + 20, file);
		place += TEE_PERF_FUNCTION_BYTES;
	}
	return strings.size;
}

int tee_perf_functions_encode(struct tee_perf_bytes *out, const char *path, const char *build_id,
			      const struct tee_perf_function_info *functions, size_t count)
{
	size_t strings = put_functions(functions, count, NULL, NULL);
	size_t texts = tee_perf_string_size(path) + tee_perf_string_size(build_id);
	if (count > UINT32_MAX / TEE_PERF_FUNCTION_BYTES || strings > UINT32_MAX)
		return -1;
	uint8_t *place = tee_perf_bytes_extend(out, 8 + count * TEE_PERF_FUNCTION_BYTES + strings + texts);
	if (place == NULL)
		return -1;
	uint8_t *rest = place + 4 + count * TEE_PERF_FUNCTION_BYTES;
	tee_perf_put32(place, (uint32_t)count);
	tee_perf_put32(rest, (uint32_t)strings);
	put_functions(functions, count, place + 4, (char *)rest + 4);
	tee_perf_put_string(tee_perf_put_string(rest + 4 + strings, path), build_id);
	return 0;
}

struct tee_perf_function_info tee_perf_functions_at(const struct tee_perf_functions_info *info, size_t number)
{
	const uint8_t *place = info->functions + number * TEE_PERF_FUNCTION_BYTES;
	return (struct tee_perf_function_info){ .address = tee_perf_get64(place),
						.size = tee_perf_get32(place + 8),
						.line = tee_perf_get32(place + 12),
						.name = info->strings + tee_perf_get32(place + 16),
						.file = info->strings + tee_perf_get32(place + 20) };
}

int tee_perf_functions_decode(const void *payload, size_t size, struct tee_perf_functions_info *info,
			      struct tee_perf_error *err)
{
	struct tee_perf_cursor cursor = tee_perf_cursor_over(payload, size);
	info->count = tee_perf_take32(&cursor);
	info->functions = tee_perf_take(&cursor, info->count * TEE_PERF_FUNCTION_BYTES);
	info->strings_size = tee_perf_take32(&cursor);
	info->strings = (const char *)tee_perf_take(&cursor, info->strings_size);
	info->path = tee_perf_take_string(&cursor);
	info->build_id = tee_perf_take_string(&cursor);
	if (tee_perf_cursor_finish(&cursor, "FUNCTIONS", size, err) != 0)
		return -1;
	if (info->strings_size == 0 || info->strings[info->strings_size - 1] != 0)
		return tee_perf_fail(err, TEE_PERF_INPUT, "malformed FUNCTIONS section: its last string does not end");
	uint64_t from = 0;
	for (size_t i = 0; i < info->count; i++) {
		const uint8_t *place = info->functions + i * TEE_PERF_FUNCTION_BYTES;
		uint64_t address = tee_perf_get64(place), bytes = tee_perf_get32(place + 8);
		if (address < from || bytes == 0 || address + bytes < address ||
		    tee_perf_get32(place + 16) >= info->strings_size ||
		    tee_perf_get32(place + 20) >= info->strings_size)
			return tee_perf_fail(
			    err, TEE_PERF_INPUT,
			    "malformed FUNCTIONS section: its functions overlap, or a name lies outside");
		from = address + bytes;
	}
	return 0;
}
