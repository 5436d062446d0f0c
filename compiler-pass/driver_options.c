/* SPDX-License-Identifier: MIT */
/* The drivers' own options. */
#include "compiler-pass/driver.h"

#include <stdio.h>
#include <string.h>

/* value: what follows "=", NULL if nothing does. */
static int set_before_inlining(struct driver_request *r, const char *value)
{
	r->before_inlining = true;
	return value ? -1 : 0;
}

static int set_no_unwind_exits(struct driver_request *r, const char *value)
{
	r->no_unwind_exits = true;
	return value ? -1 : 0;
}

static int set_filter(struct driver_request *r, const char *value)
{
	r->filter = value;
	return value && *value ? 0 : -1;
}

static int set_min_instructions(struct driver_request *r, const char *value)
{
	r->min_instructions = value;
	return value && *value && strspn(value, "0123456789") == strlen(value) && strlen(value) < 9 ? 0 : -1;
}

static int set_external_calls(struct driver_request *r, const char *value)
{
	if (value && !strcmp(value, "ocalls")) {
		r->system_calls = true;
		return 0;
	}
	r->external_calls = true;
	r->external_globs = value;
	return value && (!*value || strchr(value, ';')) ? -1 : 0;
}

static int set_runtime(struct driver_request *r, const char *value)
{
	static const char *const names[] = {
		[DRIVER_RUNTIME_SHARED] = "shared",
		[DRIVER_RUNTIME_STATIC] = "static",
		[DRIVER_RUNTIME_NONE] = "none",
	};

	for (size_t i = 0; value && i < sizeof names / sizeof *names; i++) {
		if (!strcmp(value, names[i])) {
			r->runtime = (enum driver_runtime)i;
			return 0;
		}
	}
	return -1;
}

static int set_compiler(struct driver_request *r, const char *value)
{
	r->compiler = value;
	return value && *value ? 0 : -1;
}

static int set_hooks(struct driver_request *r, const char *value)
{
	r->plain_hooks = value && !strcmp(value, "plain");
	r->inline_hooks = value && !strcmp(value, "inline");
	return r->plain_hooks || r->inline_hooks || (value && !strcmp(value, "fast")) ? 0 : -1;
}

static int set_help(struct driver_request *r, const char *value)
{
	r->help = true;
	return value ? -1 : 0;
}

static const struct own_option {
	const char *name, *argument, *help;
	int (*set)(struct driver_request *r, const char *value);
} own_options[] = {
	{ "-ftee-perf-before-inlining", "",
	  "instrument before inlining: every call that the source makes is recorded, at a high cost in C++",
	  set_before_inlining },
	{ "-ftee-perf-no-unwind-exits", "",
	  "record no return of a function that an exception leaves: smaller code; the analysis finds out by the stack",
	  set_no_unwind_exits },
	{ "-ftee-perf-filter", "=FILE",
	  "which functions to instrument. FILE has lines \"include|exclude function|source GLOB\"; the last\n"
	  "\tthat matches counts, without one a function is instrumented; # begins a comment line",
	  set_filter },
	{ "-ftee-perf-min-instructions", "=N", "only functions of at least N instructions (LLVM's, after optimisation)",
	  set_min_instructions },
	{ "-ftee-perf-external-calls", "[=ocalls|GLOB,...]",
	  "record calls to functions of other objects as frames of their own: all, those that are system calls, and\n"
	  "\tso OCALLs in a library OS (ocalls), or those whose names match",
	  set_external_calls },
	{ "-ftee-perf-ocalls", "=GLOB,...", "functions that leave the enclave; calls of them are always recorded",
	  driver_set_ocalls },
	{ "-ftee-perf-ecalls", "=GLOB,...", "functions by which the enclave is entered", driver_set_ecalls },
	{ "-ftee-perf-policy", "=full=wait|drop|overwrite,wait=yes|no|ROUNDS,ring=BYTES",
	  "build in what outranks the recorder: what happens when a ring is full, whether and how long a thread may\n"
	  "\twait for it, how large a ring may get; any of the three",
	  driver_set_policy },
	{ "-ftee-perf-runtime", "=shared|static|none",
	  "link the shared runtime (default), the static one into the executable, or leave the hooks to you",
	  set_runtime },
	{ "-ftee-perf-hooks", "=fast|inline|plain",
	  "call the hooks in their own convention (default where there is one), write them out in each function\n"
	  "\t(faster, larger), or call them as ordinary C functions, for code that replaces them",
	  set_hooks },
	{ "--compiler", "=CLANG|GCC", "the clang or gcc to run, a name or a path; as TEE_PERF_CC in the environment",
	  set_compiler },
	{ "--tee-perf-help", "", "this list", set_help },
};

void driver_print_help(void)
{
	puts("usage: tee-perf-cc|tee-perf-c++ [options of clang] [options below] file...\n\n"
	     "Runs clang, with code that records function calls. Without --compiler and TEE_PERF_CC, the newest clang\n"
	     "that there is a plugin for.\n");
	for (size_t i = 0; i < sizeof own_options / sizeof *own_options; i++)
		printf("  %s%s\n\t%s\n", own_options[i].name, own_options[i].argument, own_options[i].help);
}

int driver_take_own_option(struct driver_request *r, const char *arg, struct tee_perf_error *err)
{
	size_t length = strcspn(arg, "=");

	for (size_t i = 0; i < sizeof own_options / sizeof *own_options; i++) {
		const struct own_option *option = &own_options[i];
		if (strlen(option->name) != length || strncmp(option->name, arg, length))
			continue;
		if (option->set(r, arg[length] ? arg + length + 1 : NULL) < 0)
			return tee_perf_fail(err, TEE_PERF_USAGE, "wrong argument in '%s': expected %s%s", arg,
					     option->name, option->argument);
		return 1;
	}
	if (!strncmp(arg, "-ftee-perf", strlen("-ftee-perf")))
		return tee_perf_fail(err, TEE_PERF_USAGE, "unknown option '%s': --tee-perf-help lists them", arg);
	return 0;
}
