/* SPDX-License-Identifier: MIT */
#include "cli/transitions.h"
#include "cli/input.h"
#include "cli/text.h"
#include "cli/transitions_advice.h"
#include "runtime/abi.h"
#include "util/duration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table */

struct printer {
	const struct tee_perf_transitions *all;
	const struct tee_perf_recording *recording;
	uint64_t resolution_ns;
	bool mangled;
	struct tee_perf_rows rows;
};

static bool is_table(const struct printer *p)
{
	return p->rows.format == TEE_PERF_FORMAT_TABLE;
}

static const char *name_of(const struct printer *p, uint32_t symbol)
{
	const struct tee_perf_symbol *s = tee_perf_symbols_at(p->recording->symbols, symbol);

	return p->mangled ? s->linkage_name : s->name;
}

static void put_kind(struct printer *p, const struct tee_perf_transition *row)
{
	static const char *const names[2][2] = { { "ocall", "ecall" }, { "OCALL", "ECALL" } };

	tee_perf_rows_text(&p->rows, names[is_table(p)][row->kind == TEE_PERF_ENTRY_ECALL]);
}

static void put_calls(struct printer *p, const struct tee_perf_transition *row)
{
	char text[TEE_PERF_TEXT];
	tee_perf_rows_shown(&p->rows, tee_perf_text_count(text, row->calls), (double)row->calls);
}

static uint64_t rounded(double value)
{
	return value < 1e18 ? (uint64_t)(value + 0.5) : UINT64_C(1000000000000000000);
}

static void put_rate(struct printer *p, const struct tee_perf_transition *row)
{
	char text[TEE_PERF_TEXT];
	tee_perf_rows_shown(&p->rows, tee_perf_text_count(text, rounded(row->per_second)), row->per_second);
}

static void put_duration(struct printer *p, double ns, double resolution_ns)
{
	char text[TEE_PERF_TEXT];
	tee_perf_rows_shown(&p->rows, tee_perf_text_resolved(text, ns, resolution_ns), ns);
}

static void put_total(struct printer *p, const struct tee_perf_transition *row)
{
	put_duration(p, (double)row->total_ns, (double)p->resolution_ns);
}

static void put_share(struct printer *p, double ns)
{
	char text[TEE_PERF_TEXT];
	double whole = (double)p->all->thread_time_ns;
	tee_perf_rows_shown(&p->rows, tee_perf_text_share(text, ns, whole), whole > 0 ? ns / whole : 0);
}

static void put_total_share(struct printer *p, const struct tee_perf_transition *row)
{
	put_share(p, (double)row->total_ns);
}

static void put_mean(struct printer *p, const struct tee_perf_transition *row)
{
	put_duration(p, row->mean_ns, row->calls != 0 ? (double)p->resolution_ns / sqrt((double)row->calls) : 0);
}

static void put_p99(struct printer *p, const struct tee_perf_transition *row)
{
	put_duration(p, (double)row->p99_ns, (double)p->resolution_ns);
}

static void put_crossing(struct printer *p, const struct tee_perf_transition *row)
{
	put_duration(p, row->crossing_ns, 0);
}

static void put_crossing_share(struct printer *p, const struct tee_perf_transition *row)
{
	put_share(p, row->crossing_ns);
}

static void put_name(struct printer *p, const struct tee_perf_transition *row)
{
	tee_perf_rows_text(&p->rows, name_of(p, row->symbol));
}

#define CALLERS_SHOWN 3u

/* "trace 66.7 %, submit 33.3 %" */
static void put_callers(struct printer *p, const struct tee_perf_transition *row)
{
	char *text = NULL, share[TEE_PERF_TEXT];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = 0; out != NULL && i < row->caller_count && i < CALLERS_SHOWN; i++)
		fprintf(out, "%s%s %s", i != 0 ? ", " : "", name_of(p, row->callers[i].symbol),
			tee_perf_text_share(share, (double)row->callers[i].calls, (double)row->calls));
	if (out != NULL && row->caller_count > CALLERS_SHOWN)
		fprintf(out, ", %u more", row->caller_count - CALLERS_SHOWN);
	if (out != NULL)
		fclose(out);
	tee_perf_rows_text(&p->rows, text != NULL ? text : "");
	free(text);
}

static void put_advice(struct printer *p, const struct tee_perf_transition *row)
{
	tee_perf_rows_text(&p->rows, tee_perf_advice_names[row->advice]);
}

static void put_saved(struct printer *p, const struct tee_perf_transition *row)
{
	put_duration(p, row->saved_ns, 0);
}

