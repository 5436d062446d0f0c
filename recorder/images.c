/* SPDX-License-Identifier: MIT */
#include "recorder/images.h"
#include "recorder/drain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX   8                    /* on stderr */
#define SECTION_MAX (UINT64_C(60) << 20) /* of what a section may hold (docs/DATA-FORMAT.md) */

static const char no_memory[] = "found no memory: record where there is more of it";

void tee_perf_build_id_text(const uint8_t *id, uint64_t bytes, char out[129])
{
	out[0] = '\0';
	for (uint64_t i = 0; i < bytes && i < 64; i++)
		snprintf(out + 2 * i, 3, "%02x", id[i]);
}

struct tee_perf_image_file *tee_perf_images_file(struct tee_perf_images *images, const char *path, const char *build_id)
{
	for (size_t i = 0; i < images->count; i++)
		if (strcmp(images->file[i].path, path) == 0 && strcmp(images->file[i].build_id, build_id) == 0)
			return &images->file[i];
	if (images->count == images->capacity) {
		size_t capacity = images->capacity == 0 ? 16 : 2 * images->capacity;
		void *grown = realloc(images->file, capacity * sizeof *images->file);
		if (grown == NULL)
			return NULL;
		images->file = grown;
		images->capacity = capacity;
	}
	struct tee_perf_image_file file = { .path = strdup(path), .build_id = strdup(build_id) };
	if (file.path == NULL || file.build_id == NULL) {
		free(file.path);
		free(file.build_id);
		return NULL;
	}
	file.symtab = tee_perf_symtab_open(path, build_id, &file.why);
	images->file[images->count] = file;
	return &images->file[images->count++];
}

bool tee_perf_images_parse(const struct tee_perf_process *process, const uint8_t *record, char build_id[129],
			   struct tee_perf_text_info *info)
{
	const struct tee_perf_module_header *header = (const void *)record;
	uint64_t room = header->bytes - sizeof *header, path_room = (header->path_bytes + 7) & ~UINT64_C(7);
	const char *path = (const char *)(header + 1);

	if (header->path_bytes == 0 || header->path_bytes > room || path_room > room ||
	    header->build_id_bytes > room - path_room || path[header->path_bytes - 1] != '\0')
		return false;
	tee_perf_build_id_text((const uint8_t *)path + path_room, header->build_id_bytes, build_id);
	*info = (struct tee_perf_text_info){ .process = process->number,
					     .text = (uint32_t)header->module,
					     .begin = header->map_begin,
					     .size = header->map_bytes,
					     .load_bias = header->load_bias,
					     .load_ns = header->clock & TEE_PERF_TIME_MASK,
					     .has_hooks = header->type == TEE_PERF_MODULE_TEXT,
					     .path = path,
					     .build_id = build_id };
	return true;
}

void tee_perf_images_text(struct tee_perf_drain *drain, const struct tee_perf_process *process, const uint8_t *record)
{
	const struct tee_perf_module_header *header = (const void *)record;
	struct tee_perf_bytes payload = { 0 };
	struct tee_perf_text_info info;
	char build_id[129];
	struct tee_perf_image_file *file;

	if (!tee_perf_images_parse(process, record, build_id, &info))
		return;
	if ((file = tee_perf_images_file(&drain->images, info.path, build_id)) == NULL) {
		drain->images.forgotten += info.has_hooks;
		return;
	}
	if (header->type == TEE_PERF_MODULE_TEXT)
		file->has_hooks = true;
	else
		file->exports = true;
	if (file->has_hooks)
		tee_perf_walks_prepare(drain, info.path, build_id);
	if (drain->sink->model != NULL)
		tee_perf_model_text(drain->sink->model, &info, &drain->err);
	if (drain->sink->writer != NULL &&
	    (tee_perf_text_encode(&payload, &info) != 0 ||
	     tee_perf_writer_push_section(drain->sink->writer, TEE_PERF_SECTION_TEXT, payload) != 0))
		drain->images.forgotten += info.has_hooks;
}

