/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/symtab_internal.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STUB_BYTES 16 /* of an entry of the procedure linkage table that stands for a function of another object */

struct candidate {
	uint64_t address, size, limit; /* limit: end of its section */
	const char *name, *home;       /* home: its source file, NULL: not told */
	int rank;                      /* the higher the better, of several names of one address */
};

static const char no_memory[] = "found no memory: record where there is more of it";
static const char damaged[] = "is damaged or cut off: build it again, and record again";
static const char changed[] = "was overwritten during the recording: record again";
static const char stripped[] = "has no symbol table: link it without -s, or put its debug file below "
			       "/usr/lib/debug/.build-id";

/* What is being read. */
struct reading {
	struct candidate *candidates;
	size_t count;
	bool (*wanted)(const void *data, const char *name); /* NULL: all */
	const void *data;
};

/* ---- opening */

static void build_id_of(Elf *elf, char text[129])
{
	const void *id;
	ssize_t bytes = dwelf_elf_gnu_build_id(elf, &id);

	text[0] = '\0';
	for (ssize_t i = 0; i < bytes && i < 64; i++)
		snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
}

static const char *why_not_opened(int number)
{
	static const struct {
		int number;
		const char *why;
	} reasons[] = {
		{ ENOENT, "is gone: keep it until the recording has ended" },
		{ ENOTDIR, "is gone: keep it until the recording has ended" },
		{ EACCES, "may not be read: give who records the permission" },
		{ EPERM, "may not be read: give who records the permission" },
		{ EMFILE, "cannot be opened, as too many are open: raise 'ulimit -n'" },
		{ ENFILE, "cannot be opened, as too many are open on this machine" },
		{ ENOMEM, no_memory },
	};

	for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].number == number)
			return reasons[i].why;
	return "cannot be read: see what is wrong with it there";
}

/* Not mapped: a file that somebody cuts off meanwhile would be our end. */
static Elf *open_elf(const char *path, const char *build_id, int *fd, const char **why)
{
	char found[129];

	*fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
	*why = *fd < 0       ? why_not_opened(errno)
	       : elf == NULL ? no_memory
			     : "is no ELF file: record again with the one that is run in its place";
	if (elf != NULL && elf_kind(elf) == ELF_K_ELF) {
		build_id_of(elf, found);
		if (build_id[0] == '\0' || strcmp(found, build_id) == 0)
			return elf;
		*why = "is another one than was run: record again, and replace it only afterwards";
	}
	elf_end(elf);
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return NULL;
}

static Elf_Scn *find_section(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, header) != NULL && header->sh_type == type)
			return section;
	return NULL;
}

static void open_debug_file(struct tee_perf_symtab *symtab)
{
	char build_id[129], path[256];
	const char *why;
	GElf_Shdr header;

	build_id_of(symtab->elf, build_id);
	if (build_id[0] == '\0' || find_section(symtab->elf, SHT_SYMTAB, &header) != NULL)
		return;
	snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	symtab->debug = open_elf(path, build_id, &symtab->debug_fd, &why);
}

struct tee_perf_symtab *tee_perf_symtab_open(const char *path, const char *build_id, const char **why)
{
	struct tee_perf_symtab *symtab = calloc(1, sizeof *symtab);

	*why = no_memory;
	if (symtab == NULL)
		return NULL;
	elf_version(EV_CURRENT);
	symtab->debug_fd = -1;
	symtab->elf = open_elf(path, build_id, &symtab->fd, why);
	if (symtab->elf != NULL && fstat(symtab->fd, &symtab->status) == 0) {
		*why = NULL;
		return symtab;
	}
	free(symtab);
	return NULL;
}

void tee_perf_symtab_close(struct tee_perf_symtab *symtab)
{
	if (symtab == NULL)
		return;
	for (size_t i = 0; i < symtab->file_count; i++)
		free(symtab->files[i]);
	free(symtab->files);
	free(symtab->functions);
	free(symtab->homes);
	dwarf_end(symtab->dwarf);
	elf_end(symtab->debug);
	elf_end(symtab->elf);
	if (symtab->debug_fd >= 0)
		close(symtab->debug_fd);
	close(symtab->fd);
	free(symtab);
}

