/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <cstdio>
#include <cstring>

static const program_case cases[] = {
	{ "tree", exceptions_case },
	{ "tree", throwing_objects_case },
	{ "tree", unwinding_case },
	{ "tree", objects_case },
	{ "tree", templates_case },
	{ "tree", coroutines_case },
	{ "threads", locals_case },
	{ "terminate", terminate_case },
	{ "uncaught", uncaught_case },
	{ "plain-catch", plain_catch_case },
	{ "plain-catch-calls", plain_sorts_case },
	{ "cleanup-calls", cleanup_sorts_case },
	{ "forced", forced_case },
};

int program_main(int argc, char **argv)
{
	ENTER;
	bool found = false;

	for (const program_case &one : cases) {
		if (argc > 1 && strcmp(argv[1], one.name) == 0) {
			one.run();
			found = true;
		}
	}
	fflush(stdout);
	return found ? 0 : 99;
}
