/* SPDX-License-Identifier: MIT */
/* Walked stacks: in the place of an address within a function comes what records name that function by. */
#include "recorder/drain.h"
#include "runtime/abi.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN       1024u      /* addresses of a process that are remembered; a deep recursion has few */
#define LOOKUPS_MAX (1u << 16) /* of a process: each goes through all of its images */

struct tee_perf_walked {
	uint64_t modules_read; /* when it was filled */
	uint32_t lookups;
	struct {
		uint64_t pc;
		uint32_t entry;
	} known[KNOWN];
};

/* ---- which function holds an address */

struct search {
	struct tee_perf_drain *drain;
	uint64_t pc;
	uint32_t entry; /* 0: none with hooks */
};

static bool same_file(const char *a, const char *b)
{
	const char *a_slash = strrchr(a, '/'), *b_slash = strrchr(b, '/');

	return strcmp(a_slash != NULL ? a_slash + 1 : a, b_slash != NULL ? b_slash + 1 : b) == 0;
}

static const char *string_at(const struct tee_perf_module_info *info, uint64_t field, int32_t relative)
{
	uint64_t place = field + (uint64_t)(int64_t)relative - info->strings_begin;

	return relative == 0 || place >= info->strings_size ? "" : info->strings + place;
}

/* A part of a function that lies elsewhere has a name of its own. */
static bool has_name(const char *symbol, const char *name)
{
	size_t length = strlen(name);

	return strncmp(symbol, name, length) == 0 && (symbol[length] == '\0' || strcmp(symbol + length, ".cold") == 0 ||
						      strncmp(symbol + length, ".llvm.", 6) == 0);
}

/* The map entry of a function, by name; of several (static functions of one name) that of its file, where the file says
 * which. 0: it has none, or nobody can tell. */
static uint32_t find_entry(const struct tee_perf_module_info *info, struct tee_perf_symtab *symtab,
			   const struct tee_perf_function_info *function)
{
	uint32_t found = 0, fitting = 0;
	unsigned count = 0, fitting_count = 0;

	for (size_t offset = 0; offset + sizeof(struct tee_perf_map_entry) <= info->map_size;
	     offset += sizeof(struct tee_perf_map_entry)) {
		struct tee_perf_map_entry entry;
		uint64_t address = info->map_begin + offset;
		memcpy(&entry, (const char *)info->map + offset, sizeof entry);
		const char *name = string_at(info, address + offsetof(struct tee_perf_map_entry, name), entry.name);
		if (entry.kind == TEE_PERF_ENTRY_MARK || entry.kind == TEE_PERF_ENTRY_EXTERNAL || name[0] == '\0' ||
		    !has_name(function->name, name))
			continue;
		found = (uint32_t)address;
		count++;
		const char *file = string_at(info, address + offsetof(struct tee_perf_map_entry, file), entry.file);
		const char *home = tee_perf_symtab_file(symtab, function);
		if (home != NULL && same_file(home, file)) {
			fitting = (uint32_t)address;
			fitting_count++;
		}
	}
	if (count == 1)
		return found;
	return fitting_count == 1 ? fitting : 0;
}

/* The file's functions, if its code lies around the address; NULL: not. */
static struct tee_perf_symtab *covering(struct search *search, const char *path, const char *build_id, uint64_t bias)
{
	struct tee_perf_image_file *file = tee_perf_images_file(&search->drain->images, path, build_id);

	if (file == NULL || file->symtab == NULL || !tee_perf_symtab_holds(file->symtab, search->pc - bias))
		return NULL;
	tee_perf_symtab_load(file->symtab, NULL, NULL); /* what could be read counts */
	return file->symtab;
}

static void look_in_module(void *data, const struct tee_perf_module_info *info)
{
	struct search *search = data;
	struct tee_perf_symtab *symtab = covering(search, info->path, info->build_id, info->load_bias);
	const struct tee_perf_function_info *function =
	    symtab == NULL ? NULL : tee_perf_symtab_find(symtab, search->pc - info->load_bias);

	if (function != NULL)
		search->entry = find_entry(info, symtab, function);
}

/* Of gcc's functions the address itself is the name. */
static void look_in_text(void *data, const struct tee_perf_text_info *info)
{
	struct search *search = data;
	struct tee_perf_symtab *symtab = covering(search, info->path, info->build_id, info->load_bias);
	const struct tee_perf_function_info *function =
	    symtab == NULL ? NULL : tee_perf_symtab_find(symtab, search->pc - info->load_bias);

	if (function != NULL && search->entry == 0 && tee_perf_symtab_has_gcc_hooks(symtab, function))
		search->entry = (uint32_t)(function->address + info->load_bias);
}

static uint32_t entry_of(struct tee_perf_drain *drain, struct tee_perf_process *process, uint64_t pc)
{
	if (process->walked == NULL && (process->walked = calloc(1, sizeof *process->walked)) == NULL)
		return 0;
	struct tee_perf_walked *walked = process->walked;
	if (walked->modules_read != process->modules_read) /* another image may lie there now */
		memset(walked->known, 0, sizeof walked->known);
	walked->modules_read = process->modules_read;
	size_t place = (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) % KNOWN;
	if (walked->known[place].pc != pc) {
		if (walked->lookups++ >= LOOKUPS_MAX)
			return 0;
		struct search search = { .drain = drain, .pc = pc };
		tee_perf_modules_each(drain, process, look_in_module, look_in_text, &search);
		walked->known[place].pc = pc;
		walked->known[place].entry = search.entry;
		tee_perf_drain_tick(drain);
	}
	return walked->known[place].entry;
}

/* ---- in the ring */

void tee_perf_walks_resolve(struct tee_perf_drain *drain, struct tee_perf_process *process, struct tee_perf_slot *slot,
			    uint64_t extra, struct tee_perf_record *record, uint32_t count)
{
	for (uint32_t i = 0; i < count && slot->extra_seen != extra; i++) {
		uint64_t w0 = region_load(&record[i].w0), w1 = record[i].w1;
		unsigned kind = (unsigned)(w0 >> TEE_PERF_KIND_SHIFT);
		slot->extra_seen += kind >= TEE_PERF_GAP;
		if (kind != TEE_PERF_META || (w1 & 0xff) != TEE_PERF_META_WALK_PC)
			continue;
		tee_perf_modules_drain(drain, process); /* the walk may be the first that is heard of an image */
		record[i].w1 = (uint64_t)entry_of(drain, process, w1 >> 8) << 8 | TEE_PERF_META_WALK_PC;
	}
}

void tee_perf_walks_prepare(struct tee_perf_drain *drain, const char *path, const char *build_id)
{
	if ((atomic_load(&drain->control) & TEE_PERF_CONTROL_ON) != 0)
		return;
	struct tee_perf_image_file *file = tee_perf_images_file(&drain->images, path, build_id);
	if (file != NULL && file->symtab != NULL)
		tee_perf_symtab_load(file->symtab, NULL, NULL);
}
