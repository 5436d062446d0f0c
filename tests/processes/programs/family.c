/* SPDX-License-Identifier: MIT */
/* family MODE: parents and children, each of which says what it did. */
#define _GNU_SOURCE
#include "count.h"

#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>

extern char **environ;
static char *self;
static int returning; /* children return through what their parent had called */

KEPT static void child_work(int n)
{
	COUNT();
	for (int i = 0; i < n; i++)
		leaf();
}

KEPT static int forks(int depth)
{
	int result;

	COUNT();
	if (depth > 0) {
		result = forks(depth - 1);
		leaf();
		return result;
	}
	pid_t pid = fork();
	if (pid == 0) {
		count_afresh();
		child_work(100);
		if (!returning) {
			say();
			_exit(0);
		}
		return 1;
	}
	child_work(10);
	waitpid(pid, NULL, 0);
	return 0;
}

/* 1: in the child. */
KEPT static int fork_deep(int rounds)
{
	COUNT();
	for (int i = 0; i < rounds; i++)
		if (forks(50) != 0)
			return 1;
	return 0;
}

static void *in_thread(void *unused)
{
	COUNT();
	forks(5);
	return unused;
}

KEPT static void fork_in_thread(void)
{
	pthread_t thread;

	COUNT();
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
}

static SILENT void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status != 0)
		exit(98);
}

/* A vfork child runs on its parent's memory: what it does is counted there, and recorded in the parent's ring. */
KEPT static void vfork_exec(void)
{
	COUNT();
	pid_t pid = vfork();
	if (pid == 0) {
		leaf();
		execl(self, self, "leaves", (char *)NULL);
		_exit(1);
	}
	wait_for(pid);
}

KEPT static void spawn(void)
{
	char *arguments[] = { self, "leaves", NULL };
	pid_t pid;

	COUNT();
	posix_spawn(&pid, self, NULL, NULL, arguments, environ);
	wait_for(pid);
}

KEPT static void run_system(void)
{
	char command[4200];

	COUNT();
	snprintf(command, sizeof command, "'%s' leaves; '%s' leaves; true", self, self);
	if (system(command) != 0)
		exit(97);
}

KEPT static void exec_plain(void)
{
	COUNT();
	pid_t pid = fork();
	if (pid == 0) {
		count_afresh();
		child_work(20);
		say();
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	wait_for(pid);
}

/* One process, two programs: both are recorded under its pid. */
KEPT static void exec_self(void)
{
	COUNT();
	pid_t pid = fork();
	if (pid == 0) {
		count_afresh();
		child_work(20);
		say();
		execl(self, self, "leaves", (char *)NULL);
		_exit(1);
	}
	wait_for(pid);
}

KEPT static void serve(int requests)
{
	COUNT();
	int request;
	while (read(requests, &request, sizeof request) == (ssize_t)sizeof request)
		child_work(request);
}

KEPT static void pre_forking_server(void)
{
	int ends[2];
	pid_t workers[8];

	COUNT();
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
	for (int i = 0; i < 8; i++) {
		workers[i] = fork();
		if (workers[i] == 0) {
			close(ends[0]);
			count_afresh();
			serve(ends[1]);
			say();
			_exit(0);
		}
	}
	close(ends[1]);
	for (int request = 1; request <= 200; request++) {
		leaf();
		if (write(ends[0], &request, sizeof request) != (ssize_t)sizeof request)
			exit(96);
	}
	close(ends[0]);
	for (int i = 0; i < 8; i++)
		wait_for(workers[i]);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	COUNT();
	self = realpath("/proc/self/exe", NULL);
	returning = strcmp(mode, "returning") == 0;
	if (strcmp(mode, "leaves") == 0)
		child_work(30);
	else if (strcmp(mode, "fork") == 0 || returning)
		fork_deep(10);
	else if (strcmp(mode, "thread") == 0)
		fork_in_thread();
	else if (strcmp(mode, "programs") == 0)
		for (int i = 0; i < 3; i++) {
			vfork_exec();
			spawn();
			run_system();
			exec_plain();
			exec_self();
		}
	else if (strcmp(mode, "server") == 0)
		pre_forking_server();
	else if (strcmp(mode, "daemon") == 0) {
		say();
		if (daemon(1, 1) != 0)
			return 1;
		count_afresh();
		child_work(40);
	}
	say();
	return 0;
}
