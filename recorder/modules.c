/* SPDX-License-Identifier: MIT */
/* The module area of a process (runtime/log_layout.h), copied out before it is looked at: the process may
 * still write there. */
#include "recorder/drain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

/* Points into the record; false where its lengths contradict each other. */
static bool parse(const struct tee_perf_process *process, const uint8_t *record, uint64_t size, char build_id[129],
		  struct tee_perf_module_info *info)
{
	const struct tee_perf_module_header *header = (const void *)record;
	const uint64_t length[] = { header->map_bytes, header->strings_bytes, header->path_bytes,
				    header->build_id_bytes };
	const uint8_t *part[4];
	uint64_t offset = sizeof *header;

	for (int i = 0; i < 4; i++) {
		if (length[i] > size || padded(length[i]) > size - offset)
			return false;
		part[i] = record + offset;
		offset += padded(length[i]);
	}
	if (length[0] % 16 != 0 || length[2] == 0 || part[2][length[2] - 1] != 0)
		return false;
	if (length[1] > 0 && part[1][length[1] - 1] != 0)
		return false;
	tee_perf_build_id_text(part[3], length[3], build_id);
	*info = (struct tee_perf_module_info){ .process = process->number,
					       .module = (uint32_t)header->module,
					       .map_begin = header->map_begin,
					       .strings_begin = header->strings_begin,
					       .load_bias = header->load_bias,
					       .load_ns = header->clock & TEE_PERF_TIME_MASK,
					       .unload_ns = UINT64_MAX,
					       .path = (const char *)part[2],
					       .build_id = build_id,
					       .map = part[0],
					       .map_size = length[0],
					       .strings = (const char *)part[1],
					       .strings_size = length[1] };
	return true;
}

static void emit(struct tee_perf_drain *drain, const struct tee_perf_module_info *info)
{
	struct tee_perf_bytes payload = { 0 };

	if (drain->sink->model != NULL)
		tee_perf_model_module(drain->sink->model, info, &drain->err);
	if (drain->sink->writer == NULL)
		return;
	if (tee_perf_module_encode(&payload, info) == 0)
		tee_perf_writer_push_section(drain->sink->writer, TEE_PERF_SECTION_MODULE, payload);
	else
		tee_perf_fail(&drain->err, TEE_PERF_RESOURCE, "out of memory for the names of %s", info->path);
}

/* A copy of the record at `offset`, which the caller frees; NULL: there is none, or it contradicts itself. */
static uint8_t *copy_record(const struct tee_perf_drain *drain, const struct tee_perf_process *process, uint64_t offset,
			    struct tee_perf_module_header *header)
{
	uint64_t written = region_load(&process->segment->module_written);
	const uint8_t *record = (const uint8_t *)(process->segment + 1) + offset;

	if (written > drain->region->module_bytes || written % 8 != 0 || offset + sizeof *header > written)
		return NULL;
	memcpy(header, record, sizeof *header);
	if (header->bytes < sizeof *header || header->bytes > written - offset || header->bytes % 8 != 0)
		return NULL;
	uint64_t bytes = header->bytes;
	uint8_t *copy = malloc(bytes);
	if (copy != NULL)
		memcpy(copy, record, bytes);
	if (copy != NULL) /* may have changed since */
		memcpy(copy, header, sizeof *header);
	return copy;
}

#define MODULES_MAX (1u << 20)

/* Remembers where the module's record lies: it is told again when the module is unloaded. */
static void remember(struct tee_perf_process *process, uint64_t module)
{
	if (module >= MODULES_MAX)
		return;
	if (module >= process->module_capacity) {
		uint32_t capacity = process->module_capacity ? process->module_capacity : 16;
		while (capacity <= module)
			capacity *= 2;
		uint64_t *grown = realloc(process->module_at, capacity * sizeof *grown);
		if (grown == NULL)
			return;
		memset(grown + process->module_capacity, 0, (capacity - process->module_capacity) * sizeof *grown);
		process->module_at = grown;
		process->module_capacity = capacity;
	}
	process->module_at[module] = process->modules_read + 1;
}

