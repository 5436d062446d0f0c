/* SPDX-License-Identifier: MIT */
/* check_accesses PROGRAM OBJECT... < trace: every access of the trusted core (the functions of the objects) to host
 * memory is 8 bytes wide and aligned, and the sizes that attach takes over are read once.
 *
 * The trace is that of `valgrind --tool=lackey --trace-mem=yes` running PROGRAM (traced_program.c). Instructions of the
 * core that it did not execute are looked at in the disassembly: one that accesses other than 8 bytes must do so on the
 * stack, at a fixed address, in thread-local memory, or through a register that, where the same function was executed,
 * pointed to trusted memory and never to the host's. */
#include "tests/runtime/accesses.h"

#include "runtime/log_layout.h"

#include <capstone/capstone.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS_MAX 512
#define COMPLAINTS    20

struct function {
	char name[128];
	uint64_t begin, size;
	bool local;
};

static struct function functions[FUNCTIONS_MAX];
static unsigned function_count;
static uint64_t text_begin, text_end;
static const uint8_t *text;              /* content of [text_begin, text_end) */
static uint16_t *in_core;                /* per byte of it: number of the core's function, from 1; 0: not the core's */
static uint8_t *executed, *touches_host; /* per byte of it */
static uint8_t points[FUNCTIONS_MAX + 1]
		     [X86_REG_ENDING]; /* where a base register pointed: 1 trusted memory, 2 the host's */
static unsigned complaints, placed_count;

static void complain(const char *what, uint64_t at, uint64_t address, uint64_t size)
{
	if (complaints++ < COMPLAINTS)
		fprintf(stderr, "check_accesses: %s: instruction 0x%llx, address 0x%llx, %llu bytes\n", what,
			(unsigned long long)at, (unsigned long long)address, (unsigned long long)size);
}

static __attribute__((noreturn)) void die(const char *what, const char *which)
{
	fprintf(stderr, "check_accesses: %s: %s\n", which, what);
	exit(2);
}

/* ---- symbols */

static bool is_named(const char *name)
{
	for (unsigned i = 0; i < function_count; i++)
		if (strcmp(functions[i].name, name) == 0)
			return true;
	return false;
}

static void note_function(const char *name)
{
	if (is_named(name))
		return;
	if (function_count == FUNCTIONS_MAX || strlen(name) >= sizeof functions->name)
		die("too many functions", name);
	strcpy(functions[function_count++].name, name);
}

static Elf *open_elf(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);

	if (elf == NULL || elf_kind(elf) != ELF_K_ELF)
		die("cannot be read", path);
	return elf;
}

static void each_symbol(Elf *elf, void (*visit)(Elf *elf, const GElf_Sym *symbol, const char *name))
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_SYMTAB)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++)
			if (gelf_getsym(data, (int)i, &symbol) != NULL)
				visit(elf, &symbol, elf_strptr(elf, header.sh_link, symbol.st_name));
	}
}

static char files[64][64];
static unsigned file_count;

static void visit_object(Elf *elf, const GElf_Sym *symbol, const char *name)
{
	(void)elf;
	if (GELF_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size != 0)
		note_function(name);
	if (GELF_ST_TYPE(symbol->st_info) == STT_FILE && file_count < 64)
		snprintf(files[file_count++], sizeof *files, "%s", name);
}

/* Local symbols follow the name of their file; of another file they are other functions. */
static void visit_program(Elf *elf, const GElf_Sym *symbol, const char *name)
{
	static bool our_file;

	(void)elf;
	if (GELF_ST_TYPE(symbol->st_info) == STT_FILE) {
		our_file = false;
		for (unsigned i = 0; i < file_count; i++)
			our_file |= strcmp(files[i], name) == 0;
	}
	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || !is_named(name) ||
	    (GELF_ST_BIND(symbol->st_info) == STB_LOCAL && !our_file && strcmp(name, "call_c") != 0))
		return;
	if (symbol->st_value < text_begin || symbol->st_value + symbol->st_size > text_end)
		die("a function of the core lies outside the code", name);
	unsigned number = ++placed_count;
	if (number > FUNCTIONS_MAX)
		die("too many functions", name);
	for (uint64_t i = 0; i < symbol->st_size; i++)
		in_core[symbol->st_value - text_begin + i] = (uint16_t)number;
}

static void find_text(Elf *elf, const char *path)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	elf_getshdrstrndx(elf, &names);
	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL ||
		    strcmp(elf_strptr(elf, names, header.sh_name), ".text") != 0)
			continue;
		text_begin = header.sh_addr;
		text_end = header.sh_addr + header.sh_size;
		text = elf_getdata(section, NULL)->d_buf;
		in_core = calloc(header.sh_size, sizeof *in_core);
		executed = calloc(1, header.sh_size);
		touches_host = calloc(1, header.sh_size);
	}
	if (text == NULL)
		die("has no code", path);
}

/* ---- the trace */