/* ---- symbols */

static bool is_function(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_value != 0;
}

static int rank_of(const GElf_Sym *symbol, const char *name)
{
	static const int by_binding[] = { [STB_LOCAL] = 0, [STB_GLOBAL] = 4, [STB_WEAK] = 2 };
	unsigned binding = GELF_ST_BIND(symbol->st_info);

	return (binding <= STB_WEAK ? by_binding[binding] : 0) + (name[0] != '_' || name[1] == 'Z') +
	       8 * (symbol->st_size != 0);
}

/* One symbol; file: of its object, NULL: not told. */
static void note_symbol(Elf *elf, const GElf_Sym *symbol, const char *name, const char *file, struct reading *reading)
{
	Elf_Scn *section = symbol->st_shndx == SHN_UNDEF ? NULL : elf_getscn(elf, symbol->st_shndx);
	struct candidate *candidate = &reading->candidates[reading->count++];
	GElf_Shdr header;

	*candidate = (struct candidate){ .address = symbol->st_value,
					 .size = symbol->st_shndx == SHN_UNDEF ? STUB_BYTES : symbol->st_size,
					 .name = name,
					 .rank = rank_of(symbol, name) };
	if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
		candidate->home = file;
	if (section != NULL && gelf_getshdr(section, &header) != NULL)
		candidate->limit = header.sh_addr + header.sh_size;
}

/* Appends the functions of a symbol table. Why not, or NULL. */
static const char *read_symbols(Elf *elf, GElf_Word type, struct reading *reading)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, type, &header);
	Elf_Data *data = section == NULL ? NULL : elf_getdata(section, NULL);
	const char *name, *file = NULL;

	if (section == NULL)
		return NULL;
	if (data == NULL || header.sh_entsize == 0 || data->d_size < header.sh_size)
		return damaged;
	size_t symbols = header.sh_size / header.sh_entsize;
	struct candidate *grown = realloc(reading->candidates, (reading->count + symbols + 1) * sizeof *grown);
	if (grown == NULL)
		return no_memory;
	reading->candidates = grown;
	for (size_t i = 0; i < symbols; i++) {
		GElf_Sym symbol;
		if (gelf_getsym(data, (int)i, &symbol) == NULL ||
		    (name = elf_strptr(elf, header.sh_link, symbol.st_name)) == NULL)
			continue;
		if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
			file = name;
		if (is_function(&symbol) && name[0] != '\0' &&
		    (reading->wanted == NULL || reading->wanted(reading->data, name)))
			note_symbol(elf, &symbol, name, file, reading);
	}
	return NULL;
}

