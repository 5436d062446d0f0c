/* SPDX-License-Identifier: MIT */
#include "cli/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
	Elf *elf;
	GElf_Ehdr header;
	size_t names; /* section of the sections' names */
};

/* The content of a section in the file, NULL: none, or it lies outside of the file. */
static const Elf_Data *content(Elf_Scn *section, const GElf_Shdr *header)
{
	const Elf_Data *data = header->sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);

	return data != NULL && data->d_buf != NULL ? data : NULL;
}

/* A number of the file's byte order. The caller has checked the bounds. */
static uint64_t number(const struct file *file, const Elf_Data *data, size_t offset, size_t size)
{
	const unsigned char *bytes = (const unsigned char *)data->d_buf + offset;
	bool big = file->header.e_ident[EI_DATA] == ELFDATA2MSB;
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | bytes[big ? i : size - 1 - i];
	return value;
}

/* ---- sections that tell something */

static void read_map(struct tee_perf_hooks *hooks, const struct file *file, const Elf_Data *data)
{
	hooks->damaged |= data->d_size % sizeof(struct tee_perf_map_entry) != 0;
	for (size_t at = 0; data->d_size - at >= sizeof(struct tee_perf_map_entry);
	     at += sizeof(struct tee_perf_map_entry)) {
		uint64_t kind = number(file, data, at + offsetof(struct tee_perf_map_entry, kind), 2);
		hooks->entries[kind < TEE_PERF_HOOKS_KINDS - 1 ? kind : TEE_PERF_HOOKS_KINDS - 1]++;
	}
}

/* struct tee_perf_image; only 64-bit targets have one. */
static void read_image(struct tee_perf_hooks *hooks, const struct file *file, const Elf_Data *data)
{
	uint64_t shape;

	if (data->d_size < offsetof(struct tee_perf_image, hook_shape) + 4) {
		hooks->damaged = true;
		return;
	}
	shape = number(file, data, offsetof(struct tee_perf_image, hook_shape), 4);
	hooks->shape = shape <= TEE_PERF_SHAPE_INLINE ? (enum tee_perf_hook_shape)shape : TEE_PERF_SHAPE_UNKNOWN;
}

static void read_policy(struct tee_perf_hooks *hooks, const struct file *file, const Elf_Data *data)
{
	if (data->d_size < sizeof hooks->policy) {
		hooks->damaged = true;
		return;
	}
	hooks->has_policy = true;
	hooks->policy = (struct tee_perf_policy){
		.full = (uint32_t)number(file, data, offsetof(struct tee_perf_policy, full), 4),
		.wait = (uint32_t)number(file, data, offsetof(struct tee_perf_policy, wait), 4),
		.ring_bytes = number(file, data, offsetof(struct tee_perf_policy, ring_bytes), 8),
	};
}

static void read_runtime(struct tee_perf_hooks *hooks, const struct file *file, const Elf_Data *data)
{
	(void)file;
	(void)data;
	hooks->has_runtime = true;
}

static void read_gcc(struct tee_perf_hooks *hooks, const struct file *file, const Elf_Data *data)
{
	(void)file;
	(void)data;
	hooks->gcc = true;
}

static const struct {
	const char *name;
	void (*read)(struct tee_perf_hooks *hooks, const struct file *file, const Elf_Data *data);
} sections[] = {
	{ "tee_perf_map", read_map },
	{ "tee_perf_anchor", read_image },
	{ TEE_PERF_POLICY_SECTION, read_policy },
	{ TEE_PERF_STATIC_SECTION, read_runtime },
	{ TEE_PERF_GCC_SECTION, read_gcc },
};

/* ---- what is asked of other files */

#define RUNTIME_NAME "libtee-perf-rt.so."

static void read_dynamic(struct tee_perf_hooks *hooks, const struct file *file, Elf_Scn *section,
			 const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t size = gelf_fsize(file->elf, ELF_T_DYN, 1, EV_CURRENT);
	GElf_Dyn entry;

	for (size_t i = 0; data != NULL && size != 0 && i < data->d_size / size && i < INT32_MAX; i++) {
		if (gelf_getdyn(data, (int)i, &entry) == NULL || entry.d_tag == DT_NULL)
			return;
		const char *name =
		    entry.d_tag == DT_NEEDED ? elf_strptr(file->elf, header->sh_link, (size_t)entry.d_un.d_val) : NULL;
		if (name != NULL && strncmp(name, RUNTIME_NAME, strlen(RUNTIME_NAME)) == 0 &&
		    strlen(name) < sizeof hooks->needed)
			strcpy(hooks->needed, name);
	}
}

