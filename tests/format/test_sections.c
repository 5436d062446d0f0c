/* SPDX-License-Identifier: MIT */
#include "format/sections.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t map[32] = { 1, 2, 3, [31] = 4 };
static const char strings[] = "main\0main.c";

static int encode_process(struct tee_perf_bytes *out)
{
	const struct tee_perf_process_info info = { 1, UINT32_MAX, 4711, UINT64_C(1) << 40, "a \"b\" \\ c" };
	return tee_perf_process_encode(out, &info);
}

static int encode_thread(struct tee_perf_bytes *out)
{
	const struct tee_perf_thread_info info = { 1, 2, 4712, "worker/0" };
	return tee_perf_thread_encode(out, &info);
}

static int encode_module(struct tee_perf_bytes *out)
{
	const struct tee_perf_module_info info = {
		.process = 1,
		.module = 3,
		.map_begin = 0x555555558000,
		.strings_begin = 0x555555559000,
		.load_bias = 0x555555554000,
		.load_ns = 5,
		.unload_ns = UINT64_MAX,
		.path = "/usr/bin/with space",
		.build_id = "00ff",
		.map = map,
		.map_size = sizeof map,
		.strings = strings,
		.strings_size = sizeof strings,
	};
	return tee_perf_module_encode(out, &info);
}

static int encode_events(struct tee_perf_bytes *out)
{
	const struct tee_perf_events_info info = { 1, 2, 77, 1, (const uint8_t *)"abc", 3 };
	return tee_perf_events_encode(out, &info);
}

static int encode_pairs(struct tee_perf_bytes *out)
{
	static const struct tee_perf_time_pair pairs[] = { { 1, 2 }, { UINT64_MAX, 0 } };
	return tee_perf_pairs_encode(out, pairs, 2);
}

static int encode_text(struct tee_perf_bytes *out)
{
	const struct tee_perf_text_info info = { 1, 4, 0x555555555000,        0x2000, 0x555555554000,
						 6, 1, "/usr/bin/with space", "00ff" };
	return tee_perf_text_encode(out, &info);
}

static const struct tee_perf_function_info functions[] = {
	{ 0x1000, 0x20, 3, "main", "a.c" },
	{ 0x1020, 1, 0, "_Z1fv", "" },
	{ 0x1031, 0xffffffff, 9, "g", "b.c" },
};

static int encode_functions(struct tee_perf_bytes *out)
{
	return tee_perf_functions_encode(out, "/usr/bin/with space", "00ff", functions, 3);
}

static int decode_process(const void *payload, size_t size, struct tee_perf_error *err)
{
	struct tee_perf_process_info info;
	if (tee_perf_process_decode(payload, size, &info, err) != 0)
		return -1;
	ck_assert_uint_eq(info.process, 1);
	ck_assert_uint_eq(info.parent, UINT32_MAX);
	ck_assert_uint_eq(info.pid, 4711);
	ck_assert_uint_eq(info.start_ns, UINT64_C(1) << 40);
	ck_assert_str_eq(info.command, "a \"b\" \\ c");
	return 0;
}

static int decode_thread(const void *payload, size_t size, struct tee_perf_error *err)
{
	struct tee_perf_thread_info info;
	if (tee_perf_thread_decode(payload, size, &info, err) != 0)
		return -1;
	ck_assert_uint_eq(info.process, 1);
	ck_assert_uint_eq(info.thread, 2);
	ck_assert_uint_eq(info.tid, 4712);
	ck_assert_str_eq(info.name, "worker/0");
	return 0;
}

static int decode_module(const void *payload, size_t size, struct tee_perf_error *err)
{
	struct tee_perf_module_info info;
	if (tee_perf_module_decode(payload, size, &info, err) != 0)
		return -1;
	ck_assert_uint_eq(info.process, 1);
	ck_assert_uint_eq(info.module, 3);
	ck_assert_uint_eq(info.map_begin, 0x555555558000);
	ck_assert_uint_eq(info.strings_begin, 0x555555559000);
	ck_assert_uint_eq(info.load_bias, 0x555555554000);
	ck_assert_uint_eq(info.load_ns, 5);
	ck_assert_uint_eq(info.unload_ns, UINT64_MAX);
	ck_assert_str_eq(info.path, "/usr/bin/with space");
	ck_assert_str_eq(info.build_id, "00ff");
	ck_assert_uint_eq(info.map_size, sizeof map);
	ck_assert_mem_eq(info.map, map, sizeof map);
	ck_assert_uint_eq((uintptr_t)info.map % 16, (uintptr_t)payload % 16);
	ck_assert_uint_eq(info.strings_size, sizeof strings);
	ck_assert_mem_eq(info.strings, strings, sizeof strings);
	return 0;
}

