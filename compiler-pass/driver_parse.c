/* SPDX-License-Identifier: MIT */
/* Reading the command line: what clang is being asked for, and where our own options stand. */
#include "compiler-pass/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_RESPONSE_DEPTH 16

/* ---- clang's options, as far as they matter here */

enum meaning {
	NO_LINK,    /* ends before the link step */
	PREPROCESS, /* that, and only preprocesses */
	ASKS_ONLY,  /* prints something and ends */
	SHARED,
	STATIC,
	SECTIONS, /* each function in its own section */
	NO_SECTIONS,
	LTO, /* link-time optimisation */
	NO_LTO,
	EMITS_IR,
	REFUSED,        /* would leave everything uninstrumented */
	TAKES_ARGUMENT, /* the next argument is no input file */
};

static const struct clang_option {
	const char *name; /* ends in *: any argument that begins so */
	enum meaning meaning;
} clang_options[] = {
	{ "-c", NO_LINK },
	{ "--compile", NO_LINK },
	{ "-S", NO_LINK },
	{ "--assemble", NO_LINK },
	{ "-E", PREPROCESS },
	{ "--preprocess", PREPROCESS },
	{ "-M", NO_LINK },
	{ "-MM", NO_LINK },
	{ "--dependencies", NO_LINK },
	{ "--user-dependencies", NO_LINK },
	{ "-fsyntax-only", NO_LINK },
	{ "--analyze", NO_LINK },
	{ "--analyze-auto", NO_LINK },
	{ "-emit-ast", NO_LINK },
	{ "--precompile", NO_LINK },
	{ "-r", NO_LINK }, /* links, but not to something that runs */
	{ "-Wl,-r", NO_LINK },
	{ "-Wl,--relocatable", NO_LINK },
	{ "-emit-interface-stubs", NO_LINK },
	{ "--version", ASKS_ONLY },
	{ "--help", ASKS_ONLY },
	{ "-help", ASKS_ONLY },
	{ "--help-hidden", ASKS_ONLY },
	{ "-dumpversion", ASKS_ONLY },
	{ "-dumpmachine", ASKS_ONLY },
	{ "-print-*", ASKS_ONLY },
	{ "--print-*", ASKS_ONLY },
	{ "-shared", SHARED },
	{ "--shared", SHARED },
	{ "-static", STATIC },
	{ "--static", STATIC },
	{ "-static-pie", STATIC },
	{ "-ffunction-sections", SECTIONS },
	{ "-fno-function-sections", NO_SECTIONS },
	{ "-flto", LTO },
	{ "-flto=*", LTO },
	{ "-fno-lto", NO_LTO },
	{ "-emit-llvm", EMITS_IR },
	{ "-flegacy-pass-manager", REFUSED },
	{ "-fno-new-pass-manager", REFUSED },
	{ "-fno-experimental-new-pass-manager", REFUSED },
	{ "-o", TAKES_ARGUMENT },
	{ "-x", TAKES_ARGUMENT },
	{ "-I", TAKES_ARGUMENT },
	{ "-D", TAKES_ARGUMENT },
	{ "-U", TAKES_ARGUMENT },
	{ "-F", TAKES_ARGUMENT },
	{ "-B", TAKES_ARGUMENT },
	{ "-A", TAKES_ARGUMENT },
	{ "-T", TAKES_ARGUMENT },
	{ "-L", TAKES_ARGUMENT },
	{ "-e", TAKES_ARGUMENT },
	{ "-u", TAKES_ARGUMENT },
	{ "-z", TAKES_ARGUMENT },
	{ "-G", TAKES_ARGUMENT },
	{ "-target", TAKES_ARGUMENT },
	{ "--target", TAKES_ARGUMENT },
	{ "-arch", TAKES_ARGUMENT },
	{ "-include", TAKES_ARGUMENT },
	{ "-include-pch", TAKES_ARGUMENT },
	{ "-imacros", TAKES_ARGUMENT },
	{ "-idirafter", TAKES_ARGUMENT },
	{ "-iprefix", TAKES_ARGUMENT },
	{ "-iquote", TAKES_ARGUMENT },
	{ "-isysroot", TAKES_ARGUMENT },
	{ "-isystem", TAKES_ARGUMENT },
	{ "-isystem-after", TAKES_ARGUMENT },
	{ "-ivfsoverlay", TAKES_ARGUMENT },
	{ "-iwithprefix", TAKES_ARGUMENT },
	{ "-iwithprefixbefore", TAKES_ARGUMENT },
	{ "-iwithsysroot", TAKES_ARGUMENT },
	{ "--sysroot", TAKES_ARGUMENT },
	{ "--config", TAKES_ARGUMENT },
	{ "-MF", TAKES_ARGUMENT },
	{ "-MT", TAKES_ARGUMENT },
	{ "-MQ", TAKES_ARGUMENT },
	{ "-MJ", TAKES_ARGUMENT },
	{ "-Xclang", TAKES_ARGUMENT },
	{ "-Xlinker", TAKES_ARGUMENT },
	{ "-Xassembler", TAKES_ARGUMENT },
	{ "-Xpreprocessor", TAKES_ARGUMENT },
	{ "-Xanalyzer", TAKES_ARGUMENT },
	{ "-mllvm", TAKES_ARGUMENT },
	{ "-rpath", TAKES_ARGUMENT },
	{ "-gcc-toolchain", TAKES_ARGUMENT },
	{ "--param", TAKES_ARGUMENT },
	{ "-dyld-prefix", TAKES_ARGUMENT },
	{ "-serialize-diagnostics", TAKES_ARGUMENT },
	{ "--serialize-diagnostics", TAKES_ARGUMENT },
	{ "-fmodule-cache-path", TAKES_ARGUMENT },
	{ "-working-directory", TAKES_ARGUMENT },
};

