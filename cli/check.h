/* SPDX-License-Identifier: MIT */
/* `tee-perf info --check`: whether a recording is whole and at one with itself, and where not. */
#ifndef TEE_PERF_CLI_CHECK_H
#define TEE_PERF_CLI_CHECK_H

#include "analyzer/recording.h"
#include "cli/rows.h"

/* Prints what was found: as a table, or a JSON object. *faults: how many of it are faults; the rest are notes, things
 * that a program may do (docs/CHECK.md). 0 or -1. */
int tee_perf_check_print(const struct tee_perf_recording *recording, enum tee_perf_format format, FILE *out,
			 uint32_t *faults, struct tee_perf_error *err);

#endif
