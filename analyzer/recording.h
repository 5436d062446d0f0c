/* SPDX-License-Identifier: MIT */
/* A data file, read into a model, with what its START and END sections say. */
#ifndef TEE_PERF_ANALYZER_RECORDING_H
#define TEE_PERF_ANALYZER_RECORDING_H

#include "analyzer/model.h"
#include "analyzer/probe.h"
#include "analyzer/symbols.h"

#include <jansson.h>

/* Warnings: what is missing or damaged, one sentence each. */
#define TEE_PERF_WARNINGS_MAX 8

/* What was passed over because it is damaged. */
struct tee_perf_recording_damage {
	uint64_t places, bytes;
	uint64_t records;        /* that are missing: known from what is around them, and from END */
	uint64_t from_ns, to_ns; /* when they were made, at the widest; from > to: unknown */
};

struct tee_perf_recording {
	char *path;
	struct tee_perf_model *model; /* finished */
	struct tee_perf_symbols *symbols;
	json_t *start, *end; /* objects, empty if the section is missing */
	bool has_end;
	bool damaged; /* something could not be read: the exit status is that of bad input */
	struct tee_perf_recording_damage damage;
	bool has_calls; /* events: single calls can be listed */
	bool has_profile;
	uint64_t file_bytes;
	char *warnings[TEE_PERF_WARNINGS_MAX];
	uint32_t warning_count;
};

/* What `info` and the head of a report say. Times in nanoseconds. */
struct tee_perf_summary {
	char *command; /* owned by the summary; "" unknown */
	const char *host, *clock, *keep, *full, *tool_version;
	uint64_t start_unix_ns, duration_ns, thread_time_ns, waited_ns, paused_ns, unresolved_ns;
	uint64_t resolution_ns; /* of the clock that most records are of; 0 unknown */
	double tsc_share;       /* of the records that are of the time-stamp counter */
	uint64_t events, lost, holes, orphan_returns, clock_backwards, unknown_records, too_deep;
	uint64_t calls, unwound, unconfirmed, open;
	uint64_t data_bytes, nodes;
	uint64_t unnamed_ns;                                  /* in functions that no name is known of */
	uint32_t threads, processes, guessed_stacks, unnamed; /* unnamed: such functions */
	bool tsc_uncalibrated, out_of_memory, truncated, hooks_missing;
	int exit_status, signal; /* -1 unknown */
};

/* Reads the file. A file that is cut, or damaged within, gives what was read, with warnings. NULL: error. */
struct tee_perf_recording *tee_perf_recording_open(const char *path, struct tee_perf_error *err);
void tee_perf_recording_close(struct tee_perf_recording *recording);

/* 0, or -1 out of memory. */
int tee_perf_recording_summary(const struct tee_perf_recording *recording, struct tee_perf_summary *summary,
			       struct tee_perf_error *err);
void tee_perf_summary_clear(struct tee_perf_summary *summary);

/* What the hooks cost on the clock of a track, by the recorder's calibration; zeros if it has none. */
struct tee_perf_probe tee_perf_recording_probe(const struct tee_perf_recording *recording, uint32_t track);

#endif
