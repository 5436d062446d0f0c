/* SPDX-License-Identifier: MIT */
/* Functions that records name by address: which file's code lies there, and which of its functions holds the address.
 */
#include "analyzer/texts.h"
#include "analyzer/model_internal.h"

#include <stdlib.h>
#include <string.h>

struct tee_perf_text {
	uint32_t process, number;
	uint64_t begin, size, load_bias, load_ns;
	char *path, *build_id;
	bool has_hooks;
};

/* The functions of a file; what info's pointers point to is owned. */
struct tee_perf_text_file {
	struct tee_perf_functions_info info;
};

static int out_of_memory(struct tee_perf_error *err)
{
	return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the names of the functions");
}

static void *copy(const void *bytes, size_t size)
{
	void *result = malloc(size == 0 ? 1 : size);
	if (result != NULL && size != 0)
		memcpy(result, bytes, size);
	return result;
}

/* The whole addresses overlap: one of the two has taken the place of the other. */
static bool same_place(const struct tee_perf_text *a, const struct tee_perf_text *b)
{
	return b->begin - a->begin < a->size || a->begin - b->begin < b->size;
}

int tee_perf_model_text(struct tee_perf_model *model, const struct tee_perf_text_info *info, struct tee_perf_error *err)
{
	struct tee_perf_texts *texts = &model->texts;
	if (tee_perf_grow(&texts->texts, texts->text_count, &texts->text_capacity, sizeof *texts->texts) != 0)
		return out_of_memory(err);
	struct tee_perf_text text = { .process = info->process,
				      .number = info->text,
				      .begin = info->begin,
				      .size = info->size > UINT32_MAX ? UINT32_MAX : info->size,
				      .load_bias = info->load_bias,
				      .load_ns = info->load_ns,
				      .has_hooks = info->has_hooks != 0,
				      .path = strdup(info->path),
				      .build_id = strdup(info->build_id) };
	bool overlaps = false; /* so that records of either mean another function from now on */
	for (uint32_t i = 0; i < texts->text_count && !overlaps; i++) {
		const struct tee_perf_text *other = &texts->texts[i];
		uint32_t a = (uint32_t)text.begin, b = (uint32_t)other->begin;
		bool both_named = text.has_hooks && other->has_hooks;
		overlaps = other->process == text.process && (b - a < text.size || a - b < other->size) &&
			   (both_named || same_place(other, &text)) &&
			   (other->number != text.number || strcmp(other->path, info->path) != 0);
	}
	if (text.path == NULL || text.build_id == NULL ||
	    (overlaps && tee_perf_model_remap(model, text.process, text.begin, text.size, text.load_ns) != 0)) {
		free(text.path);
		free(text.build_id);
		return out_of_memory(err);
	}
	texts->texts[texts->text_count++] = text;
	return 0;
}

int tee_perf_model_functions(struct tee_perf_model *model, const struct tee_perf_functions_info *info,
			     struct tee_perf_error *err)
{
	struct tee_perf_texts *texts = &model->texts;
	if (tee_perf_grow(&texts->files, texts->file_count, &texts->file_capacity, sizeof *texts->files) != 0)
		return out_of_memory(err);
	struct tee_perf_functions_info own = *info;
	own.path = strdup(info->path);
	own.build_id = strdup(info->build_id);
	own.functions = copy(info->functions, info->count * TEE_PERF_FUNCTION_BYTES);
	own.strings = copy(info->strings, info->strings_size);
	texts->files[texts->file_count].info = own;
	texts->file_count++;
	if (own.path != NULL && own.build_id != NULL && own.functions != NULL && own.strings != NULL)
		return 0;
	texts->file_count--;
	free((void *)own.path);
	free((void *)own.build_id);
	free((void *)own.functions);
	free((void *)own.strings);
	return out_of_memory(err);
}

void tee_perf_texts_free(struct tee_perf_texts *texts)
{
	for (uint32_t i = 0; i < texts->text_count; i++) {
		free(texts->texts[i].path);
		free(texts->texts[i].build_id);
	}
	for (uint32_t i = 0; i < texts->file_count; i++) {
		free((void *)texts->files[i].info.path);
		free((void *)texts->files[i].info.build_id);
		free((void *)texts->files[i].info.functions);
		free((void *)texts->files[i].info.strings);
	}
	free(texts->texts);
	free(texts->files);
}

