/* SPDX-License-Identifier: MIT */
/* The virtual tables of --query. Their columns are declared in query_tables.c and described in docs/QUERY.md. */
#ifndef TEE_PERF_CLI_QUERY_TABLES_H
#define TEE_PERF_CLI_QUERY_TABLES_H

#include "analyzer/calls.h"
#include "analyzer/edges.h"
#include "analyzer/transitions.h"
#include "analyzer/tree.h"
#include "analyzer/view.h"

#include <sqlite3.h>

/* What the tables show; each part is made when a table first needs it. */
struct tee_perf_query_source {
	const struct tee_perf_recording *recording;
	struct tee_perf_summary summary;
	struct tee_perf_view functions, thread_functions;
	struct tee_perf_edges edges;
	struct tee_perf_transitions transitions;
	struct tee_perf_tree *trees; /* by track */
	uint64_t *first_stack;       /* by track: id of its first stack */
	struct tee_perf_error err;   /* of a table, while the query ran */
	bool has_functions, has_thread_functions, has_edges, has_trees, has_transitions;
};

struct tee_perf_query_source *tee_perf_query_source_new(const struct tee_perf_recording *recording,
							struct tee_perf_error *err);
void tee_perf_query_source_free(struct tee_perf_query_source *source);

/* Makes the tables known to a connection, which must be closed before the source is freed. An SQLite status. */
int tee_perf_query_tables_register(sqlite3 *db, struct tee_perf_query_source *source);

/* A table whose rows are numbered from 0: an array. */
struct tee_perf_query_table {
	const char *name, *columns;
	/* Makes what the rows need; 0 or -1 with err filled. May be NULL. */
	int (*prepare)(struct tee_perf_query_source *source, struct tee_perf_error *err);
	uint64_t (*count)(const struct tee_perf_query_source *source);
	bool (*hidden)(const struct tee_perf_query_source *source, uint64_t row); /* no row after all; may be NULL */
	void (*value)(const struct tee_perf_query_source *source, uint64_t row, int column, sqlite3_context *out);
};
extern const struct tee_perf_query_table tee_perf_query_tables[]; /* ends with a NULL name */

/* query_transitions.c: the table `transitions`. */
#define TEE_PERF_QUERY_TRANSITIONS_COLUMNS                                                                             \
	"function INTEGER, name TEXT, kind TEXT, calls INTEGER, calls_per_second REAL, total_ns INTEGER,"              \
	" total_share REAL, mean_ns REAL, p99_ns INTEGER, cost_ns REAL, crossing_ns REAL, crossing_share REAL,"        \
	" caller INTEGER, caller_name TEXT, caller_calls INTEGER, advice TEXT, saved_ns REAL"
int tee_perf_query_prepare_transitions(struct tee_perf_query_source *source, struct tee_perf_error *err);
uint64_t tee_perf_query_count_transitions(const struct tee_perf_query_source *source);
void tee_perf_query_value_transition(const struct tee_perf_query_source *source, uint64_t row, int column,
				     sqlite3_context *out);

/* query_stacks.c: the table `stacks`. */
int tee_perf_query_prepare_stacks(struct tee_perf_query_source *source, struct tee_perf_error *err);
uint64_t tee_perf_query_count_stacks(const struct tee_perf_query_source *source);
bool tee_perf_query_hides_stack(const struct tee_perf_query_source *source, uint64_t row);
void tee_perf_query_value_stack(const struct tee_perf_query_source *source, uint64_t row, int column,
				sqlite3_context *out);

/* The module of the table `calls`, which streams. */
extern const sqlite3_module tee_perf_query_calls_module;

/* Columns of several tables. */
void tee_perf_query_text(sqlite3_context *out, const char *text); /* any bytes; copied */
void tee_perf_query_name(const struct tee_perf_query_source *source, uint32_t symbol, sqlite3_context *out);
void tee_perf_query_integer(sqlite3_context *out, uint64_t value);
void tee_perf_query_null_unless(bool there, uint64_t value, sqlite3_context *out);

#endif
