/* SPDX-License-Identifier: MIT */
#include "cli/transitions_advice.h"
#include "cli/text.h"
#include "runtime/abi.h"
#include "util/duration.h"

#include <stdlib.h>
#include <string.h>

struct speaker {
	const struct tee_perf_transitions *all;
	const struct tee_perf_recording *recording;
	bool mangled;
};

/* A line of advice; it owns its text. */
struct line {
	double saved_ns;
	char *text;
};

static const char *name_of(const struct speaker *s, uint32_t symbol)
{
	const struct tee_perf_symbol *found = tee_perf_symbols_at(s->recording->symbols, symbol);

	return s->mangled ? found->linkage_name : found->name;
}

/* ", saves [up to ]1.2 s (34.5 %)" */
static void say_saving(FILE *out, const struct speaker *s, double saved_ns, const char *up_to)
{
	char duration[TEE_PERF_TEXT], share[TEE_PERF_TEXT];

	fprintf(out, "saves %s%s (%s)", up_to, tee_perf_duration_text(duration, saved_ns),
		tee_perf_text_share(share, saved_ns, (double)s->all->thread_time_ns));
}

static void say_transition(FILE *out, const struct speaker *s, const struct tee_perf_transition *row)
{
	char calls[TEE_PERF_TEXT], rate[TEE_PERF_TEXT], mean[TEE_PERF_TEXT], cost[TEE_PERF_TEXT];
	const char *name = name_of(s, row->symbol), *edge = row->kind == TEE_PERF_ENTRY_ECALL ? "ECALL" : "OCALL";

	tee_perf_text_count(calls, row->calls);
	tee_perf_text_count(rate, row->per_second < 1e18 ? (uint64_t)(row->per_second + 0.5) : UINT64_MAX);
	tee_perf_duration_text(mean, row->mean_ns);
	tee_perf_duration_text(cost, tee_perf_transition_cost_ns(&s->all->cost, row->kind));
	switch (row->advice) {
	case TEE_PERF_ADVICE_CACHE:
		fprintf(out,
			"%s: its answer never changes, and it is asked for %s times, %s each: ask once and keep it "
			"inside; ",
			name, calls, mean);
		say_saving(out, s, row->saved_ns, "");
		break;
	case TEE_PERF_ADVICE_TIME:
		fprintf(out,
			"%s: the time, asked for %s times, %s each: ask at every %dth use and go on by it in "
			"between; ",
			name, calls, mean, TEE_PERF_ADVICE_TIME_CALLS);
		say_saving(out, s, row->saved_ns, "");
		break;
	case TEE_PERF_ADVICE_BATCH:
		fprintf(out,
			"%s: %s makes it %.3g times per call, %s each, and crossing is estimated at %s: hand over all "
			"at once, or keep the result inside; ",
			name, name_of(s, row->callers[0].symbol), row->batch, mean, cost);
		say_saving(out, s, row->saved_ns, "up to ");
		break;
	default:
		fprintf(
		    out,
		    "%s: %s times a second, %s each, and crossing is estimated at %s: do more in one %s, or make it "
		    "switchless; ",
		    name, rate, mean, cost, edge);
		say_saving(out, s, row->saved_ns, "up to ");
	}
}

static void say_chain(FILE *out, const struct speaker *s, const struct tee_perf_transition_chain *chain)
{
	char calls[TEE_PERF_TEXT];

	fprintf(out, "%s: calls ", name_of(s, chain->caller));
	for (uint32_t i = 0; i < chain->count; i++)
		fprintf(out, "%s%s",
			i == 0                  ? ""
			: i + 1 == chain->count ? " and "
						: ", ",
			name_of(s, chain->members[i]));
	fprintf(out, " equally often, %s times each: one OCALL could do it all; ",
		tee_perf_text_count(calls, chain->calls));
	say_saving(out, s, chain->saved_ns, "up to ");
}

static int by_saving(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	if (a->saved_ns != b->saved_ns)
		return a->saved_ns < b->saved_ns ? 1 : -1;
	return strcmp(a->text, b->text);
}

static void free_lines(struct line *lines, size_t count)
{
	for (size_t i = 0; lines != NULL && i < count; i++)
		free(lines[i].text);
	free(lines);
}

/* All lines, sorted, malloc'ed. NULL: out of memory. */
static struct line *all_lines(const struct speaker *s, size_t *count)
{
	const struct tee_perf_transitions *all = s->all;
	struct line *lines = calloc((size_t)all->count + all->chain_count + 1, sizeof *lines);