static const struct tee_perf_functions_info *find_file(const struct tee_perf_texts *texts,
						       const struct tee_perf_text *text)
{
	for (uint32_t i = 0; i < texts->file_count; i++)
		if (strcmp(texts->files[i].info.path, text->path) == 0 &&
		    strcmp(texts->files[i].info.build_id, text->build_id) == 0)
			return &texts->files[i].info;
	return NULL;
}

uint32_t tee_perf_texts_count(const struct tee_perf_texts *texts)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < texts->text_count; i++)
		count += texts->texts[i].has_hooks;
	return count;
}

struct tee_perf_text_image_info tee_perf_texts_at(const struct tee_perf_texts *texts, uint32_t number)
{
	uint32_t i = 0;
	while (!texts->texts[i].has_hooks || number-- != 0)
		i++;
	const struct tee_perf_text *text = &texts->texts[i];
	const struct tee_perf_functions_info *file = find_file(texts, text);
	return (struct tee_perf_text_image_info){ .process = text->process,
						  .path = text->path,
						  .build_id = text->build_id,
						  .begin = text->begin,
						  .load_bias = text->load_bias,
						  .load_ns = text->load_ns,
						  .functions = file == NULL ? 0 : file->count };
}

/* A text in which an address may lie, and the function there. */
struct candidate {
	const struct tee_perf_text *text;
	struct tee_perf_function_info function; /* name NULL: none is known */
	int fit;
};

static struct candidate look_into(const struct tee_perf_texts *texts, const struct tee_perf_text *text,
				  uint32_t address)
{
	struct candidate found = { .text = text, .fit = text->has_hooks };
	const struct tee_perf_functions_info *file = find_file(texts, text);
	uint64_t wanted = text->begin + (uint32_t)(address - (uint32_t)text->begin) - text->load_bias;
	size_t low = 0, high = file == NULL ? 0 : file->count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (tee_perf_functions_at(file, middle).address <= wanted)
			low = middle;
		else
			high = middle;
	}
	if (high == 0)
		return found;
	struct tee_perf_function_info function = tee_perf_functions_at(file, low);
	if (wanted - function.address >= function.size)
		return found;
	found.function = function;
	found.fit += function.address == wanted ? 4 : 2; /* what gcc passes is where a function begins */
	return found;
}

/* Of two texts at one place the time decides. Of two that only share the low 32 bits of their addresses, which is all
 * that a record has, the one that has such a function: a large library covers a program's addresses once in some
 * thousand runs. */
static bool better(const struct candidate *a, const struct candidate *b, uint64_t time_ns)
{
	if (!same_place(a->text, b->text) && a->fit != b->fit)
		return a->fit > b->fit;
	if (a->text->load_ns <= time_ns)
		return b->text->load_ns > time_ns || a->text->load_ns >= b->text->load_ns;
	return b->text->load_ns > a->text->load_ns;
}

struct tee_perf_symbol tee_perf_text_lookup(const struct tee_perf_model *model, uint32_t process, uint32_t address,
					    uint64_t time_ns)
{
	const struct tee_perf_texts *texts = &model->texts;
	struct candidate best = { .text = NULL };
	for (uint32_t i = 0; i < texts->text_count; i++) {
		const struct tee_perf_text *text = &texts->texts[i];
		if (text->process != process || address - (uint32_t)text->begin >= text->size)
			continue;
		struct candidate candidate = look_into(texts, text, address);
		if (best.text == NULL || better(&candidate, &best, time_ns))
			best = candidate;
	}
	struct tee_perf_symbol symbol = { .module = best.text == NULL ? "" : best.text->path, .file = "" };
	if (best.function.name == NULL)
		return symbol;
	symbol.linkage_name = best.function.name;
	symbol.file = best.function.file;
	symbol.line = best.function.line;
	return symbol;
}