static int decode_events(const void *payload, size_t size, struct tee_perf_error *err)
{
	struct tee_perf_events_info info;
	if (tee_perf_events_decode(payload, size, &info, err) != 0)
		return -1;
	ck_assert_uint_eq(info.process, 1);
	ck_assert_uint_eq(info.thread, 2);
	ck_assert_uint_eq(info.record_count, 77);
	ck_assert_uint_eq(info.reset, 1);
	if (info.encoded_size == 3) /* its end is the payload's: a cut is for the codec to notice */
		ck_assert_mem_eq(info.encoded, "abc", 3);
	ck_assert_uint_le(info.encoded_size, 4);
	return info.encoded_size == 3 ? 0 : tee_perf_fail(err, TEE_PERF_INPUT, "other size");
}

static int decode_pairs(const void *payload, size_t size, struct tee_perf_error *err)
{
	struct tee_perf_time_pair *pairs;
	size_t count;
	if (tee_perf_pairs_decode(payload, size, &pairs, &count, err) != 0) {
		ck_assert_ptr_null(pairs);
		return -1;
	}
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(pairs[0].a, 1);
	ck_assert_uint_eq(pairs[0].b, 2);
	ck_assert_uint_eq(pairs[1].a, UINT64_MAX);
	ck_assert_uint_eq(pairs[1].b, 0);
	free(pairs);
	return 0;
}

static int decode_text(const void *payload, size_t size, struct tee_perf_error *err)
{
	struct tee_perf_text_info info;
	if (tee_perf_text_decode(payload, size, &info, err) != 0)
		return -1;
	ck_assert_uint_eq(info.process, 1);
	ck_assert_uint_eq(info.text, 4);
	ck_assert_uint_eq(info.begin, 0x555555555000);
	ck_assert_uint_eq(info.size, 0x2000);
	ck_assert_uint_eq(info.load_bias, 0x555555554000);
	ck_assert_uint_eq(info.load_ns, 6);
	ck_assert_uint_eq(info.has_hooks, 1);
	ck_assert_str_eq(info.path, "/usr/bin/with space");
	ck_assert_str_eq(info.build_id, "00ff");
	return 0;
}

static int decode_functions(const void *payload, size_t size, struct tee_perf_error *err)
{
	struct tee_perf_functions_info info;
	if (tee_perf_functions_decode(payload, size, &info, err) != 0)
		return -1;
	ck_assert_uint_eq(info.count, 3);
	for (size_t i = 0; i < 3; i++) {
		struct tee_perf_function_info function = tee_perf_functions_at(&info, i);
		ck_assert_uint_eq(function.address, functions[i].address);
		ck_assert_uint_eq(function.size, functions[i].size);
		ck_assert_uint_eq(function.line, functions[i].line);
		ck_assert_str_eq(function.name, functions[i].name);
		ck_assert_str_eq(function.file, functions[i].file);
	}
	ck_assert_str_eq(info.path, "/usr/bin/with space");
	ck_assert_str_eq(info.build_id, "00ff");
	return 0;
}

