/* SPDX-License-Identifier: MIT */
/* `tee-perf record` without its command line. */
#ifndef TEE_PERF_RECORDER_RECORD_H
#define TEE_PERF_RECORDER_RECORD_H

#include "runtime/log_layout.h"
#include "util/error.h"

#include <stdbool.h>
#include <stdint.h>

enum tee_perf_clock_choice { TEE_PERF_CHOOSE_AUTO, TEE_PERF_CHOOSE_HOST, TEE_PERF_CHOOSE_TSC };
enum tee_perf_keep { TEE_PERF_KEEP_CALLS, TEE_PERF_KEEP_PROFILE };

struct tee_perf_record_options {
	const char *output;
	enum tee_perf_clock_choice clock;
	enum tee_perf_full full;
	enum tee_perf_keep keep;
	uint64_t clock_period_ns, ring_bytes, max_bytes;
	uint64_t delay_ms, duration_ms; /* 0: none */
	bool no_follow, follow_daemons, quiet, progress, no_cmdline;
	const char
	    *keep_env; /* variables that the file keeps, separated by commas, beside the usual ones; NULL: none */
	const char *transition_cost; /* of an enclave's crossings, for the file; NULL: not said */
	/* The log lies in a file of that name (NULL: in memory of our own), so many bytes long (0: a default), for so
	 * many processes in all, whose process ids mean nothing here. */
	const char *shared_file;
	uint64_t shared_bytes;
	unsigned shared_processes;
	char **command; /* NULL-terminated */
};

/* Runs the command and records it. Returns the exit status of `record`: the command's own, 128 + signal, 127 or 126
 * when it could not be run. With err filled the recording failed; the status is still the command's, or that of the
 * error when the command was not run (-1). */
int tee_perf_record(const struct tee_perf_record_options *options, struct tee_perf_error *err);

#endif
