/* SPDX-License-Identifier: MIT */
#include "analyzer/view.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/query.h"
#include "cli/shorten.h"
#include "cli/text.h"
#include "cli/transitions.h"
#include "runtime/abi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 80 /* of functions in a table */

struct report_options {
	const char *input, *query, *transition_cost;
	int sort, format, by;
	uint64_t limit;
	bool net, mangled, transitions;
};

static const char *const sorts[] = { "self", "total", "calls", "name", NULL };
static const char *const groups[] = { "thread", "process", NULL };

static const struct tee_perf_option options[] = {
	{ "input", 'i', TEE_PERF_OPTION_STRING, offsetof(struct report_options, input), "FILE",
	  "the recording (default " TEE_PERF_DEFAULT_INPUT ")" },
	{ "sort", 's', TEE_PERF_OPTION_CHOICE, offsetof(struct report_options, sort), NULL,
	  "greatest first (default self)", sorts },
	{ "limit", 'n', TEE_PERF_OPTION_NUMBER, offsetof(struct report_options, limit), "N",
	  "at most N functions (default 0: all)" },
	{ "format", 0, TEE_PERF_OPTION_CHOICE, offsetof(struct report_options, format), NULL,
	  "how to print them (default table)", tee_perf_format_names },
	{ "by", 0, TEE_PERF_OPTION_CHOICE, offsetof(struct report_options, by), NULL,
	  "a row per function and thread, or process", groups },
	{ "net", 0, TEE_PERF_OPTION_FLAG, offsetof(struct report_options, net), NULL,
	  "take the estimated time of the hooks off self and total" },
	{ "mangled", 0, TEE_PERF_OPTION_FLAG, offsetof(struct report_options, mangled), NULL,
	  "names as the linker has them" },
	{ "transitions", 0, TEE_PERF_OPTION_FLAG, offsetof(struct report_options, transitions), NULL,
	  "print an enclave's ECALLs and OCALLs instead, with advice" },
	{ "transition-cost", 0, TEE_PERF_OPTION_STRING, offsetof(struct report_options, transition_cost), "COSTS",
	  "with --transitions: of one crossing, as ecall=9600,ocall=4900ns,ghz=2.2 (no unit: cycles)" },
	{ "query", 'q', TEE_PERF_OPTION_STRING, offsetof(struct report_options, query), "SQL|@FILE",
	  "print the answer to a query instead" },
};

static const struct tee_perf_usage usage = {
	.command = "report",
	.synopsis = "[options]",
	.summary =
	    "Prints calls and times of each function. self is time in the function itself, total includes what it "
	    "calls.",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.notes =
	    "min, mean, max, p50 and p99 are durations of single calls, callees included. probe is the estimated\n"
	    "time of tee-perf's own hooks within self. Names of more than 80 characters are shortened in a table;\n"
	    "csv, json and queries have them whole. The tables of --query and examples: docs/QUERY.md",
};

/* What a cell is made from. */
struct context {
	const struct tee_perf_recording *recording;
	const struct tee_perf_view *view;
	const struct report_options *options;
	uint64_t resolution_ns;
	struct tee_perf_rows rows;
};

/* Whether a machine reads it: then values are plain numbers. */
static bool is_table(const struct context *context)
{
	return context->rows.format == TEE_PERF_FORMAT_TABLE;
}

static const struct tee_perf_symbol *symbol_of(const struct context *context, const struct tee_perf_row *row)
{
	return tee_perf_symbols_at(context->recording->symbols, row->symbol);
}

static void put_duration(struct context *context, double ns, double resolution_ns)
{
	char text[TEE_PERF_TEXT];
	tee_perf_rows_shown(&context->rows, tee_perf_text_resolved(text, ns, resolution_ns), ns);
}

/* Of single calls: nothing to say of what is no function. */
static void put_single(struct context *context, const struct tee_perf_row *row, double ns, double resolution_ns)
{
	if (row->timed_calls != 0)
		put_duration(context, ns, resolution_ns);
	else if (is_table(context))
		tee_perf_rows_shown(&context->rows, "-", 0);
	else
		tee_perf_rows_text(&context->rows, NULL);
}

static void put_share(struct context *context, uint64_t ns)
{
	char text[TEE_PERF_TEXT];
	double whole = (double)context->view->thread_time_ns;
	double share = whole > 0 ? (double)ns / whole : 0;
	tee_perf_rows_shown(&context->rows, tee_perf_text_share(text, (double)ns, whole), share);
}

