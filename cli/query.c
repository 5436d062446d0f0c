/* SPDX-License-Identifier: MIT */
#include "cli/query.h"
#include "cli/query_tables.h"
#include "cli/text.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define QUERY_BYTES_MAX (1u << 20)

/* Reads only: no file is opened or written, whatever the SQL says. A query may use temporary views and CTEs. */
static int authorize(void *unused, int action, const char *a, const char *b, const char *database, const char *trigger)
{
	(void)unused;
	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION: /* b: its name */
		return b != NULL && sqlite3_stricmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
	default:
		(void)a;
		return SQLITE_DENY;
	}
}

/* The SQL text, malloc'ed. */
static char *read_query(const char *query, struct tee_perf_error *err)
{
	if (query[0] != '@') {
		char *copy = strdup(query);
		if (copy == NULL)
			tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the query");
		return copy;
	}
	FILE *file = fopen(query + 1, "r");
	if (file == NULL) {
		tee_perf_fail(err, TEE_PERF_USAGE, "cannot read the query from %s: %s", query + 1, strerror(errno));
		return NULL;
	}
	char *text = malloc(QUERY_BYTES_MAX + 1);
	size_t size = text == NULL ? 0 : fread(text, 1, QUERY_BYTES_MAX + 1, file);
	bool failed = ferror(file) != 0;
	fclose(file);
	if (text == NULL || failed || size > QUERY_BYTES_MAX) {
		tee_perf_fail(err, TEE_PERF_USAGE, "cannot read the query from %s: %s", query + 1,
			      size > QUERY_BYTES_MAX ? "it is longer than 1 MiB" : "reading failed");
		free(text);
		return NULL;
	}
	text[size] = 0;
	return text;
}

/* A table that could not be read says why; all else is the query's fault. */
static int wrong_sql(sqlite3 *db, const struct tee_perf_query_source *source, struct tee_perf_error *err)
{
	if (source->err.class != TEE_PERF_OK)
		return tee_perf_fail(err, source->err.class, "%s", source->err.message);
	bool denied = sqlite3_errcode(db) == SQLITE_AUTH;
	return tee_perf_fail(err, TEE_PERF_USAGE, "the query is wrong: %s; the tables are described in docs/QUERY.md",
			     denied ? "a recording can only be read, with SELECT" : sqlite3_errmsg(db));
}

static void put_value(struct tee_perf_rows *rows, sqlite3_stmt *statement, int column)
{
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		tee_perf_rows_integer(rows, sqlite3_column_int64(statement, column));
		break;
	case SQLITE_FLOAT:
		tee_perf_rows_real(rows, sqlite3_column_double(statement, column));
		break;
	case SQLITE_NULL:
		tee_perf_rows_text(rows, NULL);
		break;
	default:
		tee_perf_rows_text(rows, (const char *)sqlite3_column_text(statement, column));
	}
}

static int print_statement(sqlite3 *db, const struct tee_perf_query_source *source, sqlite3_stmt *statement,
			   enum tee_perf_format format, struct tee_perf_error *err)
{
	int columns = sqlite3_column_count(statement), status = SQLITE_ROW;
	const char **names = calloc((size_t)columns + 1, sizeof *names);
	struct tee_perf_rows rows = { 0 };
	if (names == NULL)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the answer");
	for (int i = 0; i < columns; i++)
		names[i] = sqlite3_column_name(statement, i);
	int result = tee_perf_rows_begin(&rows, stdout, format, names, (size_t)columns, err);
	while (result == 0 && (status = sqlite3_step(statement)) == SQLITE_ROW && !ferror(stdout))
		for (int i = 0; i < columns; i++)
			put_value(&rows, statement, i);
	if (result == 0 && status != SQLITE_DONE && status != SQLITE_ROW)
		result = wrong_sql(db, source, err);
	result |= tee_perf_rows_end(&rows, err);
	free(names);
	if (format == TEE_PERF_FORMAT_JSON)
		putchar('\n');
	return result;
}

/* True for what only ends a query: blanks, comments, semicolons. */
static bool nothing_left(sqlite3 *db, const char *sql)
{
	while (*sql != 0) {
		sqlite3_stmt *statement;
		const char *rest;
		if (sqlite3_prepare_v2(db, sql, -1, &statement, &rest) != SQLITE_OK || statement != NULL) {
			sqlite3_finalize(statement);
			return false;
		}
		if (rest == sql)
			break;
		sql = rest;
	}
	return true;
}

static int print_answer(sqlite3 *db, const struct tee_perf_query_source *source, const char *sql,
			enum tee_perf_format format, struct tee_perf_error *err)
{
	sqlite3_stmt *statement;
	const char *rest;
	if (sqlite3_prepare_v2(db, sql, -1, &statement, &rest) != SQLITE_OK)
		return wrong_sql(db, source, err);
	int result;
	if (statement == NULL)
		result = tee_perf_fail(err, TEE_PERF_USAGE, "the query is empty: see docs/QUERY.md for examples");
	else if (!nothing_left(db, rest))
		result = tee_perf_fail(err, TEE_PERF_USAGE, "the query has more than one statement: ask one at a time");
	else
		result = print_statement(db, source, statement, format, err);
	sqlite3_finalize(statement);
	return result;
}

int tee_perf_query_print(const struct tee_perf_recording *recording, const char *query, enum tee_perf_format format,
			 struct tee_perf_error *err)
{
	sqlite3 *db = NULL;
	char *sql = read_query(query, err);
	if (sql == NULL)
		return -1;
	int result = -1;
	struct tee_perf_query_source *source = tee_perf_query_source_new(recording, err);
	if (source != NULL &&
	    (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL) != 0 ||
	     tee_perf_query_tables_register(db, source) != 0))
		tee_perf_fail(err, TEE_PERF_RESOURCE, "cannot start SQLite: %s", sqlite3_errmsg(db));
	else if (source != NULL) {
		sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
		sqlite3_set_authorizer(db, authorize, NULL);
		result = print_answer(db, source, sql, format, err);
	}
	sqlite3_close(db);
	tee_perf_query_source_free(source);
	free(sql);
	return result;
}
