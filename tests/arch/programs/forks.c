/* SPDX-License-Identifier: MIT */
/* fork with a deep stack; parent and child go on side by side. */
#include "../../record/programs/expect.h"

#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sink;

KEPT static void in_parent(void)
{
	sink++;
}

KEPT static void in_child(void)
{
	sink++;
}

KEPT static int deep(int depth)
{
	int status, result;

	if (depth > 0) {
		result = deep(depth - 1);
		sink++;
		return result;
	}
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 3000; i++)
			in_child();
		_exit(0);
	}
	for (int i = 0; i < 3000; i++)
		in_parent();
	return waitpid(pid, &status, 0) == pid && status == 0;
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		if (!deep(50))
			return 1;
	expect("deep", 3 * 51);
	expect("in_child", 9000);
	expect("in_parent", 9000);
	expect("main", 1);
	return 0;
}
