/* SPDX-License-Identifier: MIT */
/* Between transitions.c, which counts, and advice.c, which judges. */
#ifndef TEE_PERF_ANALYZER_TRANSITIONS_INTERNAL_H
#define TEE_PERF_ANALYZER_TRANSITIONS_INTERNAL_H

#include "analyzer/transitions.h"
#include "analyzer/view.h"

struct tee_perf_transition_pair {
	uint32_t caller, callee; /* symbols */
	uint64_t calls;
};

struct tee_perf_transition_sum {  /* by symbol */
	uint64_t calls, total_ns; /* as a transition */
	uint64_t function_calls;  /* as a function */
	uint32_t open;            /* while walking */
};

struct tee_perf_transition_builder {
	const struct tee_perf_recording *recording;
	struct tee_perf_view functions;
	uint32_t track;
	uint8_t *within;
	struct tee_perf_transition_sum *sums;
	struct tee_perf_transition_pair *pairs; /* in the order of their first calls, thread by thread */
	uint32_t pair_count, pair_capacity;
	uint32_t *slots; /* pair + 1, 0 free */
	uint32_t mask;
};

/* Fills in advice and chains. 0, or -1 out of memory. */
int tee_perf_transitions_advise(struct tee_perf_transitions *transitions,
				const struct tee_perf_transition_builder *builder);

#endif
