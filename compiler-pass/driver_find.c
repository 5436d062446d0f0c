/* SPDX-License-Identifier: MIT */
/* Finding what the drivers need: their own library directory, the compiler, and its version. */
#include "compiler-pass/driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int driver_find_library_directory(char directory[PATH_MAX], struct tee_perf_error *err)
{
	char self[PATH_MAX], *slash;
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		return tee_perf_fail_errno(err, "cannot find the driver's own place: /proc/self/exe");
	self[length] = '\0';
	for (int i = 0; i < 2; i++) { /* .../bin/tee-perf-cc */
		slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
	}
	if (snprintf(directory, PATH_MAX, "%s/lib/tee-perf", self) >= PATH_MAX)
		return tee_perf_fail(err, TEE_PERF_SYSTEM, "the path %s is too long", self);
	return 0;
}

/* ---- the version of a compiler */

/* The environment, but with messages in English. */
static char **english_environment(void)
{
	static char english[] = "LC_ALL=C";
	size_t count = 0, kept = 0;

	while (environ[count])
		count++;
	char **copy = calloc(count + 2, sizeof *copy);
	for (size_t i = 0; copy && i < count; i++) {
		if (strncmp(environ[i], "LC_ALL=", 7) && strncmp(environ[i], "LANGUAGE=", 9))
			copy[kept++] = environ[i];
	}
	if (copy)
		copy[kept] = english;
	return copy;
}

