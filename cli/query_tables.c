/* SPDX-License-Identifier: MIT */
/* The columns of each table, in the order of the declarations at the end. */
#include "cli/query_tables.h"
#include "analyzer/model_internal.h"
#include "cli/input.h"
#include "runtime/abi.h"

#include <stdlib.h>
#include <string.h>

static const struct tee_perf_symbol *symbol_at(const struct tee_perf_query_source *source, uint32_t symbol)
{
	return tee_perf_symbols_at(source->recording->symbols, symbol);
}

void tee_perf_query_name(const struct tee_perf_query_source *source, uint32_t symbol, sqlite3_context *out)
{
	tee_perf_query_text(out, symbol_at(source, symbol)->name);
}

void tee_perf_query_null_unless(bool there, uint64_t value, sqlite3_context *out)
{
	if (there)
		tee_perf_query_integer(out, value);
	else
		sqlite3_result_null(out);
}

/* ---- functions, thread_functions */

static int prepare_functions(struct tee_perf_query_source *source, struct tee_perf_error *err)
{
	struct tee_perf_view_options options = { .by = TEE_PERF_BY_NOTHING };
	if (!source->has_functions && tee_perf_view_build(&source->functions, source->recording, &options, err) != 0)
		return -1;
	source->has_functions = true;
	return 0;
}

static int prepare_thread_functions(struct tee_perf_query_source *source, struct tee_perf_error *err)
{
	struct tee_perf_view_options options = { .by = TEE_PERF_BY_THREAD };
	if (!source->has_thread_functions &&
	    tee_perf_view_build(&source->thread_functions, source->recording, &options, err) != 0)
		return -1;
	source->has_thread_functions = true;
	return 0;
}

static const char *kind_name(const struct tee_perf_symbol *symbol)
{
	static const char *const names[] = { "function", "external", "ocall", "ecall", "mark" };
	if (symbol->pseudo)
		return "none";
	return symbol->kind < sizeof names / sizeof *names ? names[symbol->kind] : "unknown";
}

static void put_symbol(const struct tee_perf_symbol *symbol, int column, sqlite3_context *out)
{
	switch (column) {
	case 0:
		tee_perf_query_text(out, symbol->name);
		break;
	case 1:
		tee_perf_query_text(out, symbol->linkage_name);
		break;
	case 2:
		tee_perf_query_text(out, symbol->module);
		break;
	case 3:
		tee_perf_query_text(out, symbol->file);
		break;
	case 4:
		tee_perf_query_integer(out, symbol->line);
		break;
	default:
		sqlite3_result_text(out, kind_name(symbol), -1, SQLITE_STATIC);
	}
}

static void put_share(uint64_t part, uint64_t whole, sqlite3_context *out)
{
	sqlite3_result_double(out, whole == 0 ? 0 : (double)part / (double)whole);
}

/* Columns from calls on, which both tables have. */
static void put_row(const struct tee_perf_query_source *source, const struct tee_perf_view *view,
		    const struct tee_perf_row *row, int column, sqlite3_context *out)
{
	const uint64_t numbers[] = { row->calls,
				     row->self_ns,
				     row->total_ns,
				     0,
				     0,
				     row->min_ns,
				     0,
				     row->max_ns,
				     row->p50_ns,
				     row->p99_ns,
				     source->summary.resolution_ns,
				     row->probe_ns,
				     row->unwound,
				     row->unconfirmed,
				     row->open };
	if (column == 3)
		put_share(row->self_ns, view->thread_time_ns, out);
	else if (column == 4)
		put_share(row->total_ns, view->thread_time_ns, out);
	else if (column >= 5 && column <= 9 && row->timed_calls == 0)
		sqlite3_result_null(out);
	else if (column == 6)
		sqlite3_result_double(out, row->mean_ns);
	else
		tee_perf_query_integer(out, numbers[column]);
}

static uint64_t count_functions(const struct tee_perf_query_source *source)
{
	return source->functions.count;
}

