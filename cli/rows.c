/* SPDX-License-Identifier: MIT */
#include "cli/rows.h"
#include "cli/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A table's widths come from its first rows; the rest streams. */
#define TABLE_ROWS 10000

const char *const tee_perf_format_names[] = { "table", "csv", "json", NULL };

/* Columns on the screen: characters, not bytes (wide characters count as one). */
static size_t text_width(const char *text)
{
	size_t width = 0;
	for (; *text != 0; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void print_cell(const struct tee_perf_rows *rows, size_t column, const char *cell)
{
	size_t length = text_width(cell), width = rows->width[column];
	size_t fill = length < width ? width - length : 0;
	bool last = column + 1 == rows->column_count;
	if (rows->right[column])
		fprintf(rows->out, "%*s%s", (int)fill, "", cell);
	else
		fprintf(rows->out, "%s%*s", cell, last ? 0 : (int)fill, "");
	fputs(last ? "\n" : "  ", rows->out);
}

static void flush_table(struct tee_perf_rows *rows)
{
	if (!rows->printed)
		for (size_t i = 0; i < rows->column_count; i++)
			print_cell(rows, i, rows->names[i]);
	rows->printed = true;
	for (size_t i = 0; i < rows->cell_count; i++) {
		if (rows->cells[i] != NULL)
			print_cell(rows, i % rows->column_count, rows->cells[i]);
		free(rows->cells[i]);
	}
	rows->cell_count = 0;
}

static void table_cell(struct tee_perf_rows *rows, const char *text, bool right)
{
	if (rows->cell_count == rows->cell_capacity) {
		size_t capacity = rows->cell_capacity == 0 ? 64 * rows->column_count : 2 * rows->cell_capacity;
		char **cells = realloc(rows->cells, capacity * sizeof *cells);
		if (cells == NULL) {
			rows->failed = true;
			return;
		}
		rows->cells = cells;
		rows->cell_capacity = capacity;
	}
	char *cell = tee_perf_text_line(text);
	rows->failed |= cell == NULL;
	rows->cells[rows->cell_count++] = cell;
	if (cell != NULL && !rows->printed) {
		size_t length = text_width(cell);
		if (length > rows->width[rows->column])
			rows->width[rows->column] = length;
		rows->right[rows->column] |= right;
	}
}

/* What stands before a cell in CSV and JSON. */
static void separate(struct tee_perf_rows *rows)
{
	if (rows->format == TEE_PERF_FORMAT_CSV) {
		if (rows->column > 0)
			putc(',', rows->out);
		return;
	}
	if (rows->column == 0)
		fputs(rows->row_count == 0 ? "\n    {" : ",\n    {", rows->out);
	else
		fputs(", ", rows->out);
	fprintf(rows->out, "%s: ", rows->names[rows->column]);
}

static void end_cell(struct tee_perf_rows *rows)
{
	if (++rows->column < rows->column_count)
		return;
	rows->column = 0;
	rows->row_count++;
	if (rows->format == TEE_PERF_FORMAT_CSV)
		putc('\n', rows->out);
	else if (rows->format == TEE_PERF_FORMAT_JSON)
		putc('}', rows->out);
	else if (rows->cell_count >= TABLE_ROWS * rows->column_count)
		flush_table(rows);
}

/* A name as JSON spells it, malloc'ed. */
static char *quoted(const char *text)
{
	json_t *string = tee_perf_text_json(text);
	char *spelled = string == NULL ? NULL : json_dumps(string, JSON_ENCODE_ANY);
	json_decref(string);
	return spelled;
}

/* Columns of one name would be one key: the second is name:1. */
static char *column_name(const char *const *names, size_t column, enum tee_perf_format format)
{
	char unique[256];
	unsigned before = 0;
	for (size_t i = 0; i < column; i++)
		before += strcmp(names[i], names[column]) == 0;
	if (format != TEE_PERF_FORMAT_JSON)
		return tee_perf_text_line(names[column]);
	if (before == 0)
		return quoted(names[column]);
	snprintf(unique, sizeof unique, "%.200s:%u", names[column], before);
	return quoted(unique);
}

int tee_perf_rows_begin(struct tee_perf_rows *rows, FILE *out, enum tee_perf_format format, const char *const *names,
			size_t count, struct tee_perf_error *err)
{
	*rows = (struct tee_perf_rows){ .out = out,
					.format = format,
					.column_count = count,
					.names = calloc(count, sizeof(char *)),
					.right = calloc(count, sizeof(bool)),
					.width = calloc(count, sizeof(size_t)) };
	if (rows->names == NULL || rows->right == NULL || rows->width == NULL)
		rows->failed = true;
	for (size_t i = 0; i < count && !rows->failed; i++) {
		rows->names[i] = column_name(names, i, format);
		if (rows->names[i] == NULL)
			rows->failed = true;
		else
			rows->width[i] = text_width(rows->names[i]);
	}
	if (rows->failed)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the columns of the output");
	for (size_t i = 0; i < count && format == TEE_PERF_FORMAT_CSV; i++) {
		tee_perf_text_csv(out, rows->names[i]);
		putc(i + 1 < count ? ',' : '\n', out);
	}
	if (format == TEE_PERF_FORMAT_JSON)
		putc('[', out);
	return 0;
}

void tee_perf_rows_text(struct tee_perf_rows *rows, const char *text)
{
	if (rows->format == TEE_PERF_FORMAT_TABLE) {
		table_cell(rows, text == NULL ? "" : text, false);
	} else {
		separate(rows);
		char *spelled = text == NULL                           ? NULL
				: rows->format == TEE_PERF_FORMAT_JSON ? quoted(text)
								       : tee_perf_text_utf8(text);
		rows->failed |= text != NULL && spelled == NULL;
		if (rows->format == TEE_PERF_FORMAT_JSON)
			fputs(spelled == NULL ? "null" : spelled, rows->out);
		else
			tee_perf_text_csv(rows->out, spelled == NULL ? "" : spelled);
		free(spelled);
	}
	end_cell(rows);
}

static void number_cell(struct tee_perf_rows *rows, const char *text, const char *value)
{
	if (rows->format == TEE_PERF_FORMAT_TABLE) {
		table_cell(rows, text, true);
	} else {
		separate(rows);
		fputs(value, rows->out);
	}
	end_cell(rows);
}

static void spell_real(char out[TEE_PERF_TEXT], double value)
{
	if (!isfinite(value))
		snprintf(out, TEE_PERF_TEXT, "null"); /* JSON knows neither infinity nor NaN */
	else if (value == floor(value) && fabs(value) < 1e15)
		snprintf(out, TEE_PERF_TEXT, "%.0f", value);
	else
		snprintf(out, TEE_PERF_TEXT, "%.15g", value);
}

void tee_perf_rows_integer(struct tee_perf_rows *rows, int64_t value)
{
	char text[TEE_PERF_TEXT];
	snprintf(text, sizeof text, "%" PRId64, value);
	number_cell(rows, text, text);
}

void tee_perf_rows_real(struct tee_perf_rows *rows, double value)
{
	char text[TEE_PERF_TEXT];
	spell_real(text, value);
	number_cell(rows, text, text);
}

void tee_perf_rows_shown(struct tee_perf_rows *rows, const char *text, double value)
{
	char machine[TEE_PERF_TEXT];
	spell_real(machine, value);
	number_cell(rows, text, machine);
}

int tee_perf_rows_end(struct tee_perf_rows *rows, struct tee_perf_error *err)
{
	if (rows->format == TEE_PERF_FORMAT_TABLE && rows->names != NULL && !rows->failed)
		flush_table(rows);
	if (rows->format == TEE_PERF_FORMAT_JSON && !rows->failed)
		fputs(rows->row_count == 0 ? "]" : "\n  ]", rows->out);
	for (size_t i = 0; i < rows->cell_count; i++)
		free(rows->cells[i]);
	for (size_t i = 0; rows->names != NULL && i < rows->column_count; i++)
		free(rows->names[i]);
	free(rows->cells);
	free(rows->names);
	free(rows->right);
	free(rows->width);
	return rows->failed ? tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the rows of the output") : 0;
}
