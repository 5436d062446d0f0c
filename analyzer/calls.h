/* SPDX-License-Identifier: MIT */
/* Every single call of a recording, streamed from the file in the order in which they end. Memory: a batch of records
 * and the open frames, whatever the length of the recording. */
#ifndef TEE_PERF_ANALYZER_CALLS_H
#define TEE_PERF_ANALYZER_CALLS_H

#include "analyzer/recording.h"

/* How a call ended (see DESIGN 4). */
enum tee_perf_call_end { TEE_PERF_CALL_RETURNED, TEE_PERF_CALL_UNWOUND, TEE_PERF_CALL_LOST, TEE_PERF_CALL_OPEN };
extern const char *const tee_perf_call_end_names[];

struct tee_perf_call {
	uint64_t id, parent; /* numbers from 1, of the whole recording in the order of calls; parent 0: none */
	uint32_t process, thread;
	uint32_t depth;       /* calls open below it on its stack */
	uint32_t function;    /* symbol */
	uint64_t start_ns;    /* since the recording's start */
	uint64_t duration_ns; /* callees included; without time on other stacks, waiting, pauses */
	uint64_t self_ns;     /* without callees */
	enum tee_perf_call_end end;
	bool unconfirmed; /* open across lost records or a pause */
	char *stack;      /* if wanted: "main;f;g", its own name last; valid until the next call is asked for */
};

/* Only calls that fulfil all of it. */
struct tee_perf_calls_filter {
	uint32_t process, thread, function; /* UINT32_MAX: any */
	uint64_t start_min_ns, start_max_ns, duration_min_ns, duration_max_ns;
	bool want_stack;
};
extern const struct tee_perf_calls_filter tee_perf_calls_all;

struct tee_perf_calls;

/* Opens the file anew. The recording must outlive the result. NULL: error, of class INPUT when it kept no calls. */
struct tee_perf_calls *tee_perf_calls_open(const struct tee_perf_recording *recording,
					   const struct tee_perf_calls_filter *filter, struct tee_perf_error *err);
/* 1: *call is the next one; 0: there are no more; -1: error. */
int tee_perf_calls_next(struct tee_perf_calls *calls, struct tee_perf_call *call, struct tee_perf_error *err);
void tee_perf_calls_close(struct tee_perf_calls *calls);

#endif
