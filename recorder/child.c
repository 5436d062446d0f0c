/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/child.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* SIGTSTP, SIGTTIN and SIGTTOU keep their effect: the terminal stops both of us. */
static const int handled[] = {
	SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH
};

void tee_perf_child_block_signals(struct tee_perf_child *child)
{
	sigemptyset(&child->watched);
	for (unsigned i = 0; i < sizeof handled / sizeof *handled; i++)
		sigaddset(&child->watched, handled[i]);
	sigprocmask(SIG_BLOCK, &child->watched, &child->old_mask);
	/* A file that grows beyond its limit is an error to report, not our end. */
	sigaction(SIGXFSZ, &(struct sigaction){ .sa_handler = SIG_IGN }, &child->old_xfsz);
}

/* The command's signals are as ours were. */
static int set_signals(const struct tee_perf_child *child, posix_spawnattr_t *attributes)
{
	sigset_t restored;

	sigemptyset(&restored);
	if (child->old_xfsz.sa_handler == SIG_DFL)
		sigaddset(&restored, SIGXFSZ);
	int error = posix_spawnattr_setsigmask(attributes, &child->old_mask);
	if (error == 0)
		error = posix_spawnattr_setsigdefault(attributes, &restored);
	if (error == 0)
		error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	return error;
}

/* As execvp does: a file that is no program is the shell's. */
static int spawn_by_shell(pid_t *pid, char **command, const posix_spawnattr_t *attributes)
{
	size_t count = 0;

	while (command[count] != NULL)
		count++;
	char **words = calloc(count + 4, sizeof *words);
	if (words == NULL)
		return ENOMEM;
	words[0] = "/bin/sh";
	words[1] = "-c";
	words[2] = "exec \"$0\" \"$@\"";
	memcpy(words + 3, command, count * sizeof *command);
	int error = posix_spawn(pid, words[0], NULL, attributes, words, environ);
	free(words);
	return error;
}

static int spawn(pid_t *pid, char **command, const posix_spawnattr_t *attributes)
{
	int error = posix_spawnp(pid, command[0], NULL, attributes, command, environ);

	return error == ENOEXEC ? spawn_by_shell(pid, command, attributes) : error;
}

/* Without one of these the end of the command would go unnoticed. */
static int check_calls(const struct tee_perf_child *child, struct tee_perf_error *err)
{
	struct timespec at_once = { 0 };
	sigset_t none;

	sigemptyset(&none);
	if (sigprocmask(SIG_BLOCK, &child->watched, NULL) != 0)
		return tee_perf_fail_errno(err, "cannot block signals");
	if (sigtimedwait(&none, NULL, &at_once) < 0 && errno == ENOSYS)
		return tee_perf_fail_errno(err, "cannot wait for signals (sigtimedwait)");
	if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ENOSYS)
		return tee_perf_fail_errno(err, "cannot wait for processes (wait4)");
	return 0;
}

/* posix_spawn, not fork: some library operating systems have nothing else. */
int tee_perf_child_start(struct tee_perf_child *child, char **command, const char *log, struct tee_perf_error *err)
{
	posix_spawnattr_t attributes;

	if (check_calls(child, err) != 0)
		return -1;
	/* Orphans come to us, so that a daemon's end is seen. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	errno = posix_spawnattr_init(&attributes);
	if (errno != 0 || setenv("TEE_PERF_LOG", log, 1) != 0)
		return tee_perf_fail_errno(err, "cannot start a process");
	int error = set_signals(child, &attributes);
	if (error == 0)
		error = spawn(&child->pid, command, &attributes);
	posix_spawnattr_destroy(&attributes);
	unsetenv("TEE_PERF_LOG");
	if (error == 0)
		return 0;
	child->status = error == ENOENT ? 127 : 126;
	errno = error;
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

static void pass_on(struct tee_perf_child *child, const siginfo_t *info)
{
	bool from_terminal = info->si_code == SI_KERNEL; /* the command got it, too */

	if (info->si_signo == SIGCHLD)
		reap(child);
	else if (child->ended && (info->si_signo == SIGINT || info->si_signo == SIGQUIT || info->si_signo == SIGTERM ||
				  info->si_signo == SIGHUP))
		child->told_to_end = true; /* what is still waited for is a daemon, which does not hear it */
	else if (!child->ended && !from_terminal && info->si_signo != SIGWINCH)
		kill(child->pid, info->si_signo);
}

void tee_perf_child_wait(struct tee_perf_child *child, int timeout_ms)
{
	struct timespec timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
	siginfo_t info;

	while (sigtimedwait(&child->watched, &info, &timeout) > 0) {
		pass_on(child, &info);
		timeout = (struct timespec){ 0 };
	}
	reap(child); /* whoever ends may be heard of by no signal */
}
