/* SPDX-License-Identifier: MIT */
/* What this machine can enforce, tried out in a child. */
#define _GNU_SOURCE
#include "simulator/internal.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

/* Ends by itself only where the counter can be read although it was forbidden, or cannot be forbidden. */
static void read_forbidden_counter(void)
{
	struct rlimit none = { 0 };

	setrlimit(RLIMIT_CORE, &none);
	signal(SIGSEGV, SIG_DFL);
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0)
		(void)*(volatile unsigned long long[]){ __rdtsc() };
}

static int killed(void (*try)(void), int by)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		try();
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == by;
}

void tee_perf_sim_probe(struct tee_perf_sim_machine *machine)
{
	/* Without a filter to install: only a kernel that knows the operation looks at the address. */
	machine->seccomp = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 && errno == EFAULT;
	machine->tsc = killed(read_forbidden_counter, SIGSEGV);
}