static const struct {
	int (*encode)(struct tee_perf_bytes *out);
	int (*decode)(const void *payload, size_t size, struct tee_perf_error *err);
	const char *name; /* in messages */
} kinds[] = {
	{ encode_process, decode_process, "PROCESS" },       { encode_thread, decode_thread, "THREAD" },
	{ encode_module, decode_module, "MODULE" },          { encode_events, decode_events, "EVENTS" },
	{ encode_pairs, decode_pairs, "time pairs" },        { encode_text, decode_text, "TEXT" },
	{ encode_functions, decode_functions, "FUNCTIONS" },
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

START_TEST(what_is_encoded_is_decoded)
{
	struct tee_perf_bytes bytes = { 0 };
	struct tee_perf_error err = { 0 };
	ck_assert_int_eq(kinds[_i].encode(&bytes), 0);
	ck_assert_int_eq(kinds[_i].decode(bytes.data, bytes.size, &err), 0);
	free(bytes.data);
}
END_TEST

/* A buffer that holds something already is appended to. */
START_TEST(encoding_appends)
{
	struct tee_perf_bytes bytes = { 0 };
	struct tee_perf_error err = { 0 };
	ck_assert_int_eq(encode_thread(&bytes), 0);
	size_t before = bytes.size;
	ck_assert_int_eq(kinds[_i].encode(&bytes), 0);
	ck_assert_int_eq(decode_thread(bytes.data, before, &err), 0);
	uint8_t *copy = malloc(bytes.size - before);
	memcpy(copy, bytes.data + before, bytes.size - before);
	ck_assert_int_eq(kinds[_i].decode(copy, bytes.size - before, &err), 0);
	free(copy);
	free(bytes.data);
}
END_TEST

START_TEST(every_cut_is_an_error_and_so_is_a_byte_more)
{
	struct tee_perf_bytes bytes = { 0 };
	ck_assert_int_eq(kinds[_i].encode(&bytes), 0);
	for (size_t size = 0; size <= bytes.size + 1; size++) {
		struct tee_perf_error err = { 0 };
		uint8_t *copy = calloc(1, size + (size == 0));
		memcpy(copy, bytes.data, size < bytes.size ? size : bytes.size);
		int result = kinds[_i].decode(copy, size, &err);
		ck_assert_int_eq(result, size == bytes.size ? 0 : -1);
		if (result != 0) {
			ck_assert_int_eq(err.class, TEE_PERF_INPUT);
			ck_assert(strstr(err.message, kinds[_i].name) != NULL ||
				  strcmp(err.message, "other size") == 0);
		}
		free(copy);
	}
	free(bytes.data);
}
END_TEST

struct any {
	union {
		struct tee_perf_process_info process;
		struct tee_perf_thread_info thread;
		struct tee_perf_module_info module;
		struct tee_perf_events_info events;
	};
};

/* Reads every byte that a decoder says is there: a sanitizer sees what is not. */
static uint64_t touch(const void *bytes, size_t size)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < size; i++)
		sum += ((const uint8_t *)bytes)[i];
	return sum;
}

static volatile uint64_t touched;

static void decode_anything(int kind, const uint8_t *payload, size_t size)
{
	struct any any;
	struct tee_perf_time_pair *pairs;
	size_t count;
	switch (kind) {
	case 0:
		if (tee_perf_process_decode(payload, size, &any.process, NULL) == 0)
			touched = strlen(any.process.command);
		break;
	case 1:
		if (tee_perf_thread_decode(payload, size, &any.thread, NULL) == 0)
			touched = strlen(any.thread.name);
		break;
	case 2:
		if (tee_perf_module_decode(payload, size, &any.module, NULL) == 0)
			touched = strlen(any.module.path) + strlen(any.module.build_id) +
				  touch(any.module.map, any.module.map_size) +
				  touch(any.module.strings, any.module.strings_size);
		break;
	case 3:
		if (tee_perf_events_decode(payload, size, &any.events, NULL) == 0)
			touched = touch(any.events.encoded, any.events.encoded_size);
		break;
	case 4:
		if (tee_perf_pairs_decode(payload, size, &pairs, &count, NULL) == 0) {
			touched = touch(pairs, count * sizeof *pairs);
			free(pairs);
		}
		break;
	}
}

START_TEST(flipped_bytes_stay_in_bounds)
{
	struct tee_perf_bytes bytes = { 0 };
	ck_assert_int_eq(kinds[_i].encode(&bytes), 0);
	uint8_t *copy = malloc(bytes.size);
	for (size_t at = 0; at < bytes.size; at++) {
		for (unsigned flip = 1; flip < 256; flip++) {
			memcpy(copy, bytes.data, bytes.size);
			copy[at] ^= (uint8_t)flip;
			decode_anything(_i, copy, bytes.size);
		}
	}
	free(copy);
	free(bytes.data);
}
END_TEST

