/* SPDX-License-Identifier: MIT */
/* fork with a deep stack, vfork, and a child that runs on after its parent. */
#define _GNU_SOURCE
#include "expect.h"

#include <stdlib.h>
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

KEPT static void in_vfork_child(void)
{
	sink++;
}

KEPT static void deep(int depth)
{
	if (depth > 0) {
		deep(depth - 1);
		sink++;
		return;
	}
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 1000; i++)
			in_child();
		_exit(0);
	}
	for (int i = 0; i < 1000; i++)
		in_parent();
	waitpid(pid, NULL, 0);
}

KEPT static void run_true(void)
{
	pid_t pid = vfork();
	if (pid == 0) {
		in_vfork_child();
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		deep(50);
		run_true();
	}
	expect("deep", 20 * 51);
	expect("in_child", 20000);
	expect("in_parent", 20000);
	expect("in_vfork_child", 20);
	expect("run_true", 20);
	expect("main", 1);
	return 0;
}
