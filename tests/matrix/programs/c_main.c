/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <stdio.h>
#include <string.h>

static const struct program_case cases[] = {
	{ "tree", calls_case },
	{ "tree", values_case },
	{ "tree", jumps_case },
	{ "tree", tails_case },
	{ "tree", merged_case },
	{ "threads", threads_case },
	{ "timer", timer_case },
	{ "deep-must", deep_must_case },
	{ "deep-plain", deep_plain_case },
	{ "exit", exit_case },
	{ "thread-exit", thread_exit_case },
};

int program_main(int argc, char **argv)
{
	ENTER;
	int found = 0;

	for (unsigned i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
		if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			found = 1;
		}
	}
	fflush(stdout);
	return found ? 0 : 99;
}
