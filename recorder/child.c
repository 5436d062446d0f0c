/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* SIGTSTP, SIGTTIN and SIGTTOU keep their effect: the terminal stops both of us. */
static const int handled[] = {
	SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH
};

int tee_perf_child_block_signals(struct tee_perf_child *child, struct tee_perf_error *err)
{
	sigset_t mask;

	sigemptyset(&mask);
	for (unsigned i = 0; i < sizeof handled / sizeof *handled; i++)
		sigaddset(&mask, handled[i]);
	sigprocmask(SIG_BLOCK, &mask, &child->old_mask);
	/* A file that grows beyond its limit is an error to report, not our end. */
	sigaction(SIGXFSZ, &(struct sigaction){ .sa_handler = SIG_IGN }, &child->old_xfsz);
	child->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (child->signals < 0)
		return tee_perf_fail_errno(err, "cannot watch for signals");
	return 0;
}

static void run_command(struct tee_perf_child *child, char **command, const char *environment, int report)
{
	sigaction(SIGXFSZ, &child->old_xfsz, NULL);
	sigprocmask(SIG_SETMASK, &child->old_mask, NULL);
	putenv((char *)environment);
	execvp(command[0], command);
	int number = errno;
	if (write(report, &number, sizeof number) != sizeof number)
		_exit(125);
	_exit(126);
}

int tee_perf_child_start(struct tee_perf_child *child, char **command, const char *environment,
			 struct tee_perf_error *err)
{
	int report[2], number = 0;

	if (pipe2(report, O_CLOEXEC) != 0)
		return tee_perf_fail_errno(err, "cannot make a pipe");
	/* Orphans come to us, so that a daemon's end is seen. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child->pid = fork();
	if (child->pid == 0)
		run_command(child, command, environment, report[1]);
	close(report[1]);
	if (child->pid < 0) {
		close(report[0]);
		return tee_perf_fail_errno(err, "cannot start a process");
	}
	bool failed = read(report[0], &number, sizeof number) == sizeof number;
	close(report[0]);
	if (!failed)
		return 0;
	waitpid(child->pid, NULL, 0);
	child->status = number == ENOENT ? 127 : 126;
	errno = number;
	return tee_perf_fail_errno(err, "cannot run '%s'", command[0]);
}

static void stopped(struct tee_perf_child *child, int signal)
{
	(void)child;
	/* Our parent's shell sees only us: stop as the command did. It and we go on together by SIGCONT. */
	kill(getpid(), signal == SIGTSTP ? SIGSTOP : signal);
}

static void reap(struct tee_perf_child *child)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != child->pid)
			continue;
		if (WIFSTOPPED(status)) {
			stopped(child, WSTOPSIG(status));
			continue;
		}
		child->ended = true;
		child->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		child->status = child->signal ? 128 + child->signal : WEXITSTATUS(status);
	}
}

static void pass_on(struct tee_perf_child *child, const struct signalfd_siginfo *info)
{
	bool from_terminal = info->ssi_code == SI_KERNEL; /* the command got it, too */

	if (info->ssi_signo == SIGCHLD)
		reap(child);
	else if (child->ended && (info->ssi_signo == SIGINT || info->ssi_signo == SIGQUIT ||
				  info->ssi_signo == SIGTERM || info->ssi_signo == SIGHUP))
		child->told_to_end = true; /* what is still waited for is a daemon, which does not hear it */
	else if (!child->ended && !from_terminal && info->ssi_signo != SIGWINCH)
		kill(child->pid, (int)info->ssi_signo);
}

void tee_perf_child_wait(struct tee_perf_child *child, int timeout_ms)
{
	struct pollfd fd = { .fd = child->signals, .events = POLLIN };
	struct signalfd_siginfo info;

	if (poll(&fd, 1, timeout_ms) <= 0)
		return;
	while (read(child->signals, &info, sizeof info) == sizeof info)
		pass_on(child, &info);
}