static int by_address(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* One function per address, each up to the next at most; one without a size up to there, or to its section's end. */
static int settle(struct tee_perf_symtab *symtab, struct candidate *candidates, size_t count)
{
	symtab->functions = malloc((count + 1) * sizeof *symtab->functions);
	symtab->homes = malloc((count + 1) * sizeof *symtab->homes);
	if (symtab->functions == NULL || symtab->homes == NULL)
		return -1;
	if (count > 0)
		qsort(candidates, count, sizeof *candidates, by_address);
	for (size_t i = 0; i < count; i++) {
		const struct candidate *it = &candidates[i];
		if (i > 0 && candidates[i - 1].address == it->address)
			continue;
		size_t next = i + 1;
		while (next < count && candidates[next].address == it->address)
			next++;
		uint64_t room = next < count ? candidates[next].address - it->address : UINT32_MAX;
		if (it->limit > it->address && it->limit - it->address < room)
			room = it->limit - it->address;
		uint64_t size = it->size != 0 && it->size < room ? it->size : room;
		symtab->homes[symtab->count] = it->home;
		symtab->functions[symtab->count++] = (struct tee_perf_function_info){
			.address = it->address,
			.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
			.name = it->name,
			.file = "",
		};
	}
	return 0;
}

/* ---- loading */

/* Section headers stand at a file's end. */
static bool lost_its_sections(Elf *elf)
{
	GElf_Ehdr header;
	size_t count;

	return gelf_getehdr(elf, &header) != NULL && header.e_shoff != 0 &&
	       (elf_getshdrnum(elf, &count) != 0 || count == 0 || elf_getscn(elf, count - 1) == NULL);
}

static bool was_changed(const struct tee_perf_symtab *symtab)
{
	struct stat now;

	return fstat(symtab->fd, &now) != 0 || now.st_size != symtab->status.st_size ||
	       now.st_mtim.tv_sec != symtab->status.st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != symtab->status.st_mtim.tv_nsec;
}

/* All functions of the file, or of its debug file. Why not, or NULL. */
static const char *read_own(struct tee_perf_symtab *symtab, struct reading *reading)
{
	GElf_Shdr header;

	open_debug_file(symtab);
	Elf *elf = symtab->debug != NULL ? symtab->debug : symtab->elf;
	if (lost_its_sections(elf))
		return damaged;
	return find_section(elf, SHT_SYMTAB, &header) == NULL ? stripped : read_symbols(elf, SHT_SYMTAB, reading);
}

int tee_perf_symtab_load(struct tee_perf_symtab *symtab, bool (*wanted)(const void *data, const char *name),
			 const void *data)
{
	struct reading reading = { .wanted = wanted, .data = data };
	const char *trouble = NULL;

	if (symtab->loaded)
		return symtab->trouble == NULL ? 0 : -1;
	symtab->loaded = true;
	if (was_changed(symtab))
		symtab->trouble = changed;
	else if (wanted == NULL)
		symtab->trouble = read_own(symtab, &reading);
	if (symtab->trouble != changed) /* stubs of other objects' functions stand here only */
		trouble = read_symbols(symtab->elf, SHT_DYNSYM, &reading);
	if (settle(symtab, reading.candidates, reading.count) != 0)
		trouble = no_memory;
	if (trouble != NULL)
		symtab->trouble = trouble;
	free(reading.candidates);
	return symtab->trouble == NULL ? 0 : -1;
}

const char *tee_perf_symtab_trouble(const struct tee_perf_symtab *symtab)
{
	return symtab->trouble;
}

/* ---- asking */

const struct tee_perf_function_info *tee_perf_symtab_functions(const struct tee_perf_symtab *symtab, size_t *count)
{
	*count = symtab->count;
	return symtab->functions;
}

const struct tee_perf_function_info *tee_perf_symtab_find(const struct tee_perf_symtab *symtab, uint64_t address)
{
	size_t low = 0, high = symtab->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (symtab->functions[middle].address <= address)
			low = middle;
		else
			high = middle;
	}
	if (symtab->count == 0 || address - symtab->functions[low].address >= symtab->functions[low].size)
		return NULL;
	return &symtab->functions[low];
}

const char *tee_perf_symtab_file(const struct tee_perf_symtab *symtab, const struct tee_perf_function_info *function)
{
	return symtab->homes[function - symtab->functions];
}

void tee_perf_symtab_each_dynamic(const struct tee_perf_symtab *symtab, void (*visit)(void *data, const char *name),
				  void *data)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(symtab->elf, SHT_DYNSYM, &header);
	Elf_Data *bytes = section == NULL ? NULL : elf_getdata(section, NULL);

	if (bytes == NULL || header.sh_entsize == 0)
		return;
	for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
		GElf_Sym symbol;
		const char *name;
		if (gelf_getsym(bytes, (int)i, &symbol) != NULL &&
		    (name = elf_strptr(symtab->elf, header.sh_link, symbol.st_name)) != NULL && name[0] != '\0')
			visit(data, name);
	}
}
