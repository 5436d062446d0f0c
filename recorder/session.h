/* SPDX-License-Identifier: MIT */
/* One recording, as its parts see it. */
#ifndef TEE_PERF_RECORDER_SESSION_H
#define TEE_PERF_RECORDER_SESSION_H

#include "recorder/calibrate.h"
#include "recorder/child.h"
#include "recorder/drain.h"
#include "recorder/record.h"

#include <stdio.h>

struct tee_perf_session {
	const struct tee_perf_record_options *options;
	struct tee_perf_region region;
	struct tee_perf_publisher clock;
	struct tee_perf_sink sink;
	struct tee_perf_drain drain;
	struct tee_perf_child child;
	struct tee_perf_writer *file;
	struct tee_perf_writer_status written;
	uint64_t program_end_ns; /* since the start, when the command ended */
	struct tee_perf_time_pair tsc_end;
	bool tsc_used;
	struct tee_perf_hook_costs hook_costs;
	FILE *progress; /* where the status line goes; NULL: nowhere */
};

/* ---- summary.c */

/* Sections START and END as JSON text; out is appended to. -1: out of memory. */
int tee_perf_session_start_json(const struct tee_perf_session *session, struct tee_perf_bytes *out);
int tee_perf_session_end_json(const struct tee_perf_session *session, struct tee_perf_bytes *out);

/* The summary on stderr; with --quiet only what went wrong. */
void tee_perf_session_print_summary(const struct tee_perf_session *session);
/* The status line, on session->progress. */
void tee_perf_session_print_progress(struct tee_perf_session *session, bool last);

#endif