static uint64_t reads_of_header[HOST_BYTES / HOST_PART][32]; /* of the words that attach takes over */
static uint64_t core_accesses, core_stores, host_accesses;

static void judge(char kind, uint64_t at, uint64_t address, uint64_t size)
{
	if (address + size <= HOST_BEGIN || address >= HOST_BEGIN + HOST_BYTES)
		return;
	if (at < text_begin || at >= text_end || !in_core[at - text_begin]) {
		host_accesses++;
		return;
	}
	touches_host[at - text_begin] = 1;
	core_accesses++;
	core_stores += kind != 'L';
	if (size != 8)
		complain("not 8 bytes wide", at, address, size);
	else if (address % 8 != 0)
		complain("not aligned", at, address, size);
	uint64_t part = (address - HOST_BEGIN) / HOST_PART, offset = (address - HOST_BEGIN) % HOST_PART;
	if (offset < offsetof(struct tee_perf_log_header, control) && ++reads_of_header[part][offset / 8] > 1)
		complain("read twice, so that it may differ between check and use", at, address, size);
}

static void read_trace(void)
{
	static char line[256];
	uint64_t at = 0;

	while (fgets(line, sizeof line, stdin) != NULL) {
		unsigned long long address, size;
		char kind;
		/* "I  04001000,3", " L 1ffeffe7e0,8", " S ...", " M ...": anything else is talk */
		if ((line[0] != 'I' && line[0] != ' ') || sscanf(line, " %c %llx,%llu", &kind, &address, &size) != 3)
			continue;
		if (kind == 'I') {
			at = address;
			if (at >= text_begin && at < text_end)
				executed[at - text_begin] = 1;
		} else if (kind == 'L' || kind == 'S' || kind == 'M') {
			judge(kind, at, address, size);
		}
	}
}

/* ---- what was not executed */

static bool trusted_place(uint64_t at, const cs_x86_op *operand)
{
	x86_reg base = operand->mem.base;

	return base == X86_REG_RSP || base == X86_REG_RIP || operand->mem.segment == X86_REG_FS ||
	       (base == X86_REG_INVALID && operand->mem.index == X86_REG_INVALID) ||
	       points[in_core[at - text_begin]][base] == 1;
}

static unsigned memory_operands, not_executed;

static void note_base(uint64_t at, const cs_x86_op *operand)
{
	memory_operands++;
	if (executed[at - text_begin])
		points[in_core[at - text_begin]][operand->mem.base] |= touches_host[at - text_begin] ? 2 : 1;
	else
		not_executed++;
}

static void judge_unexecuted(uint64_t at, const cs_x86_op *operand)
{
	if (!executed[at - text_begin] && operand->size != 8 && !trusted_place(at, operand))
		complain("not 8 bytes wide, and not executed (traced_program.c should)", at, 0, operand->size);
}

static void each_operand(const cs_insn *instruction, void (*visit)(uint64_t at, const cs_x86_op *operand))
{
	const cs_x86 *detail = &instruction->detail->x86;

	if (instruction->id == X86_INS_LEA || instruction->id == X86_INS_NOP)
		return;
	for (unsigned i = 0; i < detail->op_count; i++)
		if (detail->operands[i].type == X86_OP_MEM)
			visit(instruction->address, &detail->operands[i]);
}

static void read_code(void (*visit)(uint64_t at, const cs_x86_op *operand))
{
	cs_insn *instruction;
	csh handle;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		die("cannot be opened", "capstone");
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	instruction = cs_malloc(handle);
	const uint8_t *code = text;
	size_t left = text_end - text_begin;
	uint64_t address = text_begin;
	while (left > 0) {
		uint64_t at = address;
		if (in_core[at - text_begin] && cs_disasm_iter(handle, &code, &left, &address, instruction)) {
			each_operand(instruction, visit);
			continue;
		}
		code++;
		left--;
		address++;
	}
	cs_free(instruction, 1);
	cs_close(&handle);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		die("PROGRAM OBJECT... < trace", "usage");
	elf_version(EV_CURRENT);
	for (int i = 2; i < argc; i++)
		each_symbol(open_elf(argv[i]), visit_object);
	Elf *program = open_elf(argv[1]);
	find_text(program, argv[1]);
	each_symbol(program, visit_program);
	read_trace();
	read_code(note_base);
	read_code(judge_unexecuted);
	printf("%llu accesses of the core to host memory, %llu of them stores; %u of its %u memory operands were not "
	       "executed\n",
	       (unsigned long long)core_accesses, (unsigned long long)core_stores, not_executed, memory_operands);
	if (core_stores < 1000 || host_accesses == 0)
		die("that is no trace of it", argv[1]);
	if (complaints == 0 && not_executed * 4 > memory_operands)
		die("too much of the core was not executed", argv[1]);
	if (complaints != 0)
		fprintf(stderr, "check_accesses: %u faults\n", complaints);
	return complaints != 0;
}
