/* SPDX-License-Identifier: MIT */
/* What the program is compiled for, and where the runtime for that lies. */
#include "compiler-pass/driver.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Architectures that the pass knows (hooks.c), by clang's names for them. */
static const struct {
	const char *name, *folder;
} architectures[] = {
	{ "x86_64", "x86_64" }, { "amd64", "x86_64" },    { "aarch64", "aarch64" },
	{ "arm64", "aarch64" }, { "riscv64", "riscv64" },
};

static const char *architecture_of(const char *target)
{
	size_t length = strcspn(target, "-");

	for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
		if (strlen(architectures[i].name) == length && !strncmp(architectures[i].name, target, length))
			return architectures[i].folder;
	}
	return NULL;
}

/* The system and the environment of a target without the vendor: "linux-gnu" of aarch64-unknown-linux-gnu and of
 * aarch64-linux. Another system is left as it is. */
static void system_of(const char *target, char *system, size_t size)
{
	const char *linux_part = strstr(target, "-linux"), *environment;

	if (!linux_part || !linux_part[strcspn(linux_part + 1, "-") + 1]) {
		snprintf(system, size, "%s", linux_part ? "linux-gnu" : target + strcspn(target, "-"));
		return;
	}
	environment = strrchr(linux_part + 1, '-') + 1;
	snprintf(system, size, "linux-%s", environment);
}

/* clang takes its target from a name like aarch64-linux-gnu-clang, too. */
static const char *target_of(const struct driver_request *request, const struct driver_compiler *compiler,
			     char buffer[PATH_MAX])
{
	const char *name = strrchr(compiler->path, '/'), *end;

	if (request->target)
		return request->target;
	name = name ? name + 1 : compiler->path;
	end = strstr(name, "-clang");
	snprintf(buffer, PATH_MAX, "%.*s", end ? (int)(end - name) : 0, name);
	return architecture_of(buffer) ? buffer : TEE_PERF_NATIVE_TARGET;
}

int driver_find_runtime_directory(const struct driver_request *request, const struct driver_compiler *compiler,
				  const char *library_directory, char directory[PATH_MAX], struct tee_perf_error *err)
{
	char buffer[PATH_MAX], system[64], folder[96];
	const char *target = target_of(request, compiler, buffer), *architecture = architecture_of(target);

	if (!architecture)
		return tee_perf_fail(err, TEE_PERF_USAGE,
				     "no support for the target %s: compile for x86-64, aarch64 or riscv64 on an ELF "
				     "system, or with clang itself",
				     target);
	system_of(target, system, sizeof system);
	snprintf(folder, sizeof folder, "%s-%s", architecture, system);
	if (!strcmp(folder, TEE_PERF_NATIVE_TARGET))
		return snprintf(directory, PATH_MAX, "%s", library_directory) < PATH_MAX ? 0 : -1;
	if (snprintf(directory, PATH_MAX, "%s/%s", library_directory, folder) < PATH_MAX &&
	    access(directory, R_OK) == 0)
		return 0;
	return tee_perf_fail(err, TEE_PERF_USAGE,
			     "no runtime for the target %s: there is no %s. Build tee-perf where a compiler for that "
			     "target is installed (Debian: g++-%s), or bring hooks of your own with "
			     "-ftee-perf-runtime=none",
			     target, directory, folder);
}