	*count = 0;
	for (uint32_t i = 0; lines != NULL && i < all->count + all->chain_count; i++) {
		struct line *line = &lines[*count];
		size_t size;
		if (i < all->count && all->rows[i].advice == TEE_PERF_ADVICE_NONE)
			continue;
		FILE *out = open_memstream(&line->text, &size);
		if (out != NULL && i < all->count)
			say_transition(out, s, &all->rows[i]);
		else if (out != NULL)
			say_chain(out, s, &all->chains[i - all->count]);
		if (out == NULL || fclose(out) != 0) {
			free_lines(lines, *count + 1);
			return NULL;
		}
		line->saved_ns = i < all->count ? all->rows[i].saved_ns : all->chains[i - all->count].saved_ns;
		++*count;
	}
	if (lines != NULL)
		qsort(lines, *count, sizeof *lines, by_saving);
	return lines;
}

int tee_perf_transitions_print_advice(const struct tee_perf_transitions *all,
				      const struct tee_perf_recording *recording, bool mangled, FILE *out,
				      struct tee_perf_error *err)
{
	struct speaker speaker = { all, recording, mangled };
	size_t count;
	struct line *lines = all_lines(&speaker, &count);

	if (lines == NULL)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the advice");
	fprintf(out, count != 0 ? "\nadvice:\n" : "\nadvice: none\n");
	for (size_t i = 0; i < count; i++) {
		char *line = tee_perf_text_line(lines[i].text);
		fprintf(out, "  %s\n", line != NULL ? line : "");
		free(line);
	}
	free_lines(lines, count);
	return 0;
}

/* ---- JSON */

static json_t *callers_json(const struct speaker *s, const struct tee_perf_transition *row)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < row->caller_count; i++) {
		const struct tee_perf_transition_caller *caller = &row->callers[i];
		json_array_append_new(
		    array, json_pack("{s:o, s:I, s:f}", "name", tee_perf_text_json(name_of(s, caller->symbol)), "calls",
				     (json_int_t)caller->calls, "share",
				     row->calls != 0 ? (double)caller->calls / (double)row->calls : 0.0));
	}
	return array;
}

static json_t *transition_json(const struct speaker *s, const struct tee_perf_transition *row)
{
	double whole = (double)s->all->thread_time_ns;

	return json_pack("{s:o, s:s, s:I, s:f, s:I, s:f, s:f, s:I, s:f, s:f, s:o, s:s, s:f}", "name",
			 tee_perf_text_json(name_of(s, row->symbol)), "kind",
			 row->kind == TEE_PERF_ENTRY_ECALL ? "ecall" : "ocall", "calls", (json_int_t)row->calls,
			 "calls_per_second", row->per_second, "total_ns", (json_int_t)row->total_ns, "total_share",
			 whole > 0 ? (double)row->total_ns / whole : 0.0, "mean_ns", row->mean_ns, "p99_ns",
			 (json_int_t)row->p99_ns, "crossing_ns", row->crossing_ns, "crossing_share",
			 whole > 0 ? row->crossing_ns / whole : 0.0, "callers", callers_json(s, row), "advice",
			 tee_perf_advice_names[row->advice], "saved_ns", row->saved_ns);
}

static json_t *cost_json(const struct tee_perf_transition_cost *cost)
{
	static const char *const sources[] = { "assumed", "recorded", "given" };
	static const char *const costs[] = { "published", "told", "recorded", "given" };

	return json_pack("{s:f, s:f, s:f, s:s, s:s}", "ecall_ns",
			 tee_perf_transition_cost_ns(cost, TEE_PERF_ENTRY_ECALL), "ocall_ns",
			 tee_perf_transition_cost_ns(cost, TEE_PERF_ENTRY_OCALL), "hz", cost->hz, "hz_is",
			 sources[cost->hz_source], "cost_is", costs[cost->source]);
}

static int dump(FILE *out, const char *name, json_t *value)
{
	fprintf(out, "\"%s\": ", name);
	int result = value == NULL ? -1 : json_dumpf(value, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	json_decref(value);
	return result;
}

int tee_perf_transitions_print_json(const struct tee_perf_transitions *all, const struct tee_perf_recording *recording,
				    bool mangled, uint64_t limit, FILE *out, struct tee_perf_error *err)
{
	struct speaker speaker = { all, recording, mangled };
	json_t *rows = json_array(), *advice = json_array();
	size_t count = 0;
	struct line *lines = all_lines(&speaker, &count);

	for (uint32_t i = 0; i < all->count && (limit == 0 || i < limit); i++)
		json_array_append_new(rows, transition_json(&speaker, &all->rows[i]));
	for (size_t i = 0; i < count; i++)
		json_array_append_new(advice, json_pack("{s:o, s:f}", "text", tee_perf_text_json(lines[i].text),
							"saved_ns", lines[i].saved_ns));
	int result = lines == NULL ? -1 : dump(out, "cost", cost_json(&all->cost));
	fprintf(out, ",\n");
	result |= dump(out, "transitions", rows);
	fprintf(out, ",\n");
	result |= dump(out, "advice", advice);
	free_lines(lines, count);
	return result == 0 ? 0 : tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the transitions");
}