START_TEST(counts_of_2_to_the_40_are_refused)
{
	uint8_t pairs[24] = { [5] = 1 };
	struct tee_perf_time_pair *out;
	size_t count;
	struct tee_perf_error err = { 0 };
	ck_assert_int_eq(tee_perf_pairs_decode(pairs, sizeof pairs, &out, &count, &err), -1);
	ck_assert_int_eq(err.class, TEE_PERF_INPUT);
	ck_assert_uint_eq(count, 0);
	uint8_t overflow[24] = { [7] = 0x10, [0] = 1 }; /* 2^60 + 1, times 16 is 16 */
	ck_assert_int_eq(tee_perf_pairs_decode(overflow, sizeof overflow, &out, &count, NULL), -1);
}
END_TEST

START_TEST(a_missing_string_is_an_empty_one)
{
	const struct tee_perf_thread_info in = { .thread = 9 };
	struct tee_perf_thread_info out;
	struct tee_perf_bytes bytes = { 0 };
	ck_assert_int_eq(tee_perf_thread_encode(&bytes, &in), 0);
	ck_assert_int_eq(tee_perf_thread_decode(bytes.data, bytes.size, &out, NULL), 0);
	ck_assert_str_eq(out.name, "");
	free(bytes.data);
}
END_TEST

/* A reader must be able to walk the strings without a check of its own. */
START_TEST(a_module_whose_strings_do_not_end_is_refused)
{
	struct tee_perf_module_info info = { .path = "p", .build_id = "", .strings = "abc", .strings_size = 3 };
	struct tee_perf_bytes bytes = { 0 };
	struct tee_perf_error err = { 0 };
	ck_assert_int_eq(tee_perf_module_encode(&bytes, &info), 0);
	ck_assert_int_eq(tee_perf_module_decode(bytes.data, bytes.size, &info, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.message, "does not end"));
	free(bytes.data);
	bytes = (struct tee_perf_bytes){ 0 };
	info = (struct tee_perf_module_info){ .path = "p", .map = map, .map_size = 15 };
	err.class = TEE_PERF_OK;
	ck_assert_int_eq(tee_perf_module_encode(&bytes, &info), 0);
	ck_assert_int_eq(tee_perf_module_decode(bytes.data, bytes.size, &info, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.message, "no whole number of entries"));
	free(bytes.data);
}
END_TEST

START_TEST(functions_that_overlap_or_have_no_name_are_refused)
{
	static const struct {
		size_t at; /* of a byte */
		uint8_t value;
	} faults[] = { { 4 + 24, 0x1f }, { 4 + 8, 0x21 }, { 4 + 24 + 8, 0 }, { 4 + 16, 200 }, { 4 + 20, 200 } };
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct tee_perf_bytes bytes = { 0 };
		struct tee_perf_functions_info info;
		struct tee_perf_error err = { 0 };
		ck_assert_int_eq(encode_functions(&bytes), 0);
		bytes.data[faults[i].at] = faults[i].value;
		ck_assert_int_eq(tee_perf_functions_decode(bytes.data, bytes.size, &info, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.message, "overlap"));
		free(bytes.data);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sections");
	TCase *tcase = tcase_create("sections");
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, what_is_encoded_is_decoded, 0, KINDS);
	tcase_add_loop_test(tcase, encoding_appends, 0, KINDS);
	tcase_add_loop_test(tcase, every_cut_is_an_error_and_so_is_a_byte_more, 0, KINDS);
	tcase_add_loop_test(tcase, flipped_bytes_stay_in_bounds, 0, KINDS);
	tcase_add_test(tcase, counts_of_2_to_the_40_are_refused);
	tcase_add_test(tcase, a_missing_string_is_an_empty_one);
	tcase_add_test(tcase, a_module_whose_strings_do_not_end_is_refused);
	tcase_add_test(tcase, functions_that_overlap_or_have_no_name_are_refused);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? 0 : 1;
}