/* ---- at the end */

/* What files with hooks define for others or want from them: only functions of such a name can be another image's. */
struct names {
	const char **name;
	size_t count, capacity;
};

static void add_name(void *data, const char *name)
{
	struct names *names = data;

	if (names->count == names->capacity) {
		size_t capacity = names->capacity == 0 ? 1024 : 2 * names->capacity;
		void *grown = realloc(names->name, capacity * sizeof *names->name);
		if (grown == NULL)
			return;
		names->name = grown;
		names->capacity = capacity;
	}
	names->name[names->count++] = name;
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool has_name(const void *data, const char *name)
{
	const struct names *names = data;

	return names->count > 0 &&
	       bsearch(&name, names->name, names->count, sizeof *names->name, compare_names) != NULL;
}

/* Why not, or NULL. */
static const char *push_functions(struct tee_perf_drain *drain, const struct tee_perf_image_file *file)
{
	struct tee_perf_bytes payload = { 0 };
	size_t count;
	const struct tee_perf_function_info *functions = tee_perf_symtab_functions(file->symtab, &count);

	if (count == 0)
		return NULL;
	if (tee_perf_functions_encode(&payload, file->path, file->build_id, functions, count) != 0)
		return no_memory;
	if (payload.size > SECTION_MAX) {
		free(payload.data);
		return "has too many functions for a recording: give hooks to fewer files";
	}
	return tee_perf_writer_push_section(drain->sink->writer, TEE_PERF_SECTION_FUNCTIONS, payload) != 0 ? no_memory
													   : NULL;
}

static void finish_file(struct tee_perf_drain *drain, struct tee_perf_image_file *file, const struct names *names)
{
	const char *why;

	if (file->symtab == NULL || (!file->has_hooks && !file->exports))
		return;
	if (tee_perf_symtab_load(file->symtab, file->has_hooks ? NULL : has_name, names) != 0)
		file->why = tee_perf_symtab_trouble(file->symtab);
	if (file->has_hooks)
		tee_perf_symtab_add_lines(file->symtab);
	if ((why = push_functions(drain, file)) != NULL)
		file->why = why;
}

/* What only exports has names for few records at most. */
bool tee_perf_images_unnamed(const struct tee_perf_image_file *file)
{
	return file->has_hooks && file->why != NULL;
}

static void print_unnamed(const struct tee_perf_images *images)
{
	size_t count = 0;

	for (size_t i = 0; i < images->count; i++)
		if (tee_perf_images_unnamed(&images->file[i]) && count++ < LINES_MAX)
			fprintf(stderr, "tee-perf: functions of %s stay without names: the file %s\n",
				images->file[i].path, images->file[i].why);
	if (count > LINES_MAX)
		fprintf(stderr, "tee-perf: so do functions of %zu more files\n", count - LINES_MAX);
	if (images->forgotten > 0)
		fprintf(stderr, "tee-perf: functions of %u images stay without names: out of memory\n",
			images->forgotten);
}

void tee_perf_images_finish(struct tee_perf_drain *drain)
{
	struct tee_perf_images *images = &drain->images;
	struct names names = { 0 };

	for (size_t i = 0; i < images->count; i++)
		if (images->file[i].has_hooks && images->file[i].symtab != NULL)
			tee_perf_symtab_each_dynamic(images->file[i].symtab, add_name, &names);
	if (names.count > 0)
		qsort(names.name, names.count, sizeof *names.name, compare_names);
	for (size_t i = 0; i < images->count && drain->sink->writer != NULL; i++)
		finish_file(drain, &images->file[i], &names);
	print_unnamed(images);
	free(names.name);
}

void tee_perf_images_free(struct tee_perf_images *images)
{
	for (size_t i = 0; i < images->count; i++) {
		tee_perf_symtab_close(images->file[i].symtab);
		free(images->file[i].path);
		free(images->file[i].build_id);
	}
	free(images->file);
}
