/* SPDX-License-Identifier: MIT */
/* The virtual tables that are arrays, as SQLite wants them. */
#include "cli/query_tables.h"
#include "cli/text.h"

#include <stdlib.h>
#include <string.h>

struct tee_perf_query_source *tee_perf_query_source_new(const struct tee_perf_recording *recording,
							struct tee_perf_error *err)
{
	struct tee_perf_query_source *source = calloc(1, sizeof *source);
	if (source == NULL) {
		tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the query");
		return NULL;
	}
	source->recording = recording;
	if (tee_perf_recording_summary(recording, &source->summary, err) == 0)
		return source;
	free(source);
	return NULL;
}

void tee_perf_query_source_free(struct tee_perf_query_source *source)
{
	if (source == NULL)
		return;
	tee_perf_summary_clear(&source->summary);
	tee_perf_view_clear(&source->functions);
	tee_perf_view_clear(&source->thread_functions);
	tee_perf_edges_clear(&source->edges);
	tee_perf_transitions_clear(&source->transitions);
	for (uint32_t i = 0; source->trees != NULL && i < source->recording->model->track_count; i++)
		tee_perf_tree_clear(&source->trees[i]);
	free(source->trees);
	free(source->first_stack);
	free(source);
}

void tee_perf_query_text(sqlite3_context *out, const char *text)
{
	char *utf8 = tee_perf_text_utf8(text);
	if (utf8 == NULL)
		sqlite3_result_error_nomem(out);
	else
		sqlite3_result_text(out, utf8, -1, free);
}

void tee_perf_query_integer(sqlite3_context *out, uint64_t value)
{
	sqlite3_result_int64(out, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

struct array_module {
	const struct tee_perf_query_table *table;
	struct tee_perf_query_source *source;
};

struct array_table {
	sqlite3_vtab base;
	const struct array_module *module;
};

struct array_cursor {
	sqlite3_vtab_cursor base;
	uint64_t row, count;
};

static int connect(sqlite3 *db, void *pointer, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
	(void)argc;
	(void)argv;
	(void)message;
	const struct array_module *module = pointer;
	char *schema = sqlite3_mprintf("CREATE TABLE x(%s)", module->table->columns);
	int status = schema == NULL ? SQLITE_NOMEM : sqlite3_declare_vtab(db, schema);
	sqlite3_free(schema);
	if (status != SQLITE_OK)
		return status;
	struct array_table *table = calloc(1, sizeof *table);
	if (table == NULL)
		return SQLITE_NOMEM;
	table->module = module;
	*out = &table->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

/* Only the row number can be asked for directly: idxNum 1. A query that names the table gets here, so its rows are made
 * here. */
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	const struct array_module *module = ((struct array_table *)table)->module;
	if (module->table->prepare != NULL && module->table->prepare(module->source, &module->source->err) != 0) {
		sqlite3_free(table->zErrMsg);
		table->zErrMsg = sqlite3_mprintf("%s", module->source->err.message);
		return SQLITE_ERROR;
	}
	double count = (double)module->table->count(module->source);
	info->estimatedCost = count;
	info->estimatedRows = (sqlite3_int64)count;
	for (int i = 0; i < info->nConstraint; i++) {
		if (!info->aConstraint[i].usable || info->aConstraint[i].iColumn != -1 ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->idxNum = 1;
		info->estimatedCost = 1;
		info->estimatedRows = 1;
		break;
	}
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	(void)table;
	struct array_cursor *cursor = calloc(1, sizeof *cursor);
	if (cursor == NULL)
		return SQLITE_NOMEM;
	*out = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

static void skip_hidden(struct array_cursor *cursor)
{
	const struct array_module *module = ((struct array_table *)cursor->base.pVtab)->module;
	while (module->table->hidden != NULL && cursor->row < cursor->count &&
	       module->table->hidden(module->source, cursor->row))
		cursor->row++;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc, sqlite3_value **argv)
{
	(void)text;
	struct array_cursor *cursor = (struct array_cursor *)base;
	const struct array_module *module = ((struct array_table *)base->pVtab)->module;
	cursor->row = 0;
	cursor->count = module->table->count(module->source);
	if (plan == 1 && argc == 1) {
		sqlite3_int64 row = sqlite3_value_int64(argv[0]);
		if (row < 0 || (uint64_t)row >= cursor->count) {
			cursor->count = 0;
		} else {
			cursor->row = (uint64_t)row;
			cursor->count = (uint64_t)row + 1;
		}
	}
	skip_hidden(cursor);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct array_cursor *cursor = (struct array_cursor *)base;
	cursor->row++;
	skip_hidden(cursor);
	return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *base)
{
	const struct array_cursor *cursor = (struct array_cursor *)base;
	return cursor->row >= cursor->count;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *out, int number)
{
	const struct array_module *module = ((struct array_table *)base->pVtab)->module;
	module->table->value(module->source, ((struct array_cursor *)base)->row, number, out);
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((struct array_cursor *)base)->row;
	return SQLITE_OK;
}

/* Without xCreate the tables are there by name, and nobody can make others. */
static const sqlite3_module array_module_methods = {
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

/* The first mention of a table declares it, which is a CREATE TABLE that the authorizer of queries would refuse. */
static int mention(sqlite3 *db, const char *table)
{
	char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\" LIMIT 0", table);
	int status = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
	return status;
}

int tee_perf_query_tables_register(sqlite3 *db, struct tee_perf_query_source *source)
{
	int status = sqlite3_create_module(db, "calls", &tee_perf_query_calls_module, source);
	if (status == SQLITE_OK)
		status = mention(db, "calls");
	for (const struct tee_perf_query_table *table = tee_perf_query_tables;
	     table->name != NULL && status == SQLITE_OK; table++) {
		struct array_module *module = malloc(sizeof *module);
		if (module == NULL)
			return SQLITE_NOMEM;
		*module = (struct array_module){ table, source };
		status = sqlite3_create_module_v2(db, table->name, &array_module_methods, module, free);
		if (status == SQLITE_OK)
			status = mention(db, table->name);
	}
	return status;
}
