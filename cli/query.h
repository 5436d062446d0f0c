/* SPDX-License-Identifier: MIT */
/* The answer to an SQL query over a recording (docs/QUERY.md). */
#ifndef TEE_PERF_CLI_QUERY_H
#define TEE_PERF_CLI_QUERY_H

#include "analyzer/recording.h"
#include "cli/rows.h"

/* query: SQL, or @FILE. Prints to stdout. 0; -1: class USAGE for wrong SQL. */
int tee_perf_query_print(const struct tee_perf_recording *recording, const char *query, enum tee_perf_format format,
			 struct tee_perf_error *err);

#endif
