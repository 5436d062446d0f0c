/* SPDX-License-Identifier: MIT */
/* Children of every kind that is not plain fork: posix_spawn, system(), the clone system call by hand, a child of a
 * thread. */
#define _GNU_SOURCE
#include "../../record/programs/expect.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static volatile unsigned sink;

KEPT static void leaf(void)
{
	sink++;
}

KEPT static void in_child(void)
{
	for (int i = 0; i < 500; i++)
		leaf();
}

KEPT static int reap(pid_t child)
{
	int status = 1;

	return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

KEPT static int by_spawn(char *program)
{
	char *arguments[] = { program, "child", NULL };
	pid_t child = -1;

	return posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0 || reap(child);
}

KEPT static int by_clone(int depth)
{
	if (depth > 0) {
		int failed = by_clone(depth - 1);
		sink++;
		return failed;
	}
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		in_child();
		_exit(0);
	}
	return reap(child);
}

KEPT static void *in_thread(void *failed)
{
	pid_t child = fork();

	if (child == 0) {
		in_child();
		_exit(0);
	}
	*(int *)failed = reap(child);
	return NULL;
}

int main(int argc, char **argv)
{
	char command[512];
	pthread_t thread;
	int failed = 0, thread_failed = 1;

	if (argc > 1) {
		in_child();
		return 0;
	}
	failed |= by_spawn(argv[0]);
	snprintf(command, sizeof command, "'%s' child", argv[0]);
	failed |= system(command);
	failed |= by_clone(100);
	if (pthread_create(&thread, NULL, in_thread, &thread_failed) != 0 || pthread_join(thread, NULL) != 0)
		return 1;
	expect("in_child", 4);
	expect("leaf", 2000);
	expect("main", 3);
	expect("by_clone", 101);
	return failed | thread_failed;
}
