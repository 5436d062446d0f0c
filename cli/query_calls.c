/* SPDX-License-Identifier: MIT */
/* The virtual table `calls`: every single call, streamed from the file for each scan. Comparisons of process, thread,
 * function, start and duration with constants are applied while reading, before SQLite sees a row. */
#include "cli/query_tables.h"

#include <stdlib.h>
#include <string.h>

enum {
	COLUMN_ID,
	COLUMN_PARENT,
	COLUMN_PROCESS,
	COLUMN_THREAD,
	COLUMN_DEPTH,
	COLUMN_FUNCTION,
	COLUMN_NAME,
	COLUMN_START,
	COLUMN_DURATION,
	COLUMN_SELF,
	COLUMN_END,
	COLUMN_UNCONFIRMED,
	COLUMN_STACK,
};

static const char schema[] =
    "CREATE TABLE x(id INTEGER, parent INTEGER, process INTEGER, thread INTEGER, depth INTEGER,"
    " function INTEGER, name TEXT, start_ns INTEGER, duration_ns INTEGER, self_ns INTEGER,"
    " ended TEXT, unconfirmed INTEGER, stack TEXT)";

struct calls_table {
	sqlite3_vtab base;
	struct tee_perf_query_source *source;
};

struct calls_cursor {
	sqlite3_vtab_cursor base;
	struct tee_perf_calls *calls;
	struct tee_perf_call call;
	bool at_end;
};

static int connect(sqlite3 *db, void *source, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
	(void)argc;
	(void)argv;
	(void)message;
	int status = sqlite3_declare_vtab(db, schema);
	struct calls_table *table = status == SQLITE_OK ? calloc(1, sizeof *table) : NULL;
	if (table == NULL)
		return status == SQLITE_OK ? SQLITE_NOMEM : status;
	table->source = source;
	*out = &table->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

/* The text of a plan: a letter per argument. */
static char plan_letter(const struct sqlite3_index_constraint *constraint)
{
	bool equal = constraint->op == SQLITE_INDEX_CONSTRAINT_EQ;
	bool least = constraint->op == SQLITE_INDEX_CONSTRAINT_GT || constraint->op == SQLITE_INDEX_CONSTRAINT_GE;
	bool most = constraint->op == SQLITE_INDEX_CONSTRAINT_LT || constraint->op == SQLITE_INDEX_CONSTRAINT_LE;
	switch (constraint->iColumn) {
	case COLUMN_PROCESS:
		return equal ? 'p' : 0;
	case COLUMN_THREAD:
		return equal ? 't' : 0;
	case COLUMN_FUNCTION:
		return equal ? 'f' : 0;
	case COLUMN_START:
		return least ? 's' : most ? 'S' : 0;
	case COLUMN_DURATION:
		return least ? 'd' : most ? 'D' : 0;
	}
	return 0;
}

/* SQLite checks every comparison again, so the plan only has to let through what may fulfil them. */
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	const struct calls_table *calls = (const struct calls_table *)table;
	char *plan = sqlite3_malloc(info->nConstraint + 1);
	if (plan == NULL)
		return SQLITE_NOMEM;
	int used = 0;
	double rows = (double)calls->source->summary.calls + 1;
	for (int i = 0; i < info->nConstraint; i++) {
		char letter = info->aConstraint[i].usable ? plan_letter(&info->aConstraint[i]) : 0;
		if (letter == 0)
			continue;
		plan[used++] = letter;
		info->aConstraintUsage[i].argvIndex = used;
		rows /= 4;
	}
	plan[used] = 0;
	info->idxStr = plan;
	info->needToFreeIdxStr = 1;
	info->idxNum = (info->colUsed & UINT64_C(1) << COLUMN_STACK) != 0;
	info->estimatedCost = 100 * ((double)calls->source->summary.calls + 1) + rows; /* a scan reads the file */
	info->estimatedRows = (sqlite3_int64)rows;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	(void)table;
	struct calls_cursor *cursor = calloc(1, sizeof *cursor);
	if (cursor == NULL)
		return SQLITE_NOMEM;
	*out = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct calls_cursor *cursor = (struct calls_cursor *)base;
	tee_perf_calls_close(cursor->calls);
	free(cursor);
	return SQLITE_OK;
}