static void value_function(const struct tee_perf_query_source *source, uint64_t number, int column,
			   sqlite3_context *out)
{
	const struct tee_perf_row *row = &source->functions.rows[number];
	if (column == 0)
		tee_perf_query_integer(out, row->symbol);
	else if (column <= 6)
		put_symbol(symbol_at(source, row->symbol), column - 1, out);
	else
		put_row(source, &source->functions, row, column - 7, out);
}

static uint64_t count_thread_functions(const struct tee_perf_query_source *source)
{
	return source->thread_functions.count;
}

static void value_thread_function(const struct tee_perf_query_source *source, uint64_t number, int column,
				  sqlite3_context *out)
{
	const struct tee_perf_row *row = &source->thread_functions.rows[number];
	const uint32_t ids[] = { row->process, row->thread, row->symbol };
	if (column < 3)
		tee_perf_query_integer(out, ids[column]);
	else if (column == 3)
		tee_perf_query_name(source, row->symbol, out);
	else
		put_row(source, &source->thread_functions, row, column - 4, out);
}

/* ---- edges */

static int prepare_edges(struct tee_perf_query_source *source, struct tee_perf_error *err)
{
	if (!source->has_edges && tee_perf_edges_build(&source->edges, source->recording, err) != 0)
		return -1;
	source->has_edges = true;
	return 0;
}

static uint64_t count_edges(const struct tee_perf_query_source *source)
{
	return source->edges.count;
}

static void value_edge(const struct tee_perf_query_source *source, uint64_t number, int column, sqlite3_context *out)
{
	const struct tee_perf_edge *edge = &source->edges.edges[number];
	const uint64_t numbers[] = { edge->caller, edge->callee, 0, 0, edge->calls, edge->self_ns, edge->total_ns };
	if (column == 2 || column == 3)
		tee_perf_query_name(source, column == 2 ? edge->caller : edge->callee, out);
	else
		tee_perf_query_integer(out, numbers[column]);
}

/* ---- threads, processes, modules, marks, clock, gaps */

static uint64_t count_threads(const struct tee_perf_query_source *source)
{
	return source->recording->model->track_count;
}

static void value_thread(const struct tee_perf_query_source *source, uint64_t number, int column, sqlite3_context *out)
{
	const struct tee_perf_track *track = source->recording->model->tracks[number];
	const char *name;
	uint32_t tid = tee_perf_input_tid(source->recording, track->process, track->thread, &name);
	uint64_t total = 0, unresolved = 0, calls = 0;
	for (uint32_t i = 0; i < track->cct.count; i++) {
		const struct tee_perf_node *node = &track->cct.nodes[i];
		total += node->self_ns;
		calls += node->calls;
		unresolved += node->function == TEE_PERF_PSEUDO_UNRESOLVED ? node->self_ns : 0;
	}
	const uint64_t numbers[] = { track->process,
				     track->thread,
				     tee_perf_input_pid(source->recording, track->process),
				     tid,
				     0,
				     track->first_ns,
				     track->now_ns,
				     total,
				     calls,
				     track->counts.records - track->counts.metas,
				     track->counts.lost,
				     track->counts.waited_ns,
				     track->counts.off_ns,
				     unresolved,
				     track->guessed_stacks };
	if (column == 4)
		tee_perf_query_text(out, name);
	else
		tee_perf_query_integer(out, numbers[column]);
}

static uint64_t count_processes(const struct tee_perf_query_source *source)
{
	return source->recording->model->process_count;
}

static void value_process(const struct tee_perf_query_source *source, uint64_t number, int column, sqlite3_context *out)
{
	const struct tee_perf_process *process = &source->recording->model->processes[number];
	const uint64_t numbers[] = { process->number, process->parent, process->pid, process->start_ns };
	if (column == 4)
		tee_perf_query_text(out, process->command);
	else
		tee_perf_query_null_unless(column != 1 || process->parent != UINT32_MAX, numbers[column], out);
}

