/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/symtab_internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* As clang's map has it: a path below the folder of the build is relative to it. */
static const char *relative_to(const char *file, const char *directory)
{
	size_t length = directory == NULL ? 0 : strlen(directory);

	if (length == 0 || strncmp(file, directory, length) != 0 || file[length] != '/')
		return file;
	file += length + 1;
	return file[0] == '.' && file[1] == '/' ? file + 2 : file;
}

/* A copy that lives as long as the symtab; the same string as the last time, if it was the same. */
static const char *keep_file(struct tee_perf_symtab *symtab, const char *file)
{
	if (symtab->file_count > 0 && strcmp(symtab->files[symtab->file_count - 1], file) == 0)
		return symtab->files[symtab->file_count - 1];
	char **grown = realloc(symtab->files, (symtab->file_count + 1) * sizeof *grown);
	if (grown == NULL)
		return "";
	symtab->files = grown;
	char *copy = strdup(file);
	if (copy == NULL)
		return "";
	grown[symtab->file_count++] = copy;
	return copy;
}

struct unit {
	struct tee_perf_symtab *symtab;
	const char *directory;
};

/* The symbol that begins where one of the function's ranges does: its other parts lie elsewhere (.cold). */
static struct tee_perf_function_info *find_entry(const struct tee_perf_symtab *symtab, Dwarf_Die *die)
{
	Dwarf_Addr base, begin, end;

	for (ptrdiff_t offset = 0; (offset = dwarf_ranges(die, offset, &base, &begin, &end)) > 0;) {
		const struct tee_perf_function_info *function = tee_perf_symtab_find(symtab, begin);
		if (function != NULL && function->address == begin && strstr(function->name, ".cold") == NULL)
			return &symtab->functions[function - symtab->functions];
	}
	return NULL;
}

static int note_function(Dwarf_Die *die, void *data)
{
	struct unit *unit = data;
	struct tee_perf_function_info *function = find_entry(unit->symtab, die);
	const char *file = function == NULL ? NULL : dwarf_decl_file(die);
	int line;

	if (file == NULL || dwarf_decl_line(die, &line) != 0)
		return DWARF_CB_OK;
	function->line = line > 0 ? (uint32_t)line : 0;
	function->file = keep_file(unit->symtab, relative_to(file, unit->directory));
	return DWARF_CB_OK;
}

void tee_perf_symtab_add_lines(struct tee_perf_symtab *symtab)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	symtab->dwarf = dwarf_begin_elf(symtab->debug != NULL ? symtab->debug : symtab->elf, DWARF_C_READ, NULL);
	while (symtab->dwarf != NULL && dwarf_get_units(symtab->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		Dwarf_Attribute attribute;
		struct unit unit = { symtab, dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attribute)) };
		if (type == DW_UT_compile)
			dwarf_getfuncs(&die, note_function, &unit, 0);
	}
}