static int fail(sqlite3_vtab_cursor *cursor, const struct tee_perf_error *err)
{
	((struct calls_table *)cursor->pVtab)->source->err = *err;
	sqlite3_free(cursor->pVtab->zErrMsg);
	cursor->pVtab->zErrMsg = sqlite3_mprintf("%s", err->message);
	return SQLITE_ERROR;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct calls_cursor *cursor = (struct calls_cursor *)base;
	struct tee_perf_error err = { 0 };
	int result = tee_perf_calls_next(cursor->calls, &cursor->call, &err);
	cursor->at_end = result != 1;
	return result < 0 ? fail(base, &err) : SQLITE_OK;
}

/* A number to compare with, rounded so that nothing is kept out that may fulfil the comparison. Not a number (text
 * or null): no limit. */
static bool limit(sqlite3_value *value, bool least, uint64_t *out)
{
	int type = sqlite3_value_numeric_type(value);
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
		return false;
	double real = sqlite3_value_double(value);
	if (type == SQLITE_INTEGER)
		*out = sqlite3_value_int64(value) < 0 ? 0 : (uint64_t)sqlite3_value_int64(value);
	else if (real <= 0)
		*out = 0;
	else
		*out = real >= 9e18 ? UINT64_C(9000000000000000000) : (uint64_t)real + !least;
	return true;
}

static void add_equal(uint32_t *wanted, sqlite3_value *value)
{
	uint64_t number;
	if (limit(value, true, &number) && number < UINT32_MAX)
		*wanted = (uint32_t)number;
}

static void add_limit(struct tee_perf_calls_filter *filter, char letter, sqlite3_value *value)
{
	uint64_t number;
	switch (letter) {
	case 'p':
		add_equal(&filter->process, value);
		return;
	case 't':
		add_equal(&filter->thread, value);
		return;
	case 'f':
		add_equal(&filter->function, value);
		return;
	}
	bool least = letter == 's' || letter == 'd';
	uint64_t *bound = letter == 's'   ? &filter->start_min_ns
			  : letter == 'S' ? &filter->start_max_ns
			  : letter == 'd' ? &filter->duration_min_ns
					  : &filter->duration_max_ns;
	if (limit(value, least, &number) && (least ? number > *bound : number < *bound))
		*bound = number;
}

static int filter(sqlite3_vtab_cursor *base, int with_stack, const char *plan, int argc, sqlite3_value **argv)
{
	struct calls_cursor *cursor = (struct calls_cursor *)base;
	const struct calls_table *table = (const struct calls_table *)base->pVtab;
	struct tee_perf_calls_filter wanted = tee_perf_calls_all;
	struct tee_perf_error err = { 0 };
	for (int i = 0; i < argc; i++)
		add_limit(&wanted, plan[i], argv[i]);
	wanted.want_stack = with_stack != 0;
	tee_perf_calls_close(cursor->calls);
	cursor->calls = tee_perf_calls_open(table->source->recording, &wanted, &err);
	if (cursor->calls == NULL)
		return fail(base, &err);
	return next(base);
}

static int eof(sqlite3_vtab_cursor *cursor)
{
	return ((struct calls_cursor *)cursor)->at_end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *out, int number)
{
	const struct calls_cursor *cursor = (const struct calls_cursor *)base;
	const struct calls_table *table = (const struct calls_table *)base->pVtab;
	const struct tee_perf_call *call = &cursor->call;
	const uint64_t numbers[] = { [COLUMN_ID] = call->id,           [COLUMN_PARENT] = call->parent,
				     [COLUMN_PROCESS] = call->process, [COLUMN_THREAD] = call->thread,
				     [COLUMN_DEPTH] = call->depth,     [COLUMN_FUNCTION] = call->function,
				     [COLUMN_START] = call->start_ns,  [COLUMN_DURATION] = call->duration_ns,
				     [COLUMN_SELF] = call->self_ns,    [COLUMN_UNCONFIRMED] = call->unconfirmed };
	if (number == COLUMN_NAME)
		tee_perf_query_text(out, tee_perf_symbols_at(table->source->recording->symbols, call->function)->name);
	else if (number == COLUMN_END)
		sqlite3_result_text(out, tee_perf_call_end_names[call->end], -1, SQLITE_STATIC);
	else if (number == COLUMN_STACK)
		tee_perf_query_text(out, call->stack != NULL ? call->stack : "");
	else if (number == COLUMN_PARENT && call->parent == 0)
		sqlite3_result_null(out);
	else
		tee_perf_query_integer(out, numbers[number]);
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((struct calls_cursor *)cursor)->call.id;
	return SQLITE_OK;
}

const sqlite3_module tee_perf_query_calls_module = {
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = eof,
	.xColumn = column,
	.xRowid = row_id,
};