static const struct clang_option *find_clang_option(const char *arg)
{
	for (size_t i = 0; i < sizeof clang_options / sizeof *clang_options; i++) {
		const char *name = clang_options[i].name;
		size_t length = strlen(name);
		bool prefix = name[length - 1] == '*';
		if (prefix ? !strncmp(arg, name, length - 1) : !strcmp(arg, name))
			return &clang_options[i];
	}
	return NULL;
}

/* A header is compiled to a precompiled one, and not linked. */
static void note_input(struct driver_request *r, const char *name)
{
	static const char *const header_suffixes[] = { ".h", ".H", ".hh", ".hp", ".hpp", ".hxx", ".h++" };
	const char *suffix = strrchr(name, '.'), *kind;

	if (r->language && strcmp(r->language, "none")) {
		kind = strrchr(r->language, '-');
		r->has_input |= !kind || strcmp(kind, "-header");
		return;
	}
	for (size_t i = 0; suffix && i < sizeof header_suffixes / sizeof *header_suffixes; i++) {
		if (!strcmp(suffix, header_suffixes[i]))
			return;
	}
	r->has_input = true;
}

/* Takes note of one of clang's arguments; returns whether the next one belongs to it. */
static int note_clang_argument(struct driver_request *r, const char *arg, bool *takes_next, struct tee_perf_error *err)
{
	const struct clang_option *option = find_clang_option(arg);

	*takes_next = false;
	if (arg[0] != '-' || !arg[1] || !strncmp(arg, "-l", 2)) {
		note_input(r, arg);
		return 0;
	}
	if (!strncmp(arg, "-x", 2) && arg[2])
		r->language = arg + 2;
	/* Any option of the debug group may mean that the user wants debug information. */
	if (!strncmp(arg, "-g", 2) && strcmp(arg, "-g0") && strncmp(arg, "-gcc-", 5) && strncmp(arg, "-gz", 3))
		r->debug_info = true;
	if (!strncmp(arg, "--target=", strlen("--target=")))
		r->target = arg + strlen("--target=");
	if (!option)
		return 0;
	switch (option->meaning) {
	case PREPROCESS:
		r->preprocess_only = true;
		/* fall through */
	case NO_LINK:
		r->no_link = true;
		break;
	case ASKS_ONLY:
		r->asks_only = true;
		break;
	case SHARED:
		r->shared = true;
		break;
	case STATIC:
		r->is_static = true;
		break;
	case SECTIONS:
	case NO_SECTIONS:
		r->function_sections = option->meaning == SECTIONS;
		break;
	case LTO:
	case NO_LTO:
		r->lto = option->meaning == LTO;
		break;
	case EMITS_IR:
		r->emits_ir = true;
		break;
	case REFUSED:
		return tee_perf_fail(err, TEE_PERF_USAGE,
				     "'%s' would leave the program without hooks: the plugin needs the new pass "
				     "manager; drop the option",
				     arg);
	case TAKES_ARGUMENT:
		*takes_next = true;
		break;
	}
	return 0;
}

/* ---- response files */

void driver_split_words(const char *text, struct driver_args *words)
{
	char *word = malloc(strlen(text) + 1);

	while (word && *(text += strspn(text, " \t\r\n\v\f"))) {
		size_t length = 0;
		char quote = 0;
		for (; *text && (quote || !strchr(" \t\r\n\v\f", *text)); text++) {
			if (*text == '\\' && text[1])
				word[length++] = *++text;
			else if (quote && *text == quote)
				quote = 0;
			else if (!quote && (*text == '\'' || *text == '"'))
				quote = *text;
			else
				word[length++] = *text;
		}
		word[length] = '\0';
		driver_args_add(words, word);
	}
	free(word);
}

