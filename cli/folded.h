/* SPDX-License-Identifier: MIT */
/* Folded stacks: a line per stack, "main;f;g 1234", as flamegraph.pl, inferno and speedscope read them. */
#ifndef TEE_PERF_CLI_FOLDED_H
#define TEE_PERF_CLI_FOLDED_H

#include "analyzer/recording.h"

#include <stdbool.h>
#include <stdio.h>

struct tee_perf_folded_options {
	bool by_thread; /* the thread is the first frame */
	bool calls;     /* the number counts calls, not nanoseconds */
	bool mangled;
};

/* Lines in the order of their bytes. A ';' or a control character in a name becomes ',' or '_', so that a line stays
 * one. Stacks deeper than 4,096 frames are cut there: their numbers go to the line that ends in "[deeper]". */
int tee_perf_folded_write(const struct tee_perf_recording *recording, const struct tee_perf_folded_options *options,
			  FILE *out, struct tee_perf_error *err);

#endif
