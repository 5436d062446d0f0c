/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const struct tee_perf_command tee_perf_commands[] = {
	{ "record", tee_perf_cmd_record, "run a command and record its calls" },
	{ "report", tee_perf_cmd_report, "calls and times per function, or the answer to an SQL query" },
	{ "flamegraph", tee_perf_cmd_flamegraph, "draw a recording as an interactive SVG" },
	{ "export", tee_perf_cmd_export, "write a recording in a format of other tools" },
	{ "info", tee_perf_cmd_info, "what a recording says about itself" },
	{ "help", tee_perf_cmd_help, "explain a command" },
	{ NULL, NULL, NULL },
};

static bool told; /* an error: one line is enough */

int tee_perf_cli_fail(const struct tee_perf_error *err)
{
	fflush(stdout);
	fprintf(stderr, "tee-perf: %s\n", err->message);
	told = true;
	return tee_perf_error_exit_status(err);
}

static const struct tee_perf_command *find(const char *name)
{
	for (const struct tee_perf_command *command = tee_perf_commands; command->name != NULL; command++)
		if (strcmp(command->name, name) == 0)
			return command;
	return NULL;
}

/* What was printed must have arrived: a full disk or a closed pipe is an error. A standard output that is closed is
 * none where nothing was printed. */
static int close_output(int status)
{
	bool failed = ferror(stdout) != 0;
	failed |= fflush(stdout) != 0;
	failed |= fclose(stdout) != 0 && errno != EBADF;
	if (!failed || told)
		return status;
	struct tee_perf_error err = { 0 };
	tee_perf_fail_errno(&err, "cannot write all of the output");
	return tee_perf_cli_fail(&err);
}

int main(int argc, char **argv)
{
	struct tee_perf_error err = { 0 };
	if (argc < 2) {
		tee_perf_fail(&err, TEE_PERF_USAGE, "a command is missing: see 'tee-perf help'");
		return tee_perf_cli_fail(&err);
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("tee-perf %s\n", TEE_PERF_VERSION);
		return close_output(0);
	}
	bool asks_help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
	const struct tee_perf_command *command = find(asks_help ? "help" : argv[1]);
	if (command == NULL) {
		tee_perf_fail(&err, TEE_PERF_USAGE, "there is no %s '%s': see 'tee-perf help'",
			      argv[1][0] == '-' ? "option" : "command", argv[1]);
		return tee_perf_cli_fail(&err);
	}
	return close_output(command->run(argc - 1, argv + 1));
}
