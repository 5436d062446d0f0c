/* SPDX-License-Identifier: MIT */
/* Command lines by table: a command declares its options once; parsing and --help come from the same table. */
#ifndef TEE_PERF_CLI_OPTIONS_H
#define TEE_PERF_CLI_OPTIONS_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tee_perf_option_type {
	TEE_PERF_OPTION_FLAG,   /* bool: set to true */
	TEE_PERF_OPTION_STRING, /* const char *: points into argv */
	TEE_PERF_OPTION_CHOICE, /* int (or an enum): index into choices */
	TEE_PERF_OPTION_NUMBER, /* uint64_t: decimal, at least minimum */
	TEE_PERF_OPTION_SIZE,   /* uint64_t: the same, with an optional K, M, G, T (powers of 1024) */
	TEE_PERF_OPTION_REAL,   /* double, at least minimum */
};

struct tee_perf_option {
	const char *name; /* without the dashes */
	char letter;      /* 0: none */
	enum tee_perf_option_type type;
	size_t place;               /* offset of the value in the command's struct of options */
	const char *argument;       /* its name in the help; NULL for a flag or choices */
	const char *help;           /* one line */
	const char *const *choices; /* NULL-terminated */
	uint64_t minimum, maximum;  /* maximum 0: none */
};

struct tee_perf_usage {
	const char *command;  /* "report" */
	const char *synopsis; /* what follows "tee-perf report " */
	const char *summary;  /* a sentence */
	const struct tee_perf_option *options;
	size_t option_count;
	const char *notes; /* after the options; NULL: none */
	bool takes_arguments;
};

/* Fills *values. 0: go on, *first is the index of the first argument that is no option; 1: help was asked for and
 * printed; -1: error of class USAGE. Stops at the first argument: what follows belongs to it. */
int tee_perf_options_parse(const struct tee_perf_usage *usage, int argc, char **argv, void *values, int *first,
			   struct tee_perf_error *err);

void tee_perf_options_help(const struct tee_perf_usage *usage);

#endif
