/* SPDX-License-Identifier: MIT */
/* Calls, then ends the hard way, deep in the stack. */
#include "expect.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *way;
static volatile unsigned sink;

KEPT static void last(void)
{
	fflush(stdout);
	if (strcmp(way, "kill") == 0)
		kill(getpid(), SIGKILL);
	else if (strcmp(way, "abort") == 0)
		abort();
	else if (strcmp(way, "crash") == 0)
		*(volatile int *)8 = 1;
	else if (strcmp(way, "exit") == 0)
		exit(9);
	else if (strcmp(way, "term") == 0)
		kill(getpid(), SIGTERM);
	_exit(9);
}

KEPT static void deep(int depth)
{
	sink++;
	if (depth > 0)
		deep(depth - 1);
	else
		last();
	sink++;
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "";
	expect("deep", 1001);
	expect("last", 1);
	expect("main", 1);
	deep(1000);
	return 0;
}
