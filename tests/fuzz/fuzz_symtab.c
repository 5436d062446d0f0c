/* SPDX-License-Identifier: MIT */
/* Any bytes as an ELF file whose functions are to be named. */
#define _GNU_SOURCE
#include "recorder/symtab.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile size_t touched;

static void visit(void *data, const char *name)
{
	(void)data;
	touched = strlen(name);
}

static bool wanted(const void *data, const char *name)
{
	return (name[0] & 1) == (*(const char *)data & 1);
}

static void ask(struct tee_perf_symtab *symtab)
{
	size_t count;
	const struct tee_perf_function_info *functions = tee_perf_symtab_functions(symtab, &count);
	for (size_t i = 0; i < count; i++) {
		const struct tee_perf_function_info *function = &functions[i];
		EXPECT(function->size != 0 && function->name[0] != 0);
		EXPECT(i == 0 || functions[i - 1].address + functions[i - 1].size <= function->address);
		EXPECT(tee_perf_symtab_find(symtab, function->address) == function);
		touched = strlen(function->name) + strlen(function->file);
		const char *file = tee_perf_symtab_file(symtab, function);
		touched = file == NULL ? 0 : strlen(file);
		if (i < 64) /* each looks through all functions */
			touched = tee_perf_symtab_has_gcc_hooks(symtab, function);
		touched = tee_perf_symtab_holds(symtab, function->address);
	}
	tee_perf_symtab_each_dynamic(symtab, visit, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	const char *why = NULL;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	EXPECT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	for (int exported = 0; exported < 2; exported++) {
		struct tee_perf_symtab *symtab = tee_perf_symtab_open(path, "", &why);
		if (symtab == NULL) {
			EXPECT(why != NULL);
			break;
		}
		int loaded = tee_perf_symtab_load(symtab, exported ? wanted : NULL, data);
		EXPECT((loaded == 0) == (tee_perf_symtab_trouble(symtab) == NULL));
		EXPECT(tee_perf_symtab_load(symtab, NULL, NULL) == loaded);
		if (!exported)
			tee_perf_symtab_add_lines(symtab);
		ask(symtab);
		tee_perf_symtab_close(symtab);
	}
	EXPECT(tee_perf_symtab_open(path, "00ff", &why) == NULL && why != NULL);
	close(fd);
	return 0;
}
