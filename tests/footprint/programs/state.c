/* SPDX-License-Identifier: MIT */
/* Prints all that a process can easily learn about itself: the same with hooks and a recorder as without. */
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) static int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void print_descriptors(void)
{
	for (int fd = 0; fd < 4096; fd++) {
		char path[64], target[512];
		ssize_t length;
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof target - 1);
		if (length >= 0)
			printf("descriptor %d\n", fd);
	}
}

static void print_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	int count = 0;

	while (tasks && (task = readdir(tasks)))
		count += task->d_name[0] != '.';
	printf("threads %d\n", count);
	if (tasks)
		closedir(tasks);
}

static void print_signals(void)
{
	sigset_t blocked;
	stack_t stack;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;
		if (sigaction(number, NULL, &action) == 0)
			printf("signal %d %s%s flags %x\n", number,
			       action.sa_handler == SIG_DFL   ? "default"
			       : action.sa_handler == SIG_IGN ? "ignored"
							      : "handled",
			       sigismember(&blocked, number) ? " blocked" : "", (unsigned)action.sa_flags);
	}
	sigaltstack(NULL, &stack);
	printf("signal stack %x\n", (unsigned)stack.ss_flags);
}

static void print_rest(void)
{
	char directory[512], *name;

	for (int which = 0; which <= ITIMER_PROF; which++) {
		struct itimerval timer;
		getitimer(which, &timer);
		printf("timer %d %ld\n", which, (long)timer.it_value.tv_sec);
	}
	for (int which = 0; which < RLIMIT_NLIMITS; which++) {
		struct rlimit limit;
		getrlimit(which, &limit);
		printf("limit %d %llx %llx\n", which, (unsigned long long)limit.rlim_cur,
		       (unsigned long long)limit.rlim_max);
	}
	printf("umask %o\n", umask(022));
	printf("directory %s\n", getcwd(directory, sizeof directory));
	printf("dumpable %d, death signal ", prctl(PR_GET_DUMPABLE));
	int signal = 0;
	prctl(PR_GET_PDEATHSIG, &signal);
	printf("%d, no new privileges %d, seccomp %d, timer slack %d\n", signal, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
	       prctl(PR_GET_SECCOMP), prctl(PR_GET_TIMERSLACK));
	printf("priority %d, subreaper ", getpriority(PRIO_PROCESS, 0));
	int reaper = 0;
	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	printf("%d, group of its own %d, session %d\n", reaper, getpgrp() == getpid(), getsid(0) == getpid());
	for (char **variable = environ; *variable; variable++) {
		name = *variable;
		if (strncmp(name, "TEE_PERF_", 9) && strncmp(name, "_=", 2))
			printf("environment %s\n", name);
	}
}

int main(void)
{
	int sum = 0;

	printf("dlerror: %s\n", dlerror() == NULL ? "none" : "set");
	for (int i = 0; i < 100000; i++) /* enough for several sub-buffers */
		sum = leaf(sum);
	print_descriptors();
	print_threads();
	print_signals();
	print_rest();
	return sum == 100000 ? 0 : 1;
}