static void put_calls(struct context *context, const struct tee_perf_row *row)
{
	char text[TEE_PERF_TEXT];
	bool none = symbol_of(context, row)->pseudo;
	tee_perf_rows_shown(&context->rows, none ? "-" : tee_perf_text_count(text, row->calls), (double)row->calls);
}

static void put_self(struct context *context, const struct tee_perf_row *row)
{
	put_duration(context, (double)row->self_ns, (double)context->resolution_ns);
}

static void put_self_share(struct context *context, const struct tee_perf_row *row)
{
	put_share(context, row->self_ns);
}

static void put_total(struct context *context, const struct tee_perf_row *row)
{
	put_duration(context, (double)row->total_ns, (double)context->resolution_ns);
}

static void put_total_share(struct context *context, const struct tee_perf_row *row)
{
	put_share(context, row->total_ns);
}

static void put_min(struct context *context, const struct tee_perf_row *row)
{
	put_single(context, row, (double)row->min_ns, (double)context->resolution_ns);
}

/* The mean of n calls is known better than a single one. */
static void put_mean(struct context *context, const struct tee_perf_row *row)
{
	put_single(context, row, row->mean_ns, (double)context->resolution_ns / sqrt((double)row->timed_calls));
}

static void put_max(struct context *context, const struct tee_perf_row *row)
{
	put_single(context, row, (double)row->max_ns, (double)context->resolution_ns);
}

static void put_p50(struct context *context, const struct tee_perf_row *row)
{
	put_single(context, row, (double)row->p50_ns, (double)context->resolution_ns);
}

static void put_p99(struct context *context, const struct tee_perf_row *row)
{
	put_single(context, row, (double)row->p99_ns, (double)context->resolution_ns);
}

static void put_resolution(struct context *context, const struct tee_perf_row *row)
{
	(void)row;
	put_duration(context, (double)context->resolution_ns, 0);
}

static void put_probe(struct context *context, const struct tee_perf_row *row)
{
	put_duration(context, (double)row->probe_ns, 0);
}

static void put_unwound(struct context *context, const struct tee_perf_row *row)
{
	tee_perf_rows_integer(&context->rows, (int64_t)row->unwound);
}

static void put_unconfirmed(struct context *context, const struct tee_perf_row *row)
{
	tee_perf_rows_integer(&context->rows, (int64_t)row->unconfirmed);
}

static void put_open(struct context *context, const struct tee_perf_row *row)
{
	tee_perf_rows_integer(&context->rows, (int64_t)row->open);
}

static void put_name(struct context *context, const struct tee_perf_row *row)
{
	const struct tee_perf_symbol *symbol = symbol_of(context, row);
	const char *name = context->options->mangled ? symbol->linkage_name : symbol->name;
	char *shorter = is_table(context) ? tee_perf_shorten(name, NAME_WIDTH) : NULL;
	char marked[NAME_WIDTH + 16];
	if (shorter != NULL)
		snprintf(marked, sizeof marked, "%s%s", shorter, row->open != 0 ? " (open)" : "");
	tee_perf_rows_text(&context->rows, shorter != NULL ? marked : name);
	free(shorter);
}

static void put_module(struct context *context, const struct tee_perf_row *row)
{
	const char *path = symbol_of(context, row)->module, *slash = strrchr(path, '/');
	tee_perf_rows_text(&context->rows, is_table(context) && slash != NULL ? slash + 1 : path);
}

static void put_file(struct context *context, const struct tee_perf_row *row)
{
	const struct tee_perf_symbol *symbol = symbol_of(context, row);
	char *tidy = is_table(context) && symbol->line != 0 ? tee_perf_tidy_path(symbol->file) : NULL;
	char *place = tidy == NULL ? NULL : malloc(strlen(tidy) + 16);
	if (place != NULL)
		sprintf(place, "%s:%u", tidy, symbol->line);
	tee_perf_rows_text(&context->rows, place != NULL ? place : symbol->file);
	free(place);
	free(tidy);
}

static void put_line(struct context *context, const struct tee_perf_row *row)
{
	tee_perf_rows_integer(&context->rows, symbol_of(context, row)->line);
}

static void put_kind(struct context *context, const struct tee_perf_row *row)
{
	static const char *const names[] = { "function", "external", "ocall", "ecall", "mark" };
	const struct tee_perf_symbol *symbol = symbol_of(context, row);
	const char *name = symbol->kind < sizeof names / sizeof *names ? names[symbol->kind] : "unknown";
	tee_perf_rows_text(&context->rows, symbol->pseudo ? "none" : name);
}