static void read_symbols(struct tee_perf_hooks *hooks, const struct file *file, Elf_Scn *section,
			 const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t size = gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	GElf_Sym symbol;

	for (size_t i = 0; data != NULL && size != 0 && i < data->d_size / size && i < INT32_MAX; i++) {
		const char *name = gelf_getsym(data, (int)i, &symbol) == NULL
				       ? NULL
				       : elf_strptr(file->elf, header->sh_link, symbol.st_name);
		if (name != NULL && strcmp(name, "__cyg_profile_func_enter") == 0)
			hooks->gcc = true;
	}
}

/* ---- the file */

static void read_section(struct tee_perf_hooks *hooks, const struct file *file, Elf_Scn *section)
{
	GElf_Shdr header;
	const char *name;

	if (gelf_getshdr(section, &header) == NULL ||
	    (name = elf_strptr(file->elf, file->names, header.sh_name)) == NULL) {
		hooks->damaged = true;
		return;
	}
	if (header.sh_type == SHT_DYNAMIC)
		read_dynamic(hooks, file, section, &header);
	if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
		read_symbols(hooks, file, section, &header);
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		if (strcmp(name, sections[i].name) != 0)
			continue;
		const Elf_Data *data = content(section, &header);
		if (data != NULL)
			sections[i].read(hooks, file, data);
		else
			hooks->damaged = true;
	}
}

static int read_elf(struct tee_perf_hooks *hooks, Elf *elf, const char *path, struct tee_perf_error *err)
{
	struct file file = { .elf = elf };
	size_t count;

	if (elf_kind(elf) == ELF_K_AR)
		return tee_perf_fail(err, TEE_PERF_INPUT, "%s is an archive: link it, or name one of its objects",
				     path);
	if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &file.header) == NULL)
		return tee_perf_fail(err, TEE_PERF_INPUT, "%s is not an ELF file", path);
	hooks->object = file.header.e_type == ET_REL;
	if (elf_getshdrnum(elf, &count) != 0)
		return tee_perf_fail(err, TEE_PERF_INPUT, "%s: its sections cannot be read: %s", path, elf_errmsg(-1));
	if (count == 0)
		return tee_perf_fail(err, TEE_PERF_INPUT,
				     "%s has no section headers, which alone tell: ask the file it was made from",
				     path);
	if (elf_getshdrstrndx(elf, &file.names) != 0)
		return tee_perf_fail(err, TEE_PERF_INPUT, "%s: its sections have no names: %s", path, elf_errmsg(-1));
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;)
		read_section(hooks, &file, section);
	return 0;
}

static int open_regular(const char *path, struct tee_perf_error *err)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return tee_perf_fail_errno(err, "cannot open %s", path);
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	return tee_perf_fail(err, TEE_PERF_INPUT, "%s is not a file", path);
}

int tee_perf_hooks_read(struct tee_perf_hooks *hooks, const char *path, struct tee_perf_error *err)
{
	int fd = open_regular(path, err), result = -1;

	*hooks = (struct tee_perf_hooks){ 0 };
	if (fd < 0)
		return -1;
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (elf == NULL)
		tee_perf_fail(err, TEE_PERF_INPUT, "%s is not an ELF file: %s", path, elf_errmsg(-1));
	else
		result = read_elf(hooks, elf, path, err);
	elf_end(elf);
	close(fd);
	return result;
}

uint64_t tee_perf_hooks_functions(const struct tee_perf_hooks *hooks)
{
	return hooks->entries[TEE_PERF_ENTRY_FUNCTION] + hooks->entries[TEE_PERF_ENTRY_ECALL];
}

/* A runtime that is linked without a list of functions: gcc's hooks, or the runtime itself. */
bool tee_perf_hooks_any(const struct tee_perf_hooks *hooks)
{
	for (int i = 0; i < TEE_PERF_HOOKS_KINDS; i++)
		if (hooks->entries[i] != 0)
			return true;
	/* An object of gcc's needs no runtime yet. Linked without one, the calls end in the C library, which does
	 * nothing. */
	return hooks->needed[0] != '\0' || hooks->has_runtime || (hooks->gcc && hooks->object);
}