static uint64_t count_modules(const struct tee_perf_query_source *source)
{
	const struct tee_perf_model *model = source->recording->model;
	return (uint64_t)model->module_count + tee_perf_texts_count(&model->texts);
}

/* An image that gcc instrumented has no map. */
static void value_text(const struct tee_perf_query_source *source, uint32_t number, int column, sqlite3_context *out)
{
	struct tee_perf_text_image_info text = tee_perf_texts_at(&source->recording->model->texts, number);
	const uint64_t numbers[] = {
		text.process, 0, 0, 0, text.functions, text.begin, text.load_bias, text.load_ns, 0
	};
	if (column == 2 || column == 3)
		tee_perf_query_text(out, column == 2 ? text.path : text.build_id);
	else
		tee_perf_query_null_unless(column != 1 && column != 8, numbers[column], out);
}

static void value_module(const struct tee_perf_query_source *source, uint64_t number, int column, sqlite3_context *out)
{
	uint32_t modules = source->recording->model->module_count;
	if (number >= modules) {
		value_text(source, (uint32_t)(number - modules), column, out);
		return;
	}
	const struct tee_perf_module *module = &source->recording->model->modules[number];
	const uint64_t numbers[] = {
		module->process, module->number,   0, 0, module->map_size / 16, module->map_begin, module->load_bias,
		module->load_ns, module->unload_ns
	};
	if (column == 2 || column == 3)
		tee_perf_query_text(out, column == 2 ? module->path : module->build_id);
	else
		tee_perf_query_null_unless(column != 8 || module->unload_ns != UINT64_MAX, numbers[column], out);
}

static uint64_t count_marks(const struct tee_perf_query_source *source)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < source->recording->model->track_count; i++)
		count += source->recording->model->tracks[i]->mark_count;
	return count;
}

static void value_mark(const struct tee_perf_query_source *source, uint64_t number, int column, sqlite3_context *out)
{
	const struct tee_perf_model *model = source->recording->model;
	uint32_t i = 0;
	for (; number >= model->tracks[i]->mark_count; i++)
		number -= model->tracks[i]->mark_count;
	const struct tee_perf_track *track = model->tracks[i];
	const struct tee_perf_mark *mark = &track->marks[number];
	const uint64_t numbers[] = { track->process, track->thread, mark->time_ns };
	if (column < 3) {
		tee_perf_query_integer(out, numbers[column]);
		return;
	}
	struct tee_perf_symbol symbol = tee_perf_symbol_lookup(model, track->process, mark->entry, mark->time_ns);
	tee_perf_query_text(out, symbol.linkage_name != NULL ? symbol.linkage_name : "");
}

static uint64_t count_one(const struct tee_perf_query_source *source)
{
	(void)source;
	return 1;
}

static void value_clock(const struct tee_perf_query_source *source, uint64_t number, int column, sqlite3_context *out)
{
	(void)number;
	const struct tee_perf_summary *summary = &source->summary;
	const struct tee_perf_recording *recording = source->recording;
	const json_t *hz = json_object_get(recording->end, "tsc_hz"),
		     *period = json_object_get(recording->start, "clock_period_ns");
	const uint64_t numbers[] = { 0,
				     json_is_number(period) ? (uint64_t)json_number_value(period) : 0,
				     summary->resolution_ns,
				     summary->duration_ns,
				     recording->model->gap_total,
				     recording->model->gap_total_ns,
				     summary->unresolved_ns,
				     0,
				     summary->waited_ns };
	if (column == 0)
		tee_perf_query_text(out, summary->clock);
	else if (column == 7)
		put_share(summary->unresolved_ns, summary->thread_time_ns, out);
	else if (column == 9 && !json_is_number(hz))
		sqlite3_result_null(out);
	else if (column == 9)
		sqlite3_result_double(out, json_number_value(hz));
	else
		tee_perf_query_integer(out, numbers[column]);
}