static void put_pid(struct context *context, const struct tee_perf_row *row)
{
	tee_perf_rows_integer(&context->rows, tee_perf_input_pid(context->recording, row->process));
}

static void put_command(struct context *context, const struct tee_perf_row *row)
{
	tee_perf_rows_text(&context->rows, tee_perf_input_command(context->recording, row->process));
}

static void put_tid(struct context *context, const struct tee_perf_row *row)
{
	const char *name;
	tee_perf_rows_integer(&context->rows, tee_perf_input_tid(context->recording, row->process, row->thread, &name));
}

static void put_thread_name(struct context *context, const struct tee_perf_row *row)
{
	const char *name;
	tee_perf_input_tid(context->recording, row->process, row->thread, &name);
	tee_perf_rows_text(&context->rows, name);
}

enum { IN_TABLE = 1, IN_DATA = 2, IN_BOTH = 3, PER_PROCESS = 4, PER_THREAD = 8, OF_PROCESS = 16 };

struct column {
	const char *title; /* in a table */
	const char *key;   /* in CSV and JSON */
	unsigned where;
	void (*put)(struct context *context, const struct tee_perf_row *row);
};

static const struct column columns[] = {
	{ "pid", "pid", IN_BOTH | PER_PROCESS, put_pid },
	{ "command", "command", IN_BOTH | OF_PROCESS, put_command },
	{ "tid", "tid", IN_BOTH | PER_THREAD, put_tid },
	{ "thread", "thread_name", IN_BOTH | PER_THREAD, put_thread_name },
	{ "calls", "calls", IN_BOTH, put_calls },
	{ "self", "self_ns", IN_BOTH, put_self },
	{ "self %", "self_share", IN_BOTH, put_self_share },
	{ "total", "total_ns", IN_BOTH, put_total },
	{ "total %", "total_share", IN_BOTH, put_total_share },
	{ "min", "min_ns", IN_BOTH, put_min },
	{ "mean", "mean_ns", IN_BOTH, put_mean },
	{ "max", "max_ns", IN_BOTH, put_max },
	{ "p50", "p50_ns", IN_BOTH, put_p50 },
	{ "p99", "p99_ns", IN_BOTH, put_p99 },
	{ NULL, "resolution_ns", IN_DATA, put_resolution },
	{ "probe", "probe_ns", IN_BOTH, put_probe },
	{ "function", "name", IN_BOTH, put_name },
	{ "module", "module", IN_BOTH, put_module },
	{ "source", "file", IN_BOTH, put_file },
	{ NULL, "line", IN_DATA, put_line },
	{ NULL, "kind", IN_DATA, put_kind },
	{ NULL, "unwound", IN_DATA, put_unwound },
	{ NULL, "unconfirmed", IN_DATA, put_unconfirmed },
	{ NULL, "open", IN_DATA, put_open },
};
#define COLUMNS (sizeof columns / sizeof *columns)

static enum tee_perf_by group_of(const struct report_options *chosen)
{
	return chosen->by < 0 ? TEE_PERF_BY_NOTHING : chosen->by == 0 ? TEE_PERF_BY_THREAD : TEE_PERF_BY_PROCESS;
}

static size_t choose_columns(const struct context *context, enum tee_perf_format format,
			     const struct column *shown[COLUMNS], const char *names[COLUMNS])
{
	enum tee_perf_by by = group_of(context->options);
	size_t count = 0;
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct column *column = &columns[i];
		if ((column->where & (format == TEE_PERF_FORMAT_TABLE ? IN_TABLE : IN_DATA)) == 0 ||
		    ((column->where & PER_THREAD) != 0 && by != TEE_PERF_BY_THREAD) ||
		    ((column->where & OF_PROCESS) != 0 && by != TEE_PERF_BY_PROCESS) ||
		    ((column->where & PER_PROCESS) != 0 && by == TEE_PERF_BY_NOTHING))
			continue;
		shown[count] = column;
		names[count++] = format == TEE_PERF_FORMAT_TABLE ? column->title : column->key;
	}
	return count;
}

