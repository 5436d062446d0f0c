/* SPDX-License-Identifier: MIT */
/* make_recording FILE: writes the scenario on standard input (tests/analyzer/scenario.h) as a data file. */
#include "tests/analyzer/scenario.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	static char text[1 << 20];
	struct tee_perf_error err = { 0 };
	if (argc != 2)
		return 2;
	text[fread(text, 1, sizeof text - 1, stdin)] = 0;
	if (scenario_write(text, argv[1], &err) == 0)
		return 0;
	fprintf(stderr, "make_recording: %s\n", err.message);
	return 1;
}
