/* SPDX-License-Identifier: MIT */
/* The trusted part's file: an ELF shared object that needs nobody. */
#include "simulator/loader/loader.h"

#include <elf.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static const Elf64_Phdr *program_header(const struct loader_image *image, unsigned i)
{
	const Elf64_Ehdr *header = image->file;

	return (const Elf64_Phdr *)((const char *)image->file + header->e_phoff) + i;
}

static unsigned program_header_count(const struct loader_image *image)
{
	return ((const Elf64_Ehdr *)image->file)->e_phnum;
}

static uint64_t page_up(uint64_t value)
{
	return (value + SIM_PAGE - 1) & ~(uint64_t)(SIM_PAGE - 1);
}

static void check_header(const struct loader_image *image)
{
	const Elf64_Ehdr *header = image->file;

	if (image->file_bytes < sizeof *header || header->e_ident[0] != 0x7f || header->e_ident[1] != 'E' ||
	    header->e_ident[2] != 'L' || header->e_ident[3] != 'F' || header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_type != ET_DYN || header->e_machine != EM_X86_64 || header->e_phentsize != sizeof(Elf64_Phdr) ||
	    header->e_phoff > image->file_bytes ||
	    header->e_phnum > (image->file_bytes - header->e_phoff) / sizeof(Elf64_Phdr) || header->e_entry == 0)
		loader_fail(SIM_ERROR_FORMAT, 0);
}

static void check_segment(const struct loader_image *image, const Elf64_Phdr *segment)
{
	if (segment->p_offset > image->file_bytes || segment->p_filesz > image->file_bytes - segment->p_offset ||
	    segment->p_filesz > segment->p_memsz || segment->p_memsz > UINT64_C(1) << 32 ||
	    segment->p_vaddr > UINT64_C(1) << 32)
		loader_fail(SIM_ERROR_FORMAT, 1);
}

void loader_image_open(struct loader_image *image)
{
	struct stat status;
	long error = loader_call(SYS_fstat, LOADER_IMAGE_FD, (long)&status, 0, 0, 0, 0);

	if (error < 0)
		loader_fail(SIM_ERROR_MAP, (uint64_t)-error);
	image->file_bytes = (uint64_t)status.st_size;
	image->file = loader_map(0, image->file_bytes, PROT_READ, MAP_PRIVATE, LOADER_IMAGE_FD, 0, SIM_ERROR_MAP);
	check_header(image);
	image->entry = ((const Elf64_Ehdr *)image->file)->e_entry;
	for (unsigned i = 0; i < program_header_count(image); i++) {
		const Elf64_Phdr *segment = program_header(image, i);
		if (segment->p_type != PT_LOAD && segment->p_type != PT_TLS && segment->p_type != PT_DYNAMIC)
			continue;
		check_segment(image, segment);
		uint64_t end = page_up(segment->p_vaddr + segment->p_memsz);
		if (segment->p_type == PT_LOAD && end > image->span)
			image->span = end;
		if (segment->p_type == PT_TLS) {
			uint64_t align = segment->p_align != 0 ? segment->p_align : 1;
			image->tls = segment->p_vaddr;
			image->tls_file_bytes = segment->p_filesz;
			image->tls_bytes = (segment->p_memsz + align - 1) & ~(align - 1);
		}
	}
}

/* ---- relocation */

#ifndef DT_RELR
#define DT_RELR 36
#endif

struct dynamic {
	const Elf64_Rela *rela, *plt;
	uint64_t rela_bytes, plt_bytes;
	const Elf64_Sym *symbols;
};

