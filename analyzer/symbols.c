/* SPDX-License-Identifier: MIT */
#include "analyzer/symbols.h"
#include "analyzer/demangle.h"
#include "analyzer/model_internal.h"
#include "runtime/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANCESTORS_MAX 64u /* generations of processes that are asked for a module */

struct tee_perf_symbols {
	const struct tee_perf_model *model;
	struct tee_perf_symbol *symbols;
	uint32_t count, capacity;
	uint32_t *slots; /* symbol + 1 by identity, 0 free */
	uint32_t mask;
	uint32_t **of_track; /* [track][function] */
	uint32_t track_count;
};

/* A string of the module, from the address of a self-relative field; NULL: none or outside. */
static const char *module_string(const struct tee_perf_module *module, uint64_t field_address, int32_t relative)
{
	uint64_t place = field_address + (uint64_t)(int64_t)relative - module->strings_begin;
	if (relative == 0 || place >= module->strings_size || module->strings[module->strings_size - 1] != 0)
		return NULL;
	return module->strings + place;
}

static struct tee_perf_symbol read_entry(const struct tee_perf_module *module, uint32_t offset)
{
	struct tee_perf_map_entry entry;
	memcpy(&entry, module->map + offset, sizeof entry);
	uint64_t address = module->map_begin + offset;
	const char *name = module_string(module, address + offsetof(struct tee_perf_map_entry, name), entry.name);
	const char *file = module_string(module, address + offsetof(struct tee_perf_map_entry, file), entry.file);
	return (struct tee_perf_symbol){ .linkage_name = name,
					 .module = module->path,
					 .file = file == NULL ? "" : file,
					 .line = entry.line,
					 .kind = entry.kind };
}

/* The module of exactly this process that had the entry at the time, else the one that has it at another time. */
static const struct tee_perf_module *find_module(const struct tee_perf_model *model, uint32_t process, uint32_t entry,
						 uint64_t time_ns)
{
	const struct tee_perf_module *best = NULL;
	for (uint32_t i = 0; i < model->module_count; i++) {
		const struct tee_perf_module *module = &model->modules[i];
		uint32_t offset = entry - (uint32_t)module->map_begin;
		if (module->process != process || offset >= module->map_size || offset % 16 != 0 ||
		    module->map_size - offset < 16)
			continue;
		bool in_time = module->load_ns <= time_ns;
		if (best == NULL || (in_time ? best->load_ns > time_ns || module->load_ns >= best->load_ns
					     : best->load_ns > module->load_ns))
			best = module;
	}
	return best;
}

static const struct tee_perf_process *find_process(const struct tee_perf_model *model, uint32_t number)
{
	for (uint32_t i = 0; i < model->process_count; i++)
		if (model->processes[i].number == number)
			return &model->processes[i];
	return NULL;
}

struct tee_perf_symbol tee_perf_symbol_lookup(const struct tee_perf_model *model, uint32_t process, uint32_t entry,
					      uint64_t time_ns)
{
	for (unsigned i = 0; i < ANCESTORS_MAX; i++) { /* a forked child has the images of its parent */
		const struct tee_perf_module *module = find_module(model, process, entry, time_ns);
		if (module != NULL)
			return read_entry(module, entry - (uint32_t)module->map_begin);
		struct tee_perf_symbol symbol = tee_perf_text_lookup(model, process, entry, time_ns);
		if (symbol.module[0] != 0)
			return symbol;
		const struct tee_perf_process *info = find_process(model, process);
		if (info == NULL || info->parent == process || info->parent == UINT32_MAX)
			break;
		process = info->parent;
	}
	return (struct tee_perf_symbol){ .module = "", .file = "" };
}

static uint64_t add_hash(uint64_t hash, const char *string)
{
	for (; *string != 0; string++)
		hash = (hash ^ (unsigned char)*string) * UINT64_C(0x100000001b3);
	return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint32_t symbol_hash(const struct tee_perf_symbol *symbol)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ symbol->line ^ (uint64_t)symbol->kind << 32;
	hash = add_hash(hash, symbol->linkage_name);
	hash = add_hash(hash, symbol->module);
	hash = add_hash(hash, symbol->file);
	return (uint32_t)(hash >> 32 ^ hash);
}

static bool same_symbol(const struct tee_perf_symbol *a, const struct tee_perf_symbol *b)
{
	return a->line == b->line && a->kind == b->kind && a->pseudo == b->pseudo &&
	       strcmp(a->linkage_name, b->linkage_name) == 0 && strcmp(a->file, b->file) == 0 &&
	       strcmp(a->module, b->module) == 0;
}

static uint32_t *find_slot(const struct tee_perf_symbols *symbols, const struct tee_perf_symbol *symbol)
{
	uint32_t place = symbol_hash(symbol) & symbols->mask;
	while (symbols->slots[place] != 0 && !same_symbol(&symbols->symbols[symbols->slots[place] - 1], symbol))
		place = (place + 1) & symbols->mask;
	return &symbols->slots[place];
}