/* The contents of a file, malloc'ed; NULL if it cannot be read. */
static char *read_text(const char *path)
{
	struct stat status;
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	ssize_t size = 0, got;

	if (descriptor < 0)
		return NULL;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && (text = malloc((size_t)status.st_size + 1))) {
		while (size < status.st_size && (got = read(descriptor, text + size, status.st_size - size)) > 0)
			size += got;
		text[size] = '\0';
	}
	close(descriptor);
	return text;
}

struct scan {
	struct driver_request *request;
	bool takes_next;      /* the argument before wants this one */
	const char *previous; /* that argument */
	bool inputs_only;     /* after -- */
	bool found_own;       /* one of our options stood in a response file */
	bool expand;          /* second round: response files are replaced by what is in them */
};

static int scan_argument(struct scan *scan, const char *arg, int depth, struct tee_perf_error *err);

static int scan_response_file(struct scan *scan, const char *path, int depth, struct tee_perf_error *err)
{
	struct driver_args words = { 0 };
	char *text = depth < MAX_RESPONSE_DEPTH ? read_text(path) : NULL;

	if (!text)
		return 0; /* clang takes it for a file's name */
	driver_split_words(text, &words);
	free(text);
	for (size_t i = 0; i < words.count; i++) {
		if (scan_argument(scan, words.items[i], depth + 1, err) < 0)
			return -1;
	}
	free(words.items); /* the strings may be referred to */
	return 1;
}

static int scan_argument(struct scan *scan, const char *arg, int depth, struct tee_perf_error *err)
{
	struct driver_request *r = scan->request;
	bool keep = depth == 0 || scan->expand;
	int own;

	if (scan->takes_next) {
		scan->takes_next = false;
		if (!strcmp(scan->previous, "-x"))
			r->language = arg;
		if (!strcmp(scan->previous, "-target") || !strcmp(scan->previous, "--target"))
			r->target = arg;
		r->skips_passes |= !strcmp(scan->previous, "-Xclang") && !strcmp(arg, "-disable-llvm-passes");
	} else if (scan->inputs_only) {
		note_input(r, arg);
	} else if (!strcmp(arg, "--")) {
		scan->inputs_only = true;
		if (keep)
			r->end_of_options = r->rest.count;
	} else if (arg[0] == '@' && arg[1]) {
		int read = scan_response_file(scan, arg + 1, depth, err);
		if (read < 0)
			return -1;
		if (!read)
			note_input(r, arg);
		keep = keep && !(read && scan->expand);
	} else {
		own = driver_take_own_option(r, arg, err);
		if (own < 0 || (!own && note_clang_argument(r, arg, &scan->takes_next, err) < 0))
			return -1;
		scan->previous = arg;
		scan->found_own |= own && depth > 0;
		keep = keep && !own;
	}
	if (keep)
		driver_args_add(&r->rest, arg);
	return 0;
}

static int scan_all(struct scan *scan, int argc, char **argv, struct tee_perf_error *err)
{
	struct driver_request *r = scan->request;
	bool cplusplus = r->cplusplus;

	*r = (struct driver_request){ .cplusplus = cplusplus, .end_of_options = (size_t)-1 };
	scan->takes_next = scan->inputs_only = false;
	for (int i = 0; i < argc; i++) {
		if (scan_argument(scan, argv[i], 0, err) < 0)
			return -1;
	}
	if (r->end_of_options == (size_t)-1)
		r->end_of_options = r->rest.count;
	r->incomplete = scan->takes_next;
	return 0;
}

int driver_parse(struct driver_request *request, int argc, char **argv, struct tee_perf_error *err)
{
	struct scan scan = { .request = request };

	if (argc > 0 && !strncmp(argv[0], "-cc1", 4)) { /* clang calling itself through us */
		bool cplusplus = request->cplusplus;
		*request = (struct driver_request){ .cplusplus = cplusplus, .raw_frontend = true };
		for (int i = 0; i < argc; i++)
			driver_args_add(&request->rest, argv[i]);
		request->end_of_options = request->rest.count;
		return 0;
	}
	if (scan_all(&scan, argc, argv, err) < 0)
		return -1;
	if (request->skips_passes && !request->emits_ir)
		return tee_perf_fail(err, TEE_PERF_USAGE,
				     "'-disable-llvm-passes' would leave the program without hooks: drop it, or add "
				     "-emit-llvm and compile the result with tee-perf-cc");
	/* Response files are left to clang, as they may be longer than a command line can be, unless clang would
	 * find one of our options in them. */
	scan.expand = scan.found_own;
	return scan.expand ? scan_all(&scan, argc, argv, err) : 0;
}
