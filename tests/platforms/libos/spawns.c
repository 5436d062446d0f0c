/* SPDX-License-Identifier: MIT */
/* Starts itself as Occlum allows: by vfork and exec, and by posix_spawn. Exit status 9. `wait`: ends with 3 when it is
 * told to. */
#define _GNU_SOURCE
#include "tests/record/programs/expect.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EACH 3

static volatile unsigned sink;

KEPT static void in_child(void)
{
	sink++;
}

KEPT static void in_thread(void)
{
	sink++;
}

KEPT static pid_t by_vfork(char *path)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl(path, path, "child", (char *)NULL);
		_exit(1);
	}
	return pid;
}

KEPT static pid_t by_spawn(char *path)
{
	char *words[] = { path, "child", NULL };
	pid_t pid;

	return posix_spawn(&pid, path, NULL, NULL, words, environ) == 0 ? pid : -1;
}

static void *thread(void *unused)
{
	for (int i = 0; i < 100; i++)
		in_thread();
	return unused;
}

static int child(void)
{
	for (int i = 0; i < 1000; i++)
		in_child();
	return 0;
}

static int wait_for_the_end(void)
{
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	return sigwait(&set, &signal) == 0 ? 3 : 1;
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc > 1)
		return strcmp(argv[1], "child") == 0 ? child() : wait_for_the_end();
	for (int i = 0; i < 2 * EACH; i++) {
		pid_t pid = i % 2 ? by_vfork(argv[0]) : by_spawn(argv[0]);
		int status = 1;
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
			return 1;
	}
	if (pthread_create(&other, NULL, thread, NULL) != 0 || pthread_join(other, NULL) != 0)
		return 1;
	expect("by_vfork", EACH);
	expect("by_spawn", EACH);
	expect("in_child", 2 * EACH * 1000);
	expect("in_thread", 100);
	expect("main", 1 + 2 * EACH);
	return 9;
}
