/* SPDX-License-Identifier: MIT */
/* count_calls FILE: reads a recording without the analyzer. Prints "<function> <calls> <returns>" for each function,
 * summed over processes, and fails on a time that goes back within one thread and clock. */
#include "format/codec.h"
#include "format/data_file.h"
#include "format/sections.h"
#include "runtime/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
	struct tee_perf_module_info info; /* with copies of map and strings */
	uint64_t *calls, *returns;        /* per map entry */
};

struct thread {
	uint32_t process, thread;
	struct tee_perf_decoder *decoder;
	uint64_t last, backwards;
};

static struct module modules[65536];
static struct thread threads[65536];
static size_t module_count, thread_count;
static uint64_t unknown, order_faults;

static void *copy(const void *data, size_t size)
{
	void *result = malloc(size + 1);
	memcpy(result, data, size);
	return result;
}

static void add_module(const struct tee_perf_section *section)
{
	struct module *module = &modules[module_count++];
	struct tee_perf_error err = { 0 };

	if (tee_perf_module_decode(section->payload, section->size, &module->info, &err) != 0) {
		fprintf(stderr, "%s\n", err.message);
		exit(1);
	}
	module->info.map = copy(module->info.map, module->info.map_size);
	module->info.strings = copy(module->info.strings, module->info.strings_size);
	module->calls = calloc(module->info.map_size / 16 + 1, 8);
	module->returns = calloc(module->info.map_size / 16 + 1, 8);
}

static struct thread *thread_of(uint32_t process, uint32_t number)
{
	for (size_t i = thread_count; i-- > 0;)
		if (threads[i].process == process && threads[i].thread == number)
			return &threads[i];
	threads[thread_count] =
	    (struct thread){ .process = process, .thread = number, .decoder = tee_perf_decoder_new() };
	return &threads[thread_count++];
}

static void count(const struct thread *thread, const struct tee_perf_record *record, bool call)
{
	for (size_t i = module_count; i-- > 0;) {
		const struct tee_perf_module_info *info = &modules[i].info;
		uint32_t offset = (uint32_t)record->w1 - (uint32_t)info->map_begin;
		if (info->process != thread->process || offset >= info->map_size)
			continue;
		(call ? modules[i].calls : modules[i].returns)[offset / 16]++;
		return;
	}
	unknown++;
}

static void take(struct thread *thread, const struct tee_perf_record *record)
{
	unsigned kind = (unsigned)(record->w0 >> TEE_PERF_KIND_SHIFT);
	uint64_t time = record->w0 & TEE_PERF_TIME_MASK;

	if (kind == TEE_PERF_META && (record->w1 & 0xff) == TEE_PERF_META_CLOCK)
		thread->last = 0;
	order_faults += time < thread->last;
	thread->last = time;
	if (kind == TEE_PERF_CALL || kind == TEE_PERF_CALL_INLINED || kind == TEE_PERF_RETURN)
		count(thread, record, kind != TEE_PERF_RETURN);
}

static void add_events(const struct tee_perf_section *section)
{
	struct tee_perf_events_info info;
	struct tee_perf_record record[1024];
	struct tee_perf_error err = { 0 };
	uint64_t total = 0;
	size_t got;

	if (tee_perf_events_decode(section->payload, section->size, &info, &err) != 0)
		exit(1);
	struct thread *thread = thread_of(info.process, info.thread);
	if (info.reset)
		tee_perf_decoder_reset(thread->decoder);
	const uint8_t *in = info.encoded, *end = in + info.encoded_size;
	while ((got = tee_perf_decode(thread->decoder, &in, end, record, 1024)) > 0) {
		for (size_t i = 0; i < got; i++)
			take(thread, &record[i]);
		total += got;
	}
	if (in != end || total != info.record_count) {
		fprintf(stderr, "a block does not decode to what it says: %llu of %llu\n", (unsigned long long)total,
			(unsigned long long)info.record_count);
		exit(1);
	}
}

static void print_module(const struct module *module)
{
	const struct tee_perf_map_entry *entry = module->info.map;

	for (size_t i = 0; i < module->info.map_size / 16; i++) {
		uint64_t name = module->info.map_begin + 16 * i + (uint64_t)(int64_t)entry[i].name;
		if (module->calls[i] != 0 || module->returns[i] != 0)
			printf("%s %llu %llu\n", module->info.strings + (name - module->info.strings_begin),
			       (unsigned long long)module->calls[i], (unsigned long long)module->returns[i]);
	}
}

/* Modules may come after the events that name them: two passes. */
int main(int argc, char **argv)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_reader *reader = argc == 2 ? tee_perf_reader_open(argv[1], &err) : NULL;
	struct tee_perf_section section;

	if (reader == NULL) {
		fprintf(stderr, "count_calls: %s\n", err.message);
		return 1;
	}
	while (tee_perf_reader_next(reader, &section, &err) == 1)
		if (section.type == TEE_PERF_SECTION_MODULE)
			add_module(&section);
	tee_perf_reader_rewind(reader);
	while (tee_perf_reader_next(reader, &section, &err) == 1)
		if (section.type == TEE_PERF_SECTION_EVENTS)
			add_events(&section);
	for (size_t i = 0; i < module_count; i++)
		print_module(&modules[i]);
	tee_perf_reader_close(reader);
	if (err.class != TEE_PERF_OK || unknown != 0 || order_faults != 0) {
		fprintf(stderr, "count_calls: %s; %llu records of no known function, %llu times that go back\n",
			err.message, (unsigned long long)unknown, (unsigned long long)order_faults);
		return 1;
	}
	return 0;
}
