/* SPDX-License-Identifier: MIT */
#include "recorder/symtab_internal.h"

#include <string.h>

/* The function's bytes in the file; NULL: not there. */
static const uint8_t *code_of(const struct tee_perf_symtab *symtab, const struct tee_perf_function_info *function)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(symtab->elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL || (header.sh_flags & SHF_EXECINSTR) == 0 ||
		    function->address - header.sh_addr >= header.sh_size)
			continue;
		const Elf_Data *data = elf_rawdata(section, NULL);
		uint64_t offset = function->address - header.sh_addr;
		if (data != NULL && data->d_buf != NULL && offset + function->size <= data->d_size)
			return (const uint8_t *)data->d_buf + offset;
	}
	return NULL;
}

bool tee_perf_symtab_has_gcc_hooks(const struct tee_perf_symtab *symtab, const struct tee_perf_function_info *function)
{
	const uint8_t *code = code_of(symtab, function);
	uint64_t target = 0;

	for (size_t i = 0; i < symtab->count && target == 0; i++)
		if (strcmp(symtab->functions[i].name, "__cyg_profile_func_enter") == 0)
			target = symtab->functions[i].address;
	if (target == 0 || code == NULL)
		return target == 0;
	for (uint32_t i = 0; i + 5 <= function->size; i++) {
		int32_t distance;
		memcpy(&distance, code + i + 1, sizeof distance);
		if (code[i] == 0xe8 && function->address + i + 5 + (uint64_t)(int64_t)distance == target)
			return true;
	}
	return false;
}

bool tee_perf_symtab_holds(const struct tee_perf_symtab *symtab, uint64_t address)
{
	size_t count;
	GElf_Phdr segment;

	if (elf_getphdrnum(symtab->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(symtab->elf, (int)i, &segment) != NULL && segment.p_type == PT_LOAD &&
		    (segment.p_flags & PF_X) != 0 && address - segment.p_vaddr < segment.p_memsz)
			return true;
	return false;
}