static const struct {
	const char *title, *key; /* in a table; in CSV. title NULL: only there */
	void (*put)(struct printer *p, const struct tee_perf_transition *row);
} columns[] = {
	{ "kind", "kind", put_kind },
	{ "calls", "calls", put_calls },
	{ "calls/s", "calls_per_second", put_rate },
	{ "total", "total_ns", put_total },
	{ "total %", "total_share", put_total_share },
	{ "mean", "mean_ns", put_mean },
	{ "p99", "p99_ns", put_p99 },
	{ "crossing", "crossing_ns", put_crossing },
	{ "crossing %", "crossing_share", put_crossing_share },
	{ "function", "name", put_name },
	{ "callers", "callers", put_callers },
	{ NULL, "advice", put_advice },
	{ NULL, "saved_ns", put_saved },
};
#define COLUMNS (sizeof columns / sizeof *columns)

static int print_rows(struct printer *p, enum tee_perf_format format, uint64_t limit, struct tee_perf_error *err)
{
	const char *names[COLUMNS];
	size_t shown[COLUMNS], count = 0;

	for (size_t i = 0; i < COLUMNS; i++) {
		const char *name = format == TEE_PERF_FORMAT_TABLE ? columns[i].title : columns[i].key;
		if (name == NULL)
			continue;
		shown[count] = i;
		names[count++] = name;
	}
	int result = tee_perf_rows_begin(&p->rows, stdout, format, names, count, err);
	for (uint32_t i = 0; i < p->all->count && (limit == 0 || i < limit) && result == 0; i++)
		for (size_t k = 0; k < count; k++)
			columns[shown[k]].put(p, &p->all->rows[i]);
	return tee_perf_rows_end(&p->rows, err) | result;
}

/* ---- the section */

/* "4.80 us per ECALL (9600 cycles)" */
static void print_one_cost(const struct tee_perf_transition_cost *cost, unsigned kind, const char *name, double cycles)
{
	char duration[TEE_PERF_TEXT];

	printf("%s per %s", tee_perf_duration_text(duration, tee_perf_transition_cost_ns(cost, kind)), name);
	if (cycles != 0)
		printf(" (%.0f cycles)", cycles);
}

static void print_cost(const struct tee_perf_transition_cost *cost)
{
	static const char *const sources[] = { "a clock rate that is assumed",
					       "the clock rate of the recording's machine",
					       "the clock rate that was given" };
	static const char *const costs[] = { "an estimate", "what the enclave's host says", "what record was told",
					     "what was given" };

	printf("crossing    calls x %s: ", costs[cost->source]);
	print_one_cost(cost, TEE_PERF_ENTRY_ECALL, "ECALL", cost->ecall_cycles);
	printf(", ");
	print_one_cost(cost, TEE_PERF_ENTRY_OCALL, "OCALL", cost->ocall_cycles);
	if (cost->ecall_cycles != 0 || cost->ocall_cycles != 0)
		printf(", at %.2f GHz, %s", cost->hz / 1e9, sources[cost->hz_source]);
	printf(" (see --transition-cost)\n\n");
}

static int print_text(struct printer *p, uint64_t limit, struct tee_perf_error *err)
{
	if (tee_perf_input_print_head(p->recording, TEE_PERF_FORMAT_TABLE, stdout, err) != 0)
		return -1;
	if (p->all->count == 0) {
		printf("\nno ECALLs or OCALLs: see docs/TRANSITIONS.md on how edges are known\n");
		return 0;
	}
	print_cost(&p->all->cost);
	if (print_rows(p, TEE_PERF_FORMAT_TABLE, limit, err) != 0)
		return -1;
	return tee_perf_transitions_print_advice(p->all, p->recording, p->mangled, stdout, err);
}

static int print_json(struct printer *p, uint64_t limit, struct tee_perf_error *err)
{
	printf("{\"header\": ");
	if (tee_perf_input_print_head(p->recording, TEE_PERF_FORMAT_JSON, stdout, err) != 0)
		return -1;
	printf(",\n");
	if (tee_perf_transitions_print_json(p->all, p->recording, p->mangled, limit, stdout, err) != 0)
		return -1;
	printf("}\n");
	return 0;
}

int tee_perf_transitions_print(const struct tee_perf_recording *recording, const char *cost_text, uint64_t limit,
			       bool mangled, enum tee_perf_format format, struct tee_perf_error *err)
{
	struct tee_perf_transition_cost cost = tee_perf_transition_cost_default(recording);
	struct tee_perf_transitions all;
	struct tee_perf_summary summary;
	struct printer p = { .all = &all, .recording = recording, .mangled = mangled };

	if (cost_text != NULL && tee_perf_transition_cost_parse(&cost, cost_text, err) != 0)
		return -1;
	if (tee_perf_recording_summary(recording, &summary, err) != 0)
		return -1;
	p.resolution_ns = summary.resolution_ns;
	tee_perf_summary_clear(&summary);
	if (tee_perf_transitions_build(&all, recording, &cost, err) != 0)
		return -1;
	int result = format == TEE_PERF_FORMAT_TABLE  ? print_text(&p, limit, err)
		     : format == TEE_PERF_FORMAT_JSON ? print_json(&p, limit, err)
						      : print_rows(&p, format, limit, err);
	tee_perf_transitions_clear(&all);
	return result;
}
