/* SPDX-License-Identifier: MIT */
/* Within `report --transitions`: the advice in words, and all of it as JSON. */
#ifndef TEE_PERF_CLI_TRANSITIONS_ADVICE_H
#define TEE_PERF_CLI_TRANSITIONS_ADVICE_H

#include "analyzer/transitions.h"

#include <stdio.h>

/* A line each, the greatest saving first. 0, or -1 out of memory. */
int tee_perf_transitions_print_advice(const struct tee_perf_transitions *all,
				      const struct tee_perf_recording *recording, bool mangled, FILE *out,
				      struct tee_perf_error *err);
/* Members of an object, without its braces. */
int tee_perf_transitions_print_json(const struct tee_perf_transitions *all, const struct tee_perf_recording *recording,
				    bool mangled, uint64_t limit, FILE *out, struct tee_perf_error *err);

#endif
