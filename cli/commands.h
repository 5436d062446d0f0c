/* SPDX-License-Identifier: MIT */
/* The commands of tee-perf: one file each, one row each in main.c. argv[0] is the command's name. Each returns the exit
 * status, and has said on stderr what was wrong. */
#ifndef TEE_PERF_CLI_COMMANDS_H
#define TEE_PERF_CLI_COMMANDS_H

#include "util/error.h"

struct tee_perf_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* one line */
};

extern const struct tee_perf_command tee_perf_commands[]; /* ends with a NULL name */

int tee_perf_cmd_record(int argc, char **argv);
int tee_perf_cmd_report(int argc, char **argv);
int tee_perf_cmd_info(int argc, char **argv);
int tee_perf_cmd_flamegraph(int argc, char **argv);
int tee_perf_cmd_export(int argc, char **argv);
int tee_perf_cmd_help(int argc, char **argv);

/* Says err on stderr in one line and returns its exit status. */
int tee_perf_cli_fail(const struct tee_perf_error *err);

#define TEE_PERF_DEFAULT_INPUT "tee-perf.data"

#endif
