/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

static void list_commands(void)
{
	printf("usage: tee-perf COMMAND [options]\n"
	       "       tee-perf help COMMAND\n"
	       "       tee-perf --version\n\n"
	       "Records every call of a program built with tee-perf-cc, and shows where its time goes.\n\n");
	for (const struct tee_perf_command *command = tee_perf_commands; command->name != NULL; command++)
		printf("  %-12s%s\n", command->name, command->summary);
	printf("\n  tee-perf-cc -O2 -o prog prog.c\n"
	       "  tee-perf record ./prog\n"
	       "  tee-perf report\n"
	       "  tee-perf flamegraph\n");
}

int tee_perf_cmd_help(int argc, char **argv)
{
	if (argc < 2 || argv[1][0] == '-') {
		list_commands();
		return 0;
	}
	for (const struct tee_perf_command *command = tee_perf_commands; command->name != NULL; command++) {
		if (strcmp(command->name, argv[1]) != 0 || command->run == tee_perf_cmd_help)
			continue;
		char help[] = "--help", *arguments[] = { argv[1], help, NULL };
		return command->run(2, arguments);
	}
	if (strcmp(argv[1], "help") == 0) {
		list_commands();
		return 0;
	}
	struct tee_perf_error err = { 0 };
	tee_perf_fail(&err, TEE_PERF_USAGE, "there is no command '%s': see 'tee-perf help'", argv[1]);
	return tee_perf_cli_fail(&err);
}
