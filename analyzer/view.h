/* SPDX-License-Identifier: MIT */
/* The rows of a report: what a model says per function. */
#ifndef TEE_PERF_ANALYZER_VIEW_H
#define TEE_PERF_ANALYZER_VIEW_H

#include "analyzer/recording.h"

enum tee_perf_by { TEE_PERF_BY_NOTHING, TEE_PERF_BY_PROCESS, TEE_PERF_BY_THREAD };

struct tee_perf_row {
	uint32_t symbol;
	uint32_t process, thread; /* as far as the view tells them apart */
	uint64_t calls;
	uint64_t self_ns;
	uint64_t total_ns; /* recursion counted once */
	uint64_t probe_ns; /* estimated time of the hooks within self_ns (with net: taken off it) */
	/* durations of single calls, children included */
	uint64_t timed_calls; /* calls whose duration is known */
	uint64_t min_ns, max_ns, p50_ns, p99_ns;
	double mean_ns;
	uint64_t unwound, unconfirmed, open;
};

struct tee_perf_view {
	struct tee_perf_row *rows;
	uint32_t count, capacity;
	uint64_t thread_time_ns; /* of all threads: what 100 % is */
};

struct tee_perf_view_options {
	enum tee_perf_by by;
	bool net; /* takes the hooks' time off self and total */
};

/* 0, or -1 (out of memory). Rows in no particular but always the same order. */
int tee_perf_view_build(struct tee_perf_view *view, const struct tee_perf_recording *recording,
			const struct tee_perf_view_options *options, struct tee_perf_error *err);
void tee_perf_view_clear(struct tee_perf_view *view);

enum tee_perf_sort { TEE_PERF_SORT_SELF, TEE_PERF_SORT_TOTAL, TEE_PERF_SORT_CALLS, TEE_PERF_SORT_NAME };

/* Greatest first (names: by name); equal rows by name, module, file, line. By as in the options: within each process or
 * thread. */
void tee_perf_view_sort(struct tee_perf_view *view, const struct tee_perf_recording *recording, enum tee_perf_sort sort,
			enum tee_perf_by by);

#endif
