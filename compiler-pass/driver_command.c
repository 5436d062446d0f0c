/* SPDX-License-Identifier: MIT */
/* clang's command line: what is added for the plugin and for the runtime. */
#include "compiler-pass/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int hash_file(const char *path, unsigned long long *hash, struct tee_perf_error *err)
{
	FILE *file = fopen(path, "re");
	int c;

	if (!file)
		return tee_perf_fail_errno(err, "cannot read the filter file %s", path);
	*hash = 0xcbf29ce484222325u;
	while ((c = getc(file)) != EOF)
		*hash = (*hash ^ (unsigned char)c) * 0x100000001b3u;
	fclose(file);
	return 0;
}

/* The options of the pass in one word, see options.c. The filter's path comes last. A compiler cache behind the driver
 * sees no more of the plugin than this: hence its size and time of change, by which caches judge compilers. */
static int pass_options(const struct driver_request *r, const char *plugin, char **text, struct tee_perf_error *err)
{
	char filter[PATH_MAX + 64] = "", minimum[32] = "", identity[96] = "";
	struct stat status;
	unsigned long long hash = 0;
	char *external = r->external_calls ? "external-calls;" : "";

	if (r->filter) {
		if (hash_file(r->filter, &hash, err) < 0)
			return -1;
		snprintf(filter, sizeof filter, "filter=%016llx:%s", hash, r->filter);
	}
	if (stat(plugin, &status) == 0)
		snprintf(identity, sizeof identity, "plugin=%lld-%lld.%09ld;", (long long)status.st_size,
			 (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
	if (r->min_instructions)
		snprintf(minimum, sizeof minimum, "min-instructions=%s;", r->min_instructions);
	if (r->external_globs && asprintf(&external, "external-calls=%s;", r->external_globs) < 0)
		external = NULL;
	char *edges = driver_edge_words(r);
	if (!external || !edges ||
	    asprintf(text, "%s%s%s%s%s%s%s%s%s%s%s%s", identity, r->before_inlining ? "before-inlining;" : "",
		     r->no_unwind_exits ? "no-unwind-exits;" : "", r->inline_hooks ? "inline-hooks;" : "",
		     r->plain_hooks ? "plain-hooks;" : "", r->lto ? "lto;" : "",
		     r->function_sections ? "function-sections;" : "", r->debug_info ? "" : "strip-debug;", minimum,
		     external, edges, filter) < 0)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory");
	free(edges);
	return 0;
}

/* Through -Xclang the flags reach compilations only; where there is none, clang must not complain about them. */
static int add_plugin(const struct driver_request *r, const char *library_directory, unsigned major,
		      struct driver_args *command, struct tee_perf_error *err)
{
	char plugin[PATH_MAX + 64], *options;

	snprintf(plugin, sizeof plugin, "%s/tee-perf-pass-%u.so", library_directory, major);
	if (pass_options(r, plugin, &options, err) < 0)
		return -1;
	driver_args_add(command, "--start-no-unused-arguments");
	driver_args_addf(command, "-fpass-plugin=%s", plugin);
	driver_args_add(command, "-Xclang");
	driver_args_add(command, "-finstrument-functions-after-inlining");
	driver_args_add(command, "-Xclang");
	driver_args_add(command, "-default-function-attr");
	driver_args_add(command, "-Xclang");
	driver_args_addf(command, "tee-perf=%s", options);
	if (r->filter) { /* the object depends on it, for make and for caches that go by dependency files */
		driver_args_add(command, "-Xclang");
		driver_args_addf(command, "-fdepfile-entry=%s", r->filter);
	}
	driver_args_add(command, "-idirafter"); /* <tee-perf.h> */
	driver_args_addf(command, "%s/include", library_directory);
	driver_args_add(command, "--end-no-unused-arguments");
	free(options);
	return 0;
}

/* See filter_marker.h. */
static int add_filter_marker(const struct driver_request *r, const char *library_directory, struct driver_args *command,
			     struct tee_perf_error *err)
{
	unsigned long long hash;

	if (hash_file(r->filter, &hash, err) < 0)
		return -1;
	if (strpbrk(r->filter, "\"\\\n"))
		return 0; /* cannot be written as a string literal; nobody calls a file so */
	driver_args_addf(command, "-DTEE_PERF_FILTER_HASH=%llu", hash % 0x7ffffffe + 1);
	driver_args_addf(command, "-DTEE_PERF_FILTER_FILE=\"%s\"", r->filter);
	driver_args_add(command, "-include");
	driver_args_addf(command, "%s/filter_marker.h", library_directory);
	return 0;
}

/* Line tables for the map's files and lines; the pass strips them. For the compiler proper alone: -gline-tables-only
 * would give them to assembler sources as well, where they would stay. */
static void add_line_tables(struct driver_args *command)
{
	driver_args_add(command, "--start-no-unused-arguments");
	driver_args_add(command, "-Xclang");
	driver_args_add(command, "-debug-info-kind=line-tables-only");
	driver_args_add(command, "--end-no-unused-arguments");
}

static void add_linker_argument(struct driver_args *command, const char *argument)
{
	driver_args_add(command, "-Xlinker");
	driver_args_add(command, argument);
}

static int check_runtime(const char *path, struct tee_perf_error *err)
{
	return access(path, R_OK) == 0 ? 0 : tee_perf_fail_errno(err, "cannot read the runtime %s", path);
}

/* The image's own copy of the hooks' fast path, where there is one (docs/HOOK-SHAPE.md). whole: the objects that refer
 * to it come later on the command line. */
static void add_image_hooks(const char *library_directory, bool whole, struct driver_args *command)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof path, "%s/libtee-perf-hooks.a", library_directory);
	if (access(path, R_OK) != 0)
		return;
	if (whole)
		add_linker_argument(command, "--whole-archive");
	add_linker_argument(command, path);
	if (whole)
		add_linker_argument(command, "--no-whole-archive");
}

