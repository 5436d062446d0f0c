/* SPDX-License-Identifier: MIT */
/* Changes its folder at once, and lets a child do so that outlives it. */
#include "../../record/programs/expect.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sink;

KEPT static void leaf(void)
{
	sink++;
}

int main(void)
{
	leaf();
	if (chdir("/") != 0)
		return 1;
	leaf();
	pid_t child = fork();
	if (child == 0) {
		leaf();
		_exit(chdir("/usr") != 0);
	}
	int status = 1;
	waitpid(child, &status, 0);
	expect("leaf", 3);
	return status;
}
