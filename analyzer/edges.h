/* SPDX-License-Identifier: MIT */
/* Who calls whom: one edge per pair of functions, over all threads. */
#ifndef TEE_PERF_ANALYZER_EDGES_H
#define TEE_PERF_ANALYZER_EDGES_H

#include "analyzer/recording.h"

struct tee_perf_edge {
	uint32_t caller, callee; /* symbols; caller may be a pseudo one */
	uint64_t calls;
	uint64_t self_ns;  /* of the callee, when called so */
	uint64_t total_ns; /* the same with its callees; recursion counted once */
	uint32_t open;     /* while counting */
};

struct tee_perf_edges {
	struct tee_perf_edge *edges;
	uint32_t count, capacity;
};

/* 0, or -1 out of memory. */
int tee_perf_edges_build(struct tee_perf_edges *edges, const struct tee_perf_recording *recording,
			 struct tee_perf_error *err);
void tee_perf_edges_clear(struct tee_perf_edges *edges);

#endif
