/* SPDX-License-Identifier: MIT */
/* gcc in clang's place: there is no plugin, gcc's own -finstrument-functions calls the entry points of runtime/cyg.c.
 */
#include "compiler-pass/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The program of the same name for C++: g++-12 for gcc-12, c++ for cc. False: the name is of no such form. */
static bool find_cplusplus(char path[PATH_MAX])
{
	static const char *const names[][2] = { { "gcc", "g++" }, { "cc", "c++" } };
	char *base = strrchr(path, '/'), rest[PATH_MAX];

	base = base ? base + 1 : path;
	if (strstr(base, "++"))
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *at = strstr(base, names[i][0]);
		if (!at)
			continue;
		snprintf(rest, sizeof rest, "%s", at + strlen(names[i][0]));
		if (snprintf(at, (size_t)(path + PATH_MAX - at), "%s%s", names[i][1], rest) >= path + PATH_MAX - at)
			return false;
		return true;
	}
	return false;
}

int driver_choose_gcc(const struct driver_request *request, struct driver_compiler *compiler,
		      struct tee_perf_error *err)
{
	char named[PATH_MAX];

	snprintf(named, sizeof named, "%s", compiler->path);
	if (!request->cplusplus || (find_cplusplus(compiler->path) && access(compiler->path, X_OK) == 0))
		return 0;
	return tee_perf_fail(err, TEE_PERF_USAGE,
			     "there is no C++ compiler beside %s: install it (Debian: g++), or name it", named);
}

/* What only the plugin can do. */
static const char *needs_clang(const struct driver_request *r)
{
	const struct {
		bool asked;
		const char *name;
	} options[] = {
		{ r->filter != NULL, "-ftee-perf-filter" },
		{ r->min_instructions != NULL, "-ftee-perf-min-instructions" },
		{ r->no_unwind_exits, "-ftee-perf-no-unwind-exits" },
		{ r->external_calls || r->system_calls, "-ftee-perf-external-calls" },
		{ r->ocall_globs != NULL, "-ftee-perf-ocalls" },
		{ r->ecall_globs != NULL, "-ftee-perf-ecalls" },
		{ r->policy.full != 0 || r->policy.wait != 0 || r->policy.ring_bytes != 0, "-ftee-perf-policy" },
		{ r->plain_hooks || r->inline_hooks, "-ftee-perf-hooks" },
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		if (options[i].asked)
			return options[i].name;
	}
	return NULL;
}

/* Ahead of the user's options, which may say otherwise. The codec of the data file likes aligned functions; a copy of a
 * function, or a part of one split off, would begin at an address that is not the function's (runtime/cyg.c). */
static const char *const flags_before[] = {
	"-finstrument-functions",
	"-falign-functions=16",
	"-fno-ipa-cp-clone",
	"-fno-partial-inlining",
};

/* Behind them: without these a record's CFA would be wrong. */
static const char *const flags_behind[] = { "-fno-omit-frame-pointer", "-fasynchronous-unwind-tables" };

static int add_entry_points(const struct driver_request *r, const char *library_directory, struct driver_args *command,
			    struct tee_perf_error *err)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof path, "%s/libtee-perf-gcc.a", library_directory);
	if (access(path, R_OK) != 0)
		return tee_perf_fail_errno(err, "cannot read gcc's entry points %s (they exist for x86-64 only)", path);
	/* The symbol tables of objects for link-time optimisation do not say that they want it. */
	driver_args_add(command, "-Xlinker");
	driver_args_add(command, "--undefined=__cyg_profile_func_enter");
	driver_args_add(command, "-Xlinker");
	driver_args_add(command, path);
	if (r->is_static) { /* where functions begin, see runtime/cyg.c */
		driver_args_add(command, "-Xlinker");
		driver_args_add(command, "--eh-frame-hdr");
	}
	return 0;
}

int driver_build_gcc_command(const struct driver_request *r, const char *library_directory,
			     const struct driver_compiler *compiler, struct driver_args *command,
			     struct tee_perf_error *err)
{
	const char *refused = needs_clang(r);

	if (refused)
		return tee_perf_fail(err, TEE_PERF_USAGE, "%s needs clang: gcc instruments by itself", refused);
	driver_add_compiler(compiler, command);
	for (size_t i = 0; !r->asks_only && i < sizeof flags_before / sizeof *flags_before; i++)
		driver_args_add(command, flags_before[i]);
	if (!r->asks_only) { /* <tee-perf.h> */
		driver_args_add(command, "-idirafter");
		driver_args_addf(command, "%s/include", library_directory);
	}
	for (size_t i = 0; i < r->rest.count; i++)
		driver_args_add(command, r->rest.items[i]);
	if (r->incomplete || r->asks_only)
		return 0;
	for (size_t i = 0; i < sizeof flags_behind / sizeof *flags_behind; i++)
		driver_args_add(command, flags_behind[i]);
	if (!driver_links(r))
		return 0;
	if (r->runtime != DRIVER_RUNTIME_NONE && add_entry_points(r, library_directory, command, err) < 0)
		return -1;
	return driver_add_runtime(r, library_directory, compiler, command, err);
}