/* Runs `path --version` and returns what it says, as far as there is room. */
static int ask_version(const char *path, char text[512], struct tee_perf_error *err)
{
	char *arguments[] = { (char *)path, "--version", NULL }, **environment;
	posix_spawn_file_actions_t actions;
	int ends[2], status, error;
	size_t size = 0;
	ssize_t got;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return tee_perf_fail_errno(err, "cannot make a pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	environment = english_environment();
	error = posix_spawn(&child, path, &actions, NULL, arguments, environment ? environment : environ);
	free(environment);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while (!error && size < 511 && (got = read(ends[0], text + size, 511 - size)) > 0)
		size += (size_t)got;
	text[size] = '\0';
	if (!error) { /* drain, so that the child does not die of SIGPIPE */
		char rest[256];
		while (read(ends[0], rest, sizeof rest) > 0)
			;
		waitpid(child, &status, 0);
	}
	close(ends[0]);
	if (error) {
		errno = error;
		return tee_perf_fail_errno(err, "cannot run %s", path);
	}
	return 0;
}

/* gcc's first line begins with the name that it is called by, and ends with the version. */
static int parse_version(const char *path, const char *text, struct driver_compiler *compiler,
			 struct tee_perf_error *err)
{
	static const char word[] = "clang version ", gcc_words[] = "see the source for copying conditions";
	const char *version = strstr(text, word);
	int length = (int)strcspn(text, "\n");

	compiler->gcc = !version && strstr(text, gcc_words);
	if (compiler->gcc) {
		int start = length;
		while (start > 0 && text[start - 1] != ' ')
			start--;
		compiler->major = (unsigned)strtoul(text + start, NULL, 10);
	} else if (version) {
		compiler->major = (unsigned)strtoul(version + sizeof word - 1, NULL, 10);
	}
	if (version || (compiler->gcc && compiler->major))
		return 0;
	return tee_perf_fail(
	    err, TEE_PERF_USAGE,
	    "%s is neither clang nor gcc (\"%.*s\"): tee-perf-cc needs one of them, named by --compiler= "
	    "or TEE_PERF_CC",
	    path, length, text);
}

/* $XDG_CACHE_HOME/tee-perf/compiler-<hash of the path>; -1: there is no place for a cache. */
static int cache_path(const char *compiler, char path[PATH_MAX])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	unsigned long long hash = 0xcbf29ce484222325u;
	int length;

	for (const char *p = compiler; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
	if (cache && cache[0] == '/')
		length = snprintf(path, PATH_MAX, "%s/tee-perf/compiler-%016llx", cache, hash);
	else if (home && home[0] == '/')
		length = snprintf(path, PATH_MAX, "%s/.cache/tee-perf/compiler-%016llx", home, hash);
	else
		return -1;
	return length < PATH_MAX ? 0 : -1;
}

/* What makes a compiler another one. */
static void describe(const char *path, const struct stat *status, char *text, size_t size)
{
	snprintf(text, size, "%s %lld.%09ld %lld %llu", path, (long long)status->st_mtim.tv_sec,
		 status->st_mtim.tv_nsec, (long long)status->st_size, (unsigned long long)status->st_ino);
}

static int read_cache(const char *cache, const char *description, struct driver_compiler *compiler)
{
	char text[PATH_MAX + 128];
	FILE *file = fopen(cache, "re");
	size_t length = strlen(description), size;

	if (!file)
		return -1;
	size = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[size] = '\0';
	if (strncmp(text, description, length) || text[length] != '\n')
		return -1;
	compiler->gcc = !strncmp(text + length + 1, "gcc ", 4);
	compiler->major = (unsigned)strtoul(text + length + 1 + (compiler->gcc ? 4 : 0), NULL, 10);
	return compiler->major ? 0 : -1;
}

/* A cache that cannot be written is no fault: the next run asks again. Renaming keeps readers from half a file. */
static void write_cache(char *cache, const char *description, const struct driver_compiler *compiler)
{
	char temporary[PATH_MAX + 16];
	FILE *file;
	int written;

	for (char *slash = strchr(cache + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(cache, 0700);
		*slash = '/';
	}
	snprintf(temporary, sizeof temporary, "%s.%ld", cache, (long)getpid());
	file = fopen(temporary, "wxe");
	if (!file)
		return;
	written = fprintf(file, "%s\n%s%u\n", description, compiler->gcc ? "gcc " : "", compiler->major);
	if (fclose(file) != 0 || written < 0 || rename(temporary, cache) < 0)
		unlink(temporary);
}

/* A name that leads to a compiler cache, which runs what PATH has under that name: another compiler from one day to the
 * next, unless the name has its version. */
static bool may_change_unseen(const char *path)
{
	static const char *const wrappers[] = { "ccache", "sccache", "distcc", "icecc" };
	size_t length = strlen(path);
	char *real = realpath(path, NULL), *name = real ? strrchr(real, '/') + 1 : NULL;
	bool wrapped = false;

	for (size_t i = 0; name && i < sizeof wrappers / sizeof *wrappers; i++)
		wrapped |= !strcmp(name, wrappers[i]);
	free(real);
	return wrapped && !(path[length - 1] >= '0' && path[length - 1] <= '9');
}

int driver_compiler_version(struct driver_compiler *compiler, struct tee_perf_error *err)
{
	char description[PATH_MAX + 96], cache[PATH_MAX], text[512];
	const char *path = compiler->path;
	struct stat status;
	bool cached;

	if (stat(path, &status) < 0)
		return tee_perf_fail_errno(err, "cannot find the compiler %s", path);
	describe(path, &status, description, sizeof description);
	cached = !may_change_unseen(path) && cache_path(path, cache) == 0;
	if (cached && read_cache(cache, description, compiler) == 0)
		return 0;
	if (ask_version(path, text, err) < 0 || parse_version(path, text, compiler, err) < 0)
		return -1;
	if (cached)
		write_cache(cache, description, compiler);
	return 0;
}

/* ---- which compiler */

static bool has_plugin(const char *library_directory, unsigned major)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/tee-perf-pass-%u.so", library_directory, major);
	return access(path, R_OK) == 0;
}

/* Looks a name up in PATH, as the shell does; a name with a slash is taken as it is. */
static int find_program(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, X_OK) == 0 ? 0 : -1;
	for (list = list ? list : "/usr/local/bin:/usr/bin:/bin"; *list;) {
		size_t length = strcspn(list, ":");
		struct stat status;
		if (snprintf(path, PATH_MAX, "%.*s/%s", (int)length, length ? list : ".", name) < PATH_MAX &&
		    stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0)
			return 0;
		list += length + (list[length] == ':');
	}
	return -1;
}

/* The majors that have a plugin, "14, 16, 19", and the highest of them below `below`, 0: none. */
static unsigned list_plugins(const char *library_directory, unsigned below, char *list, size_t size)
{
	DIR *directory = opendir(library_directory);
	unsigned best = 0, major;
	struct dirent *file;
	int end;

	list[0] = '\0';
	while (directory && (file = readdir(directory))) {
		end = 0;
		if (sscanf(file->d_name, "tee-perf-pass-%u.so%n", &major, &end) != 1 || !end || file->d_name[end])
			continue;
		snprintf(list + strlen(list), size - strlen(list), "%s%u", *list ? ", " : "", major);
		if (major < below && major > best)
			best = major;
	}
	if (directory)
		closedir(directory);
	return best;
}

