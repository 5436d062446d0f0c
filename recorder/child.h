/* SPDX-License-Identifier: MIT */
/* The command: started, signalled, waited for. */
#ifndef TEE_PERF_RECORDER_CHILD_H
#define TEE_PERF_RECORDER_CHILD_H

#include "util/error.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct tee_perf_child {
	pid_t pid;
	int status; /* exit status in the shell's manner, once ended */
	int signal; /* that ended it, or 0 */
	bool ended;
	bool told_to_end; /* by a signal that came after the command had ended */
	sigset_t watched, old_mask;
	struct sigaction old_xfsz; /* the command's own */
};

/* Blocks the signals that are handled from here on, in this thread and those it starts. Call it first. */
void tee_perf_child_block_signals(struct tee_perf_child *child);
/* Starts command with `log` as the value of TEE_PERF_LOG in its environment. -1: it could not be run; child->status is
 * then 127 (not found) or 126. */
int tee_perf_child_start(struct tee_perf_child *child, char **command, const char *log, struct tee_perf_error *err);
/* Waits up to timeout_ms for something to happen and deals with it: signals are passed on, stops and
 * ends noted. */
void tee_perf_child_wait(struct tee_perf_child *child, int timeout_ms);

#endif
