/* SPDX-License-Identifier: MIT */
/* Any bytes as each section's payload. What is accepted must encode to a payload that is accepted. */
#include "format/sections.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static volatile uint64_t touched;

static uint64_t touch(const void *bytes, size_t size)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < size; i++)
		sum += ((const uint8_t *)bytes)[i];
	return sum;
}

static void fuzz_process(const uint8_t *data, size_t size, struct tee_perf_bytes *again)
{
	struct tee_perf_process_info info, second;
	if (tee_perf_process_decode(data, size, &info, NULL) != 0)
		return;
	EXPECT(tee_perf_process_encode(again, &info) == 0 && again->size == size);
	EXPECT(tee_perf_process_decode(again->data, again->size, &second, NULL) == 0);
	EXPECT(strcmp(info.command, second.command) == 0);
}

static void fuzz_thread(const uint8_t *data, size_t size, struct tee_perf_bytes *again)
{
	struct tee_perf_thread_info info, second;
	if (tee_perf_thread_decode(data, size, &info, NULL) != 0)
		return;
	EXPECT(tee_perf_thread_encode(again, &info) == 0 && again->size == size);
	EXPECT(tee_perf_thread_decode(again->data, again->size, &second, NULL) == 0);
	EXPECT(strcmp(info.name, second.name) == 0);
}

static void fuzz_module(const uint8_t *data, size_t size, struct tee_perf_bytes *again)
{
	struct tee_perf_module_info info, second;
	if (tee_perf_module_decode(data, size, &info, NULL) != 0)
		return;
	touched = touch(info.map, info.map_size) + touch(info.strings, info.strings_size);
	EXPECT(info.strings_size == 0 || info.strings[info.strings_size - 1] == 0);
	EXPECT(tee_perf_module_encode(again, &info) == 0 && again->size == size);
	EXPECT(tee_perf_module_decode(again->data, again->size, &second, NULL) == 0);
	EXPECT(strcmp(info.path, second.path) == 0 && strcmp(info.build_id, second.build_id) == 0);
}

static void fuzz_events(const uint8_t *data, size_t size, struct tee_perf_bytes *again)
{
	struct tee_perf_events_info info;
	if (tee_perf_events_decode(data, size, &info, NULL) != 0)
		return;
	touched = touch(info.encoded, info.encoded_size);
	EXPECT(tee_perf_events_encode(again, &info) == 0 && again->size == size);
}

static void fuzz_pairs(const uint8_t *data, size_t size, struct tee_perf_bytes *again)
{
	struct tee_perf_time_pair *pairs;
	size_t count;
	if (tee_perf_pairs_decode(data, size, &pairs, &count, NULL) != 0)
		return;
	EXPECT(tee_perf_pairs_encode(again, pairs, count) == 0 && again->size == size);
	EXPECT(memcmp(again->data, data, size) == 0);
	free(pairs);
}

static void fuzz_text(const uint8_t *data, size_t size, struct tee_perf_bytes *again)
{
	struct tee_perf_text_info info, second;
	if (tee_perf_text_decode(data, size, &info, NULL) != 0)
		return;
	EXPECT(tee_perf_text_encode(again, &info) == 0 && again->size == size);
	EXPECT(tee_perf_text_decode(again->data, again->size, &second, NULL) == 0);
	EXPECT(second.begin == info.begin && second.size == info.size && second.load_ns == info.load_ns);
	EXPECT(strcmp(info.path, second.path) == 0 && strcmp(info.build_id, second.build_id) == 0);
}

static void fuzz_functions(const uint8_t *data, size_t size, struct tee_perf_bytes *again)
{
	struct tee_perf_functions_info info, second;
	if (tee_perf_functions_decode(data, size, &info, NULL) != 0)
		return;
	struct tee_perf_function_info *functions = malloc((info.count + 1) * sizeof *functions);
	for (size_t i = 0; i < info.count; i++) {
		functions[i] = tee_perf_functions_at(&info, i);
		EXPECT(i == 0 || functions[i].address >= functions[i - 1].address + functions[i - 1].size);
		touched = touch(functions[i].name, strlen(functions[i].name));
		touched = touch(functions[i].file, strlen(functions[i].file));
	}
	EXPECT(tee_perf_functions_encode(again, info.path, info.build_id, functions, info.count) == 0);
	EXPECT(tee_perf_functions_decode(again->data, again->size, &second, NULL) == 0 && second.count == info.count);
	for (size_t i = 0; i < info.count; i++) {
		struct tee_perf_function_info function = tee_perf_functions_at(&second, i);
		EXPECT(function.address == functions[i].address && strcmp(function.name, functions[i].name) == 0 &&
		       strcmp(function.file, functions[i].file) == 0);
	}
	free(functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const kinds[])(const uint8_t *, size_t, struct tee_perf_bytes *) = {
		fuzz_process, fuzz_thread, fuzz_module, fuzz_events, fuzz_pairs, fuzz_text, fuzz_functions,
	};
	struct tee_perf_bytes again = { 0 };
	if (size == 0)
		return 0;
	kinds[data[0] < 250 ? data[0] % 5 : 5 + data[0] % 2](data + 1, size - 1, &again);
	free(again.data);
	return 0;
}