static int cannot_find(const char *name, struct tee_perf_error *err)
{
	return tee_perf_fail(err, TEE_PERF_USAGE, "cannot find the compiler '%s' that --compiler= or TEE_PERF_CC names",
			     name);
}

/* The user may name a program, or words as CC has them: "ccache clang", "gcc -m32". Of those before the first option
 * the last is the compiler; between a launcher and it there may be more than programs, as in "env NAME=VALUE clang". */
static int find_named(const char *name, struct driver_compiler *compiler, struct tee_perf_error *err)
{
	struct driver_args words = { 0 };
	size_t own = 0;

	if (find_program(name, compiler->path) == 0) /* its name may hold blanks */
		return 0;
	driver_split_words(name, &words);
	if (words.count < 2)
		return cannot_find(name, err);
	while (own + 1 < words.count && words.items[own + 1][0] != '-')
		own++;
	if (find_program(words.items[0], compiler->path) < 0)
		return cannot_find(words.items[0], err);
	for (size_t i = 0; i < own; i++)
		driver_args_add(&compiler->launcher, i ? words.items[i] : compiler->path);
	if (find_program(words.items[own], compiler->path) < 0)
		return cannot_find(words.items[own], err);
	compiler->by_name = own > 0 && !strchr(words.items[own], '/');
	for (size_t i = own + 1; i < words.count; i++)
		driver_args_add(&compiler->options, words.items[i]);
	return 0;
}

void driver_add_compiler(const struct driver_compiler *compiler, struct driver_args *command)
{
	for (size_t i = 0; i < compiler->launcher.count; i++)
		driver_args_add(command, compiler->launcher.items[i]);
	/* A path to a compiler cache that goes by the compiler's name is nothing that the cache itself would start. */
	driver_args_add(command, compiler->by_name ? strrchr(compiler->path, '/') + 1 : compiler->path);
}

static int use_named_compiler(const struct driver_request *request, const char *name, const char *library_directory,
			      struct driver_compiler *compiler, struct tee_perf_error *err)
{
	char list[256];

	if (find_named(name, compiler, err) < 0 || driver_compiler_version(compiler, err) < 0)
		return -1;
	if (compiler->gcc)
		return driver_choose_gcc(request, compiler, err);
	if (has_plugin(library_directory, compiler->major))
		return 0;
	list_plugins(library_directory, UINT_MAX, list, sizeof list);
	return tee_perf_fail(err, TEE_PERF_USAGE,
			     "no plugin for %s, which is clang %u: %s has plugins for clang %s; build tee-perf with "
			     "llvm-%u-dev installed, or name another clang",
			     compiler->path, compiler->major, library_directory, *list ? list : "(none)",
			     compiler->major);
}

int driver_find_compiler(const struct driver_request *request, const char *library_directory,
			 struct driver_compiler *compiler, struct tee_perf_error *err)
{
	const char *name = request->compiler ? request->compiler : getenv("TEE_PERF_CC");
	char list[256], candidate[32];
	unsigned below = UINT_MAX;

	if (name && *name)
		return use_named_compiler(request, name, library_directory, compiler, err);
	while ((below = list_plugins(library_directory, below, list, sizeof list))) {
		snprintf(candidate, sizeof candidate, "clang-%u", below);
		if (find_program(candidate, compiler->path) == 0 && driver_compiler_version(compiler, NULL) == 0 &&
		    !compiler->gcc && compiler->major == below)
			return 0;
	}
	if (find_program("clang", compiler->path) == 0 && driver_compiler_version(compiler, NULL) == 0 &&
	    !compiler->gcc && has_plugin(library_directory, compiler->major))
		return 0;
	return tee_perf_fail(
	    err, TEE_PERF_USAGE,
	    "no clang found that there is a plugin for (plugins in %s: %s): install one, or name it with "
	    "--compiler= or TEE_PERF_CC",
	    library_directory, *list ? list : "none");
}
