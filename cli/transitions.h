/* SPDX-License-Identifier: MIT */
/* `tee-perf report --transitions`: an enclave's ECALLs and OCALLs, and what could be done about them. */
#ifndef TEE_PERF_CLI_TRANSITIONS_H
#define TEE_PERF_CLI_TRANSITIONS_H

#include "analyzer/transitions.h"
#include "cli/rows.h"

/* Prints the section. cost NULL or "": the default. limit 0: all rows. 0 or -1. */
int tee_perf_transitions_print(const struct tee_perf_recording *recording, const char *cost, uint64_t limit,
			       bool mangled, enum tee_perf_format format, struct tee_perf_error *err);

#endif
