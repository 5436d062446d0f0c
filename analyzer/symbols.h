/* SPDX-License-Identifier: MIT */
/* Who the functions of a model are. A symbol is one function of one module, whatever process or thread calls it and
 * however many map entries name it; two functions of one name in different modules or files are two symbols. */
#ifndef TEE_PERF_ANALYZER_SYMBOLS_H
#define TEE_PERF_ANALYZER_SYMBOLS_H

#include "analyzer/model.h"

struct tee_perf_symbol {
	const char *linkage_name; /* "0x1234" when no module has the map entry; "[...]" for what is no function */
	const char *name;         /* the same, demangled */
	const char *module;       /* path, "" unknown */
	const char *file;         /* "" unknown */
	uint32_t line;            /* 0 unknown */
	uint16_t kind;            /* enum tee_perf_entry_kind */
	bool unknown;             /* no module has the map entry: the name is made up */
	bool pseudo;              /* no function: symbol number = enum tee_perf_pseudo */
};

struct tee_perf_symbols;

/* Resolves every function of every track. The model must outlive the result. NULL: error. */
struct tee_perf_symbols *tee_perf_symbols_new(const struct tee_perf_model *model, struct tee_perf_error *err);
void tee_perf_symbols_free(struct tee_perf_symbols *symbols);

uint32_t tee_perf_symbols_count(const struct tee_perf_symbols *symbols);
const struct tee_perf_symbol *tee_perf_symbols_at(const struct tee_perf_symbols *symbols, uint32_t number);
/* The symbol of function number `function` of track number `track`. */
uint32_t tee_perf_symbols_of(const struct tee_perf_symbols *symbols, uint32_t track, uint32_t function);

/* The symbol of a map entry at a time; it may be a new one. UINT32_MAX: out of memory. */
uint32_t tee_perf_symbols_resolve(struct tee_perf_symbols *symbols, uint32_t process, uint32_t entry, uint64_t time_ns);

/* What the modules of a process say of a map entry at a time: linkage_name NULL when none has it. `name` is not set. */
struct tee_perf_symbol tee_perf_symbol_lookup(const struct tee_perf_model *model, uint32_t process, uint32_t entry,
					      uint64_t time_ns);

#endif
