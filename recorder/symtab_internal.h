/* SPDX-License-Identifier: MIT */
/* What the parts of symtab share. */
#ifndef TEE_PERF_RECORDER_SYMTAB_INTERNAL_H
#define TEE_PERF_RECORDER_SYMTAB_INTERNAL_H

#include "recorder/symtab.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <sys/stat.h>

struct tee_perf_symtab {
	int fd, debug_fd;
	Elf *elf, *debug; /* debug: the separate debug file, or NULL */
	Dwarf *dwarf;
	struct tee_perf_function_info *functions;
	const char **homes; /* by function */
	char **files;       /* strings of functions[].file that are ours */
	size_t count, file_count;
	struct stat status;  /* of the file when it was opened */
	const char *trouble; /* NULL: all was read */
	bool loaded;
};

#endif