static uint64_t count_gaps(const struct tee_perf_query_source *source)
{
	return source->recording->model->gap_count;
}

static void value_gap(const struct tee_perf_query_source *source, uint64_t number, int column, sqlite3_context *out)
{
	const struct tee_perf_gap *gap = &source->recording->model->gaps[number];
	tee_perf_query_integer(out, column == 0 ? gap->from_ns : gap->to_ns);
}

#define ROW_COLUMNS                                                                                                    \
	"calls INTEGER, self_ns INTEGER, total_ns INTEGER, self_share REAL, total_share REAL, min_ns INTEGER,"         \
	" mean_ns REAL, max_ns INTEGER, p50_ns INTEGER, p99_ns INTEGER, resolution_ns INTEGER,"                        \
	" probe_ns INTEGER, unwound INTEGER, unconfirmed INTEGER, open INTEGER"

const struct tee_perf_query_table tee_perf_query_tables[] = {
	{ "functions",
	  "id INTEGER, name TEXT, linkage_name TEXT, module TEXT, file TEXT, line INTEGER, kind TEXT, " ROW_COLUMNS,
	  prepare_functions, count_functions, NULL, value_function },
	{ "thread_functions", "process INTEGER, thread INTEGER, function INTEGER, name TEXT, " ROW_COLUMNS,
	  prepare_thread_functions, count_thread_functions, NULL, value_thread_function },
	{ "edges",
	  "caller INTEGER, callee INTEGER, caller_name TEXT, callee_name TEXT, calls INTEGER, self_ns INTEGER,"
	  " total_ns INTEGER",
	  prepare_edges, count_edges, NULL, value_edge },
	{ "transitions", TEE_PERF_QUERY_TRANSITIONS_COLUMNS, tee_perf_query_prepare_transitions,
	  tee_perf_query_count_transitions, NULL, tee_perf_query_value_transition },
	{ "stacks",
	  "id INTEGER, parent INTEGER, process INTEGER, thread INTEGER, depth INTEGER, function INTEGER, name TEXT,"
	  " calls INTEGER, self_ns INTEGER, total_ns INTEGER, path TEXT",
	  tee_perf_query_prepare_stacks, tee_perf_query_count_stacks, tee_perf_query_hides_stack,
	  tee_perf_query_value_stack },
	{ "threads",
	  "process INTEGER, thread INTEGER, pid INTEGER, tid INTEGER, name TEXT, start_ns INTEGER, end_ns INTEGER,"
	  " total_ns INTEGER, calls INTEGER, events INTEGER, lost INTEGER, waited_ns INTEGER, paused_ns INTEGER,"
	  " unresolved_ns INTEGER, guessed_stacks INTEGER",
	  NULL, count_threads, NULL, value_thread },
	{ "processes", "process INTEGER, parent INTEGER, pid INTEGER, start_ns INTEGER, command TEXT", NULL,
	  count_processes, NULL, value_process },
	{ "modules",
	  "process INTEGER, module INTEGER, path TEXT, build_id TEXT, functions INTEGER, map_begin INTEGER,"
	  " load_bias INTEGER, load_ns INTEGER, unload_ns INTEGER",
	  NULL, count_modules, NULL, value_module },
	{ "marks", "process INTEGER, thread INTEGER, time_ns INTEGER, name TEXT", NULL, count_marks, NULL, value_mark },
	{ "clock",
	  "clock TEXT, period_ns INTEGER, resolution_ns INTEGER, duration_ns INTEGER, gaps INTEGER, gap_ns INTEGER,"
	  " unresolved_ns INTEGER, unresolved_share REAL, waited_ns INTEGER, tsc_hz REAL",
	  NULL, count_one, NULL, value_clock },
	{ "gaps", "from_ns INTEGER, to_ns INTEGER", NULL, count_gaps, NULL, value_gap },
	{ NULL },
};