static int print_rows(struct context *context, struct tee_perf_error *err)
{
	const struct column *shown[COLUMNS];
	const char *names[COLUMNS];
	enum tee_perf_format format = context->options->format;
	size_t count = choose_columns(context, format, shown, names);
	uint32_t rows = context->view->count;
	if (context->options->limit != 0 && context->options->limit < rows)
		rows = (uint32_t)context->options->limit;
	int result = tee_perf_rows_begin(&context->rows, stdout, format, names, count, err);
	for (uint32_t i = 0; i < rows && result == 0; i++)
		for (size_t j = 0; j < count; j++)
			shown[j]->put(context, &context->view->rows[i]);
	return tee_perf_rows_end(&context->rows, err) | result;
}

static int print_report(struct context *context, struct tee_perf_error *err)
{
	enum tee_perf_format format = context->options->format;
	if (format == TEE_PERF_FORMAT_JSON)
		printf("{\"header\": ");
	if (format != TEE_PERF_FORMAT_CSV && tee_perf_input_print_head(context->recording, format, stdout, err) != 0)
		return -1;
	if (format == TEE_PERF_FORMAT_TABLE && context->view->count == 0)
		return 0; /* the head has said "no events" */
	printf("%s", format == TEE_PERF_FORMAT_JSON    ? ",\n\"functions\": "
		     : format == TEE_PERF_FORMAT_TABLE ? "\n"
						       : "");
	if (print_rows(context, err) != 0)
		return -1;
	if (format == TEE_PERF_FORMAT_JSON)
		printf("}\n");
	return 0;
}

static int report(const struct tee_perf_recording *recording, const struct report_options *chosen,
		  struct tee_perf_error *err)
{
	struct tee_perf_view_options view_options = { .by = group_of(chosen), .net = chosen->net };
	struct tee_perf_view view;
	struct tee_perf_summary summary;
	if (tee_perf_recording_summary(recording, &summary, err) != 0)
		return -1;
	uint64_t resolution_ns = summary.resolution_ns;
	if (chosen->net && summary.tsc_share > 0.5)
		fprintf(stderr,
			"tee-perf: --net: functions of less than some 10 ns are shown too short: the processor does "
			"their work while it reads the time-stamp counter (record with --clock host)\n");
	tee_perf_summary_clear(&summary);
	if (tee_perf_view_build(&view, recording, &view_options, err) != 0)
		return -1;
	tee_perf_view_sort(&view, recording, (enum tee_perf_sort)chosen->sort, view_options.by);
	struct context context = {
		.recording = recording, .view = &view, .options = chosen, .resolution_ns = resolution_ns
	};
	int result = print_report(&context, err);
	tee_perf_view_clear(&view);
	return result;
}

/* An option that would say nothing is a misunderstanding. */
static int check_options(const struct report_options *chosen, struct tee_perf_error *err)
{
	const char *alone = chosen->query != NULL ? "--query" : chosen->transitions ? "--transitions" : NULL;
	if (chosen->query != NULL && chosen->transitions)
		return tee_perf_fail(err, TEE_PERF_USAGE,
				     "report: --query and --transitions are two reports: ask for one");
	if (alone != NULL && (chosen->net || chosen->by >= 0))
		return tee_perf_fail(err, TEE_PERF_USAGE,
				     "report: %s does not go with %s: see 'tee-perf report --help'",
				     chosen->net ? "--net" : "--by", alone);
	if (!chosen->transitions && chosen->transition_cost != NULL)
		return tee_perf_fail(err, TEE_PERF_USAGE, "report: --transition-cost goes with --transitions");
	return 0;
}

int tee_perf_cmd_report(int argc, char **argv)
{
	struct report_options chosen = { .input = TEE_PERF_DEFAULT_INPUT, .by = -1 };
	struct tee_perf_error err = { 0 };
	int first, status = tee_perf_options_parse(&usage, argc, argv, &chosen, &first, &err);
	if (status != 0)
		return status > 0 ? 0 : tee_perf_cli_fail(&err);
	if (check_options(&chosen, &err) != 0)
		return tee_perf_cli_fail(&err);
	struct tee_perf_recording *recording = tee_perf_input_open(chosen.input, &err);
	if (recording == NULL)
		return tee_perf_cli_fail(&err);
	if (chosen.query != NULL)
		(void)tee_perf_query_print(recording, chosen.query, (enum tee_perf_format)chosen.format, &err);
	else if (chosen.transitions)
		(void)tee_perf_transitions_print(recording, chosen.transition_cost, chosen.limit, chosen.mangled,
						 (enum tee_perf_format)chosen.format, &err);
	else
		(void)report(recording, &chosen, &err);
	status = err.class != TEE_PERF_OK ? tee_perf_cli_fail(&err) : tee_perf_input_status(recording);
	tee_perf_recording_close(recording);
	return status;
}
