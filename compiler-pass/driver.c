/* SPDX-License-Identifier: MIT */
#include "compiler-pass/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void driver_args_add(struct driver_args *args, const char *text)
{
	if (args->count + 2 > args->capacity) {
		args->capacity = args->capacity ? 2 * args->capacity : 64;
		args->items = realloc(args->items, args->capacity * sizeof *args->items);
	}
	char *copy = strdup(text);
	if (!args->items || !copy) {
		fputs("tee-perf-cc: out of memory\n", stderr);
		exit(5);
	}
	args->items[args->count++] = copy;
	args->items[args->count] = NULL;
}

void driver_args_addf(struct driver_args *args, const char *format, ...)
{
	va_list list;
	char *text = NULL;

	va_start(list, format);
	if (vasprintf(&text, format, list) < 0)
		text = NULL;
	va_end(list);
	driver_args_add(args, text ? text : "");
	free(text);
}

/* Options that stand with the compiler's name are the first of the command line. */
static int parse_anew(struct driver_request *request, const struct driver_compiler *compiler, int argc, char **argv,
		      struct tee_perf_error *err)
{
	struct driver_args words = { 0 };

	if (!compiler->options.count || request->raw_frontend)
		return 0;
	for (size_t i = 0; i < compiler->options.count; i++)
		driver_args_add(&words, compiler->options.items[i]);
	for (int i = 0; i < argc; i++)
		driver_args_add(&words, argv[i]);
	return driver_parse(request, (int)words.count, words.items, err);
}

static int run(int argc, char **argv, struct tee_perf_error *err)
{
	const char *name = strrchr(argv[0], '/');
	struct driver_request request = { 0 };
	struct driver_compiler compiler = { 0 };
	struct driver_args command = { 0 };
	char library_directory[PATH_MAX];

	name = name ? name + 1 : argv[0];
	request.cplusplus = strstr(name, "++") != NULL;
	if (driver_parse(&request, argc - 1, argv + 1, err) < 0)
		return -1;
	if (request.help) {
		driver_print_help();
		return 0;
	}
	if (driver_find_library_directory(library_directory, err) < 0 ||
	    driver_find_compiler(&request, library_directory, &compiler, err) < 0 ||
	    parse_anew(&request, &compiler, argc - 1, argv + 1, err) < 0 ||
	    driver_build_command(&request, library_directory, &compiler, &command, err) < 0)
		return -1;
	execv(command.items[0], command.items);
	return tee_perf_fail_errno(err, "cannot run %s", command.items[0]);
}

int main(int argc, char **argv)
{
	struct tee_perf_error err = { 0 };

	if (argc < 1)
		return 2;
	if (run(argc, argv, &err) == 0)
		return 0;
	/* In the manner of compilers, so that build systems and editors recognise it. */
	fprintf(stderr, "%s: error: %s\n", strstr(argv[0], "++") ? "tee-perf-c++" : "tee-perf-cc", err.message);
	return tee_perf_error_exit_status(&err);
}
