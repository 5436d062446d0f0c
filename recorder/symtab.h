/* SPDX-License-Identifier: MIT */
/* The functions of an ELF file: its symbol table, where it is stripped that of its separate debug file (by build-id),
 * else what it exports; files and lines from DWARF. */
#ifndef TEE_PERF_RECORDER_SYMTAB_H
#define TEE_PERF_RECORDER_SYMTAB_H

#include "format/sections.h"

#include <stdbool.h>

struct tee_perf_symtab;

/* Opens a file, and keeps it open: what becomes of its name later does not matter. build_id: hexadecimal, which the
 * file must have; "": any. NULL: *why says why not and what to do, as what follows "the file ". */
struct tee_perf_symtab *tee_perf_symtab_open(const char *path, const char *build_id, const char **why);
void tee_perf_symtab_close(struct tee_perf_symtab *symtab);

/* Reads the functions, once. wanted NULL: all; else those that other objects can name and that it says true to (of
 * several names of one address, one of those). 0; -1: not all could be read, now or the first time that it was asked
 * for: tee_perf_symtab_trouble says why. What could be read is there. */
int tee_perf_symtab_load(struct tee_perf_symtab *symtab, bool (*wanted)(const void *data, const char *name),
			 const void *data);
/* Why functions have no names, and what to do, as for tee_perf_symtab_open; NULL: they have. */
const char *tee_perf_symtab_trouble(const struct tee_perf_symtab *symtab);
/* Adds files and lines to what was loaded, where there are any. */
void tee_perf_symtab_add_lines(struct tee_perf_symtab *symtab);

/* What was loaded, by address, none within another. Strings are the symtab's. */
const struct tee_perf_function_info *tee_perf_symtab_functions(const struct tee_perf_symtab *symtab, size_t *count);
/* The function that holds a link-time address; NULL: none that is known. */
const struct tee_perf_function_info *tee_perf_symtab_find(const struct tee_perf_symtab *symtab, uint64_t address);
/* The source file of a function that only its own object knows, as the symbol table has it; NULL: not told. */
const char *tee_perf_symtab_file(const struct tee_perf_symtab *symtab, const struct tee_perf_function_info *function);
/* Whether the function calls gcc's entry point of runtime/cyg.c (x86-64). True as well where that has no symbol. */
bool tee_perf_symtab_has_gcc_hooks(const struct tee_perf_symtab *symtab, const struct tee_perf_function_info *function);
/* Whether the file's code covers a link-time address. */
bool tee_perf_symtab_holds(const struct tee_perf_symtab *symtab, uint64_t address);

/* Calls visit with each name that the file defines for, or wants from, other objects. */
void tee_perf_symtab_each_dynamic(const struct tee_perf_symtab *symtab, void (*visit)(void *data, const char *name),
				  void *data);

#endif