/* The static runtime goes into an executable as a whole and exports what objects that are loaded later need. A
 * shared object has its copy of the hooks and uses the executable's runtime. */
static int add_static_runtime(const struct driver_request *r, const char *library_directory,
			      struct driver_args *command, struct tee_perf_error *err)
{
	static const char *const exported[] = {
		"tee_perf_call",   "tee_perf_call_inlined",   "tee_perf_return",
		"tee_perf_resync", "tee_perf_image_register", "tee_perf_image_unregister",
		"tee_perf_self",   "tee_perf_state",          "tee_perf_busy",
		"tee_perf_slow",   "tee_perf_text_register",  "tee_perf_text_unregister",
	};
	char path[PATH_MAX + 32];

	if (r->shared) {
		add_image_hooks(library_directory, r->end_of_options < r->rest.count, command);
		return 0;
	}
	snprintf(path, sizeof path, "%s/libtee-perf-rt.a", library_directory);
	if (check_runtime(path, err) < 0)
		return -1;
	add_linker_argument(command, "--whole-archive");
	add_linker_argument(command, path);
	add_linker_argument(command, "--no-whole-archive");
	for (size_t i = 0; !r->is_static && i < sizeof exported / sizeof *exported; i++) {
		add_linker_argument(command, "--export-dynamic-symbol");
		add_linker_argument(command, exported[i]);
	}
	return 0;
}

/* Given to the linker by path and by -Xlinker, as after "-x c" or "--" anything else would be a source file. An
 * image without hooks does not need the library, unless it must come before the objects (see driver_build_command). */
static int add_shared_runtime(const struct driver_request *r, const char *library_directory,
			      struct driver_args *command, struct tee_perf_error *err)
{
	bool before_objects = r->end_of_options < r->rest.count;
	char path[PATH_MAX + 32];

	add_image_hooks(library_directory, before_objects, command);
	snprintf(path, sizeof path, "%s/libtee-perf-rt.so", library_directory);
	if (check_runtime(path, err) < 0)
		return -1;
	add_linker_argument(command, "--push-state");
	add_linker_argument(command, before_objects ? "--no-as-needed" : "--as-needed");
	add_linker_argument(command, path);
	add_linker_argument(command, "--pop-state");
	add_linker_argument(command, "-rpath");
	add_linker_argument(command, library_directory);
	return 0;
}

bool driver_links(const struct driver_request *r)
{
	return !r->no_link && !r->asks_only && r->has_input;
}

int driver_add_runtime(const struct driver_request *r, const char *library_directory,
		       const struct driver_compiler *compiler, struct driver_args *command, struct tee_perf_error *err)
{
	char directory[PATH_MAX];

	if (r->runtime == DRIVER_RUNTIME_NONE || !driver_links(r))
		return 0;
	if (driver_find_runtime_directory(r, compiler, library_directory, directory, err) < 0)
		return -1;
	if (r->is_static || r->runtime == DRIVER_RUNTIME_STATIC)
		return add_static_runtime(r, directory, command, err);
	return add_shared_runtime(r, directory, command, err);
}

int driver_build_command(const struct driver_request *r, const char *library_directory,
			 const struct driver_compiler *compiler, struct driver_args *command,
			 struct tee_perf_error *err)
{
	if (compiler->gcc)
		return driver_build_gcc_command(r, library_directory, compiler, command, err);
	driver_add_compiler(compiler, command);
	if (!r->raw_frontend) {
		driver_args_add(command, r->cplusplus ? "--driver-mode=g++" : "--driver-mode=gcc");
		if (!r->asks_only && add_plugin(r, library_directory, compiler->major, command, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < r->end_of_options; i++)
		driver_args_add(command, r->rest.items[i]);
	if (r->incomplete)
		return 0; /* it would take what follows */
	if (r->filter && r->preprocess_only && add_filter_marker(r, library_directory, command, err) < 0)
		return -1;
	if (!r->raw_frontend && !r->asks_only && !r->debug_info)
		add_line_tables(command);
	if (!r->raw_frontend && driver_add_runtime(r, library_directory, compiler, command, err) < 0)
		return -1;
	for (size_t i = r->end_of_options; i < r->rest.count; i++)
		driver_args_add(command, r->rest.items[i]);
	return 0;
}
