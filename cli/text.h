/* SPDX-License-Identifier: MIT */
/* How values look: durations, counts, names, in tables, CSV and JSON. */
#ifndef TEE_PERF_CLI_TEXT_H
#define TEE_PERF_CLI_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEE_PERF_TEXT 48 /* enough for any of these */

/* The duration (util/duration.h), or "<1.00 us" when it lies below the resolution (0: unknown). */
char *tee_perf_text_resolved(char out[TEE_PERF_TEXT], double ns, double resolution_ns);
/* "28,712,345" */
char *tee_perf_text_count(char out[TEE_PERF_TEXT], uint64_t count);
/* "12.34 %": the share of part in whole, 0 of nothing. */
char *tee_perf_text_share(char out[TEE_PERF_TEXT], double part, double whole);

/* Any bytes as valid UTF-8: what is not becomes Latin-1. malloc'ed; NULL: out of memory. */
char *tee_perf_text_utf8(const char *bytes);
/* For a terminal or a line of text: the same without control characters ("\n" becomes "\\n"). malloc'ed. */
char *tee_perf_text_line(const char *bytes);
/* A JSON string of any bytes. NULL: out of memory. */
json_t *tee_perf_text_json(const char *bytes);
/* A CSV field (RFC 4180), quoted where needed. */
void tee_perf_text_csv(FILE *out, const char *field);

#endif
