/* SPDX-License-Identifier: MIT */
/* Rows of cells as an aligned table, CSV or JSON (an array of objects). One cell per column, in order. */
#ifndef TEE_PERF_CLI_ROWS_H
#define TEE_PERF_CLI_ROWS_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum tee_perf_format { TEE_PERF_FORMAT_TABLE, TEE_PERF_FORMAT_CSV, TEE_PERF_FORMAT_JSON };
extern const char *const tee_perf_format_names[]; /* in that order, NULL-terminated */

struct tee_perf_rows {
	FILE *out;
	enum tee_perf_format format;
	size_t column_count, column; /* column: of the next cell */
	char **names;
	bool *right;   /* numbers stand at the right */
	size_t *width; /* a table: of each column so far */
	char **cells;  /* a table: what waits until the widths are known */
	size_t cell_count, cell_capacity;
	uint64_t row_count;
	bool printed; /* a table: its widths are fixed, the head is out */
	bool failed;  /* out of memory */
};

/* Names are copied; right may be NULL (columns of numbers then stand at the right by what is in them).
 * 0, or -1 out of memory; tee_perf_rows_end is to be called in both cases. */
int tee_perf_rows_begin(struct tee_perf_rows *rows, FILE *out, enum tee_perf_format format, const char *const *names,
			size_t count, struct tee_perf_error *err);
void tee_perf_rows_text(struct tee_perf_rows *rows, const char *text); /* any bytes; NULL: null */
void tee_perf_rows_integer(struct tee_perf_rows *rows, int64_t value);
void tee_perf_rows_real(struct tee_perf_rows *rows, double value);
/* In a table the text, at the right; else the value. */
void tee_perf_rows_shown(struct tee_perf_rows *rows, const char *text, double value);
/* Prints what is left, and frees. 0, or -1 with err filled (out of memory). */
int tee_perf_rows_end(struct tee_perf_rows *rows, struct tee_perf_error *err);

#endif
