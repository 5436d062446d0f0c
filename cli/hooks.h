/* SPDX-License-Identifier: MIT */
/* Whether an ELF file carries tee-perf's hooks, by its sections: so a stripped file tells as well. */
#ifndef TEE_PERF_CLI_HOOKS_H
#define TEE_PERF_CLI_HOOKS_H

#include "runtime/abi.h"
#include "util/error.h"

#include <stdbool.h>
#include <stdint.h>

#define TEE_PERF_HOOKS_KINDS 6 /* of map entries: enum tee_perf_entry_kind, the last: others */

struct tee_perf_hooks {
	uint64_t entries[TEE_PERF_HOOKS_KINDS]; /* map entries by kind */
	bool damaged;                           /* a section is not what it should be */
	char needed[128];                       /* soname of the shared runtime; "": none is asked for */
	bool has_runtime;                       /* the trusted core is in the file itself */
	bool gcc;                               /* calls gcc's hooks: there is no list of functions */
	bool object;                            /* not linked yet */
	enum tee_perf_hook_shape shape;
	bool has_policy;
	struct tee_perf_policy policy;
};

/* The file may be anything. 0, or -1: it cannot be read, is no ELF file, or has no section headers to tell by. */
int tee_perf_hooks_read(struct tee_perf_hooks *hooks, const char *path, struct tee_perf_error *err);

/* Map entries of functions with hooks, ECALLs included. OCALLs count apart, whether they have hooks of their own or
 * their calls are bracketed. */
uint64_t tee_perf_hooks_functions(const struct tee_perf_hooks *hooks);
/* Whether anything in the file calls hooks. */
bool tee_perf_hooks_any(const struct tee_perf_hooks *hooks);

/* Prints it as lines of text, or as a JSON object. 0, or -1 out of memory. */
int tee_perf_hooks_print(const struct tee_perf_hooks *hooks, const char *path, bool json, struct tee_perf_error *err);

#endif