static void read_dynamic(struct loader_image *image, const Elf64_Dyn *entry, struct dynamic *dynamic)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		uint64_t value = entry->d_un.d_val, address = image->bias + value;
		switch (entry->d_tag) {
		case DT_NEEDED:
			loader_fail(SIM_ERROR_NEEDED, 0);
		case DT_RELR:
			loader_fail(SIM_ERROR_RELOCATION, 0);
		case DT_RELA:
			dynamic->rela = (const void *)address;
			break;
		case DT_RELASZ:
			dynamic->rela_bytes = value;
			break;
		case DT_JMPREL:
			dynamic->plt = (const void *)address;
			break;
		case DT_PLTRELSZ:
			dynamic->plt_bytes = value;
			break;
		case DT_SYMTAB:
			dynamic->symbols = (const void *)address;
			break;
		case DT_INIT_ARRAY:
			image->constructors = address;
			break;
		case DT_INIT_ARRAYSZ:
			image->constructor_count = value / 8;
			break;
		default:
			break;
		}
	}
}

static uint64_t symbol_value(const struct loader_image *image, const struct dynamic *dynamic, uint32_t number,
			     bool thread_local)
{
	const Elf64_Sym *symbol = &dynamic->symbols[number];

	if (number == 0)
		return thread_local ? 0 : image->bias;
	if (symbol->st_shndx == SHN_UNDEF) {
		if (ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
			loader_fail(SIM_ERROR_UNDEFINED, number);
		return 0;
	}
	return thread_local ? symbol->st_value : image->bias + symbol->st_value;
}

static void relocate(const struct loader_image *image, const struct dynamic *dynamic, const Elf64_Rela *rela,
		     uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes / sizeof *rela; i++) {
		uint64_t *place = (uint64_t *)(image->bias + rela[i].r_offset), addend = (uint64_t)rela[i].r_addend;
		uint32_t symbol = (uint32_t)ELF64_R_SYM(rela[i].r_info), type = (uint32_t)ELF64_R_TYPE(rela[i].r_info);
		switch (type) {
		case R_X86_64_RELATIVE:
			*place = image->bias + addend;
			break;
		case R_X86_64_64:
			*place = symbol_value(image, dynamic, symbol, false) + addend;
			break;
		case R_X86_64_GLOB_DAT:
		case R_X86_64_JUMP_SLOT:
			*place = symbol_value(image, dynamic, symbol, false);
			break;
		case R_X86_64_TPOFF64:
			*place = symbol_value(image, dynamic, symbol, true) + addend - image->tls_bytes;
			break;
		default:
			loader_fail(SIM_ERROR_RELOCATION, type);
		}
	}
}

static void protect(const struct loader_image *image)
{
	for (unsigned i = 0; i < program_header_count(image); i++) {
		const Elf64_Phdr *segment = program_header(image, i);
		if (segment->p_type != PT_LOAD)
			continue;
		uint64_t begin = (image->bias + segment->p_vaddr) & ~(uint64_t)(SIM_PAGE - 1);
		uint64_t end = page_up(image->bias + segment->p_vaddr + segment->p_memsz);
		int protection = (segment->p_flags & PF_R ? PROT_READ : 0) |
				 (segment->p_flags & PF_W ? PROT_WRITE : 0) | (segment->p_flags & PF_X ? PROT_EXEC : 0);
		long error = loader_call(SYS_mprotect, (long)begin, (long)(end - begin), protection, 0, 0, 0);
		if (error < 0)
			loader_fail(SIM_ERROR_MAP, (uint64_t)-error);
	}
}

void loader_image_load(struct loader_image *image, uint64_t base)
{
	struct dynamic dynamic = { 0 };
	const Elf64_Dyn *table = NULL;

	image->bias = base;
	image->entry += base;
	image->tls += base;
	for (unsigned i = 0; i < program_header_count(image); i++) {
		const Elf64_Phdr *segment = program_header(image, i);
		if (segment->p_type == PT_LOAD)
			loader_copy((char *)base + segment->p_vaddr, (const char *)image->file + segment->p_offset,
				    segment->p_filesz);
		if (segment->p_type == PT_DYNAMIC)
			table = (const Elf64_Dyn *)(base + segment->p_vaddr);
	}
	if (table != NULL)
		read_dynamic(image, table, &dynamic);
	relocate(image, &dynamic, dynamic.rela, dynamic.rela_bytes);
	relocate(image, &dynamic, dynamic.plt, dynamic.plt_bytes);
	protect(image);
}