static int grow(struct tee_perf_symbols *symbols)
{
	if (tee_perf_grow(&symbols->symbols, symbols->count, &symbols->capacity, sizeof *symbols->symbols) != 0)
		return -1;
	if (symbols->slots != NULL && symbols->capacity * 2 <= symbols->mask + 1)
		return 0;
	uint32_t *slots = calloc((size_t)symbols->capacity * 2, sizeof *slots);
	if (slots == NULL)
		return -1;
	free(symbols->slots);
	symbols->slots = slots;
	symbols->mask = symbols->capacity * 2 - 1;
	for (uint32_t i = 0; i < symbols->count; i++)
		*find_slot(symbols, &symbols->symbols[i]) = i + 1;
	return 0;
}

/* Finds or adds; the symbol owns copies of what is not the model's. UINT32_MAX: out of memory. */
static uint32_t intern(struct tee_perf_symbols *symbols, const struct tee_perf_symbol *wanted)
{
	if (grow(symbols) != 0)
		return UINT32_MAX;
	uint32_t *slot = find_slot(symbols, wanted);
	if (*slot != 0)
		return *slot - 1;
	struct tee_perf_symbol symbol = *wanted;
	char *demangled = symbol.pseudo ? NULL : tee_perf_demangle(symbol.linkage_name);
	if (symbol.unknown && (symbol.linkage_name = strdup(symbol.linkage_name)) == NULL) {
		free(demangled);
		return UINT32_MAX;
	}
	symbol.name = demangled != NULL ? demangled : symbol.linkage_name;
	symbols->symbols[symbols->count++] = symbol;
	*slot = symbols->count;
	return symbols->count - 1;
}

/* The name of a map entry that no module has. */
static void unknown_name(char *name, size_t size, uint32_t process, uint32_t entry)
{
	snprintf(name, size, "0x%x of process %u", entry, process);
}

uint32_t tee_perf_symbols_resolve(struct tee_perf_symbols *symbols, uint32_t process, uint32_t entry, uint64_t time_ns)
{
	struct tee_perf_symbol symbol = tee_perf_symbol_lookup(symbols->model, process, entry, time_ns);
	char unknown[64];
	symbol.unknown = symbol.linkage_name == NULL || symbol.linkage_name[0] == 0;
	if (symbol.unknown) {
		unknown_name(unknown, sizeof unknown, process, entry);
		symbol.linkage_name = unknown;
	}
	/* One function, however many places call it. An ECALL has hooks of its own. */
	if (symbol.kind != TEE_PERF_ENTRY_FUNCTION && symbol.kind != TEE_PERF_ENTRY_ECALL) {
		symbol.file = "";
		symbol.line = 0;
	}
	return intern(symbols, &symbol);
}

static int resolve_track(struct tee_perf_symbols *symbols, uint32_t number)
{
	const struct tee_perf_track *track = symbols->model->tracks[number];
	const struct tee_perf_cct *cct = &track->cct;
	uint32_t *of = malloc(cct->function_count * sizeof *of);
	if (of == NULL)
		return -1;
	symbols->of_track[number] = of;
	for (uint32_t i = 0; i < cct->function_count; i++) {
		of[i] = tee_perf_is_pseudo(i)
			    ? i
			    : tee_perf_symbols_resolve(symbols, track->process, cct->functions[i].entry,
						       cct->functions[i].first_ns);
		if (of[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

static int fill(struct tee_perf_symbols *symbols)
{
	for (unsigned i = 0; i < TEE_PERF_PSEUDO_COUNT; i++) {
		struct tee_perf_symbol symbol = {
			.linkage_name = tee_perf_pseudo_name(i), .module = "", .file = "", .pseudo = true
		};
		if (intern(symbols, &symbol) == UINT32_MAX)
			return -1;
	}
	symbols->of_track = calloc(symbols->model->track_count + 1, sizeof *symbols->of_track);
	if (symbols->of_track == NULL)
		return -1;
	for (; symbols->track_count < symbols->model->track_count; symbols->track_count++)
		if (resolve_track(symbols, symbols->track_count) != 0)
			return -1;
	return 0;
}

struct tee_perf_symbols *tee_perf_symbols_new(const struct tee_perf_model *model, struct tee_perf_error *err)
{
	struct tee_perf_symbols *symbols = calloc(1, sizeof *symbols);
	if (symbols != NULL)
		symbols->model = model;
	if (symbols != NULL && fill(symbols) == 0)
		return symbols;
	tee_perf_symbols_free(symbols);
	tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the names of the functions");
	return NULL;
}

void tee_perf_symbols_free(struct tee_perf_symbols *symbols)
{
	if (symbols == NULL)
		return;
	for (uint32_t i = 0; i < symbols->count; i++) {
		struct tee_perf_symbol *symbol = &symbols->symbols[i];
		if (symbol->name != symbol->linkage_name)
			free((char *)symbol->name);
		if (symbol->unknown)
			free((char *)symbol->linkage_name);
	}
	for (uint32_t i = 0; symbols->of_track != NULL && i < symbols->model->track_count; i++)
		free(symbols->of_track[i]);
	free(symbols->of_track);
	free(symbols->slots);
	free(symbols->symbols);
	free(symbols);
}

uint32_t tee_perf_symbols_count(const struct tee_perf_symbols *symbols)
{
	return symbols->count;
}

const struct tee_perf_symbol *tee_perf_symbols_at(const struct tee_perf_symbols *symbols, uint32_t number)
{
	return &symbols->symbols[number];
}

uint32_t tee_perf_symbols_of(const struct tee_perf_symbols *symbols, uint32_t track, uint32_t function)
{
	return symbols->of_track[track][function];
}