static void unload(struct tee_perf_drain *drain, struct tee_perf_process *process,
		   const struct tee_perf_module_header *end)
{
	struct tee_perf_module_header header;
	struct tee_perf_module_info info;
	char build_id[129];

	if (end->module >= process->module_capacity || process->module_at[end->module] == 0)
		return;
	uint8_t *copy = copy_record(drain, process, process->module_at[end->module] - 1, &header);
	if (copy != NULL && parse(process, copy, header.bytes, build_id, &info)) {
		info.unload_ns = end->clock > info.load_ns ? end->clock : info.load_ns;
		emit(drain, &info);
	}
	free(copy);
}

static void note_conflict(struct tee_perf_drain *drain, const struct tee_perf_module_info *info)
{
	for (unsigned i = 0; i < drain->conflict_count; i++)
		if (strcmp(drain->conflict[i], info->path) == 0)
			return; /* a forked child's */
	if (drain->conflict_count < TEE_PERF_CONFLICTS_MAX &&
	    (drain->conflict[drain->conflict_count] = strdup(info->path)) != NULL)
		drain->conflict_count++;
}

void tee_perf_modules_drain(struct tee_perf_drain *drain, struct tee_perf_process *process)
{
	struct tee_perf_module_header header;
	struct tee_perf_module_info info;
	char build_id[129];
	uint8_t *copy;

	while ((copy = copy_record(drain, process, process->modules_read, &header)) != NULL) {
		if (header.type == TEE_PERF_MODULE_LOAD && parse(process, copy, header.bytes, build_id, &info)) {
			emit(drain, &info);
			remember(process, header.module);
			tee_perf_walks_prepare(drain, info.path, build_id);
		}
		if (header.type == TEE_PERF_MODULE_CONFLICT && parse(process, copy, header.bytes, build_id, &info))
			note_conflict(drain, &info);
		if (header.type == TEE_PERF_MODULE_CROSSING) {
			drain->ecall_cycles = header.map_begin;
			drain->ocall_cycles = header.strings_begin;
			drain->crossing_costs = true;
		}
		if (header.type == TEE_PERF_MODULE_UNLOAD)
			unload(drain, process, &header);
		if (header.type == TEE_PERF_MODULE_TEXT || header.type == TEE_PERF_MODULE_SYMBOLS)
			tee_perf_images_text(drain, process, copy);
		free(copy);
		process->modules_read += header.bytes;
	}
}

void tee_perf_modules_each(struct tee_perf_drain *drain, const struct tee_perf_process *process,
			   void (*module)(void *data, const struct tee_perf_module_info *info),
			   void (*text)(void *data, const struct tee_perf_text_info *info), void *data)
{
	struct tee_perf_module_header header;
	struct tee_perf_module_info module_info;
	struct tee_perf_text_info text_info;
	char build_id[129];

	for (uint64_t at = 0; at < process->modules_read; at += header.bytes) {
		uint8_t *copy = copy_record(drain, process, at, &header);
		if (copy == NULL)
			return;
		if (header.type == TEE_PERF_MODULE_LOAD && parse(process, copy, header.bytes, build_id, &module_info))
			module(data, &module_info);
		if (header.type == TEE_PERF_MODULE_TEXT && tee_perf_images_parse(process, copy, build_id, &text_info))
			text(data, &text_info);
		free(copy);
	}
}

void tee_perf_modules_first_name(struct tee_perf_drain *drain, const struct tee_perf_process *process, char *name,
				 size_t size)
{
	struct tee_perf_module_header header = { 0 };
	struct tee_perf_module_info info;
	char build_id[129];
	uint8_t *copy = copy_record(drain, process, 0, &header);

	struct tee_perf_text_info text = { .path = NULL };
	bool by_address = header.type == TEE_PERF_MODULE_TEXT || header.type == TEE_PERF_MODULE_SYMBOLS;
	if (copy != NULL && (by_address ? tee_perf_images_parse(process, copy, build_id, &text)
					: parse(process, copy, header.bytes, build_id, &info))) {
		const char *path = by_address ? text.path : info.path, *slash = strrchr(path, '/');
		snprintf(name, size, "%s", slash != NULL ? slash + 1 : path);
	}
	free(copy);
}
