/* SPDX-License-Identifier: MIT */
/* The compiler drivers tee-perf-cc and tee-perf-c++: clang's command line, plus the plugin where C or C++ is
 * compiled and the runtime where something is linked. They exec clang, so no process is added. */
#ifndef TEE_PERF_PASS_DRIVER_H
#define TEE_PERF_PASS_DRIVER_H

#include "runtime/abi.h"
#include "util/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* A growing argument vector. It owns its strings; `items` is NULL-terminated. */
struct driver_args {
	char **items;
	size_t count, capacity;
};

/* Each exits the program when memory is out: a driver has nothing better to do. */
void driver_args_add(struct driver_args *args, const char *text);
void driver_args_addf(struct driver_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum driver_runtime { DRIVER_RUNTIME_SHARED, DRIVER_RUNTIME_STATIC, DRIVER_RUNTIME_NONE };

/* What the command line says. */
struct driver_request {
	struct driver_args rest; /* the command line without our own options */
	size_t end_of_options;   /* index in rest of "--", or rest.count */
	const char *compiler;    /* --compiler=, or NULL */
	const char *target;      /* --target=, or NULL */
	bool help;
	bool cplusplus; /* called as tee-perf-c++ */

	/* for the pass */
	bool before_inlining, no_unwind_exits, plain_hooks, inline_hooks, function_sections, lto, debug_info,
	    external_calls;
	const char *external_globs;            /* or NULL */
	const char *ocall_globs, *ecall_globs; /* or NULL */
	bool system_calls;                     /* -ftee-perf-external-calls=ocalls */
	struct tee_perf_policy policy;         /* zeros: none */
	const char *min_instructions, *filter;

	/* for the linker */
	enum driver_runtime runtime;
	const char *language; /* of the inputs that follow, as -x says; NULL: by their names */
	bool is_static, shared, has_input, no_link, asks_only, raw_frontend;
	bool preprocess_only, emits_ir, skips_passes;
	bool incomplete; /* the last option lacks its argument: clang is to say so */
};

/* Reads argv (without argv[0]). Strings point into argv or into memory that lives as long as the program. */
int driver_parse(struct driver_request *request, int argc, char **argv, struct tee_perf_error *err);
void driver_print_help(void);
/* 1: it was one of our own options, and is taken; 0: it is clang's; -1: ours and wrong. */
int driver_take_own_option(struct driver_request *request, const char *arg, struct tee_perf_error *err);

/* driver_edges.c: values of options; -1: wrong. */
int driver_set_ocalls(struct driver_request *request, const char *value);
int driver_set_ecalls(struct driver_request *request, const char *value);
int driver_set_policy(struct driver_request *request, const char *value);
/* What the pass is told of it, malloc'ed; NULL: out of memory. */
char *driver_edge_words(const struct driver_request *request);

/* The directory of the plugins and the runtime, found relative to the running program. */
int driver_find_library_directory(char directory[PATH_MAX], struct tee_perf_error *err);

struct driver_compiler {
	char path[PATH_MAX];
	unsigned major;
	bool gcc;                    /* not clang */
	struct driver_args launcher; /* what starts it, as "ccache": first a path; mostly nothing */
	struct driver_args options;  /* that stand with its name, as "gcc -m32" */
	bool by_name;                /* the launcher looks it up in PATH itself */
};

/* The compiler to run: the one that the user names, clang or gcc, else the newest for which there is a plugin. */
int driver_find_compiler(const struct driver_request *request, const char *library_directory,
			 struct driver_compiler *compiler, struct tee_perf_error *err);

/* The words of a text in the manner of shells: blanks separate, quotes and backslashes protect. */
void driver_split_words(const char *text, struct driver_args *words);

/* The command's first words: what runs the compiler. The first is a path. */
void driver_add_compiler(const struct driver_compiler *compiler, struct driver_args *command);

/* Which compiler compiler->path is, an absolute path: looked up once and then cached. */
int driver_compiler_version(struct driver_compiler *compiler, struct tee_perf_error *err);

/* ---- driver_gcc.c */
/* compiler->path is gcc: for C++ it becomes the g++ beside it. */
int driver_choose_gcc(const struct driver_request *request, struct driver_compiler *compiler,
		      struct tee_perf_error *err);
int driver_build_gcc_command(const struct driver_request *request, const char *library_directory,
			     const struct driver_compiler *compiler, struct driver_args *command,
			     struct tee_perf_error *err);

/* Where the runtime for the target lies that is compiled for: below the library directory, or that itself. Fails if
 * there is none. */
int driver_find_runtime_directory(const struct driver_request *request, const struct driver_compiler *compiler,
				  const char *library_directory, char directory[PATH_MAX], struct tee_perf_error *err);

/* Something is linked: the runtime is to be added. */
bool driver_links(const struct driver_request *request);
int driver_add_runtime(const struct driver_request *request, const char *library_directory,
		       const struct driver_compiler *compiler, struct driver_args *command, struct tee_perf_error *err);

/* clang's whole command line. */
int driver_build_command(const struct driver_request *request, const char *library_directory,
			 const struct driver_compiler *compiler, struct driver_args *command,
			 struct tee_perf_error *err);

#endif
