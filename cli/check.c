/* SPDX-License-Identifier: MIT */
#include "cli/check.h"
#include "analyzer/model_internal.h"
#include "cli/input.h"
#include "cli/text.h"
#include "util/duration.h"

#include <stdlib.h>
#include <string.h>

enum level { NOTE, FAULT };

static const char *const level_names[] = { "note", "fault" };

/* One line of the answer. */
struct found {
	enum level level;
	const char *what;
	uint64_t count;
	bool has_thread, has_time;
	uint32_t process, thread;
	uint64_t time_ns;
	char *function; /* owned; NULL: none */
};

struct check {
	const struct tee_perf_recording *recording;
	struct found *found;
	uint32_t count, capacity, faults;
	bool failed; /* out of memory */
};

/* By enum tee_perf_finding_kind. */
static const struct {
	enum level level;
	const char *what;
} kinds[TEE_PERF_FOUND_COUNT] = {
	[TEE_PERF_FOUND_RETURN] = { FAULT, "returns without a call" },
	[TEE_PERF_FOUND_PAUSED_RETURN] = { NOTE, "returns of functions called while switched off" },
	[TEE_PERF_FOUND_BACKWARDS] = { FAULT, "times earlier than the one before" },
	[TEE_PERF_FOUND_LOST] = { FAULT, "lost records" },
	[TEE_PERF_FOUND_HOLE] = { FAULT, "incomplete records" },
	[TEE_PERF_FOUND_UNKNOWN] = { FAULT, "records of an unknown kind" },
	[TEE_PERF_FOUND_DEEP] = { FAULT, "calls beyond the limit of open frames" },
	[TEE_PERF_FOUND_ENDED] = { FAULT, "functions open when their thread ended" },
	[TEE_PERF_FOUND_EXITED] = { NOTE, "functions open when the process ended" },
	[TEE_PERF_FOUND_UNWOUND] = { NOTE, "calls ended by an exception or longjmp" },
	[TEE_PERF_FOUND_GUESSED] = { NOTE, "guessed stacks" },
};

static void add(struct check *check, const struct found *one)
{
	if (tee_perf_grow(&check->found, check->count, &check->capacity, sizeof *check->found) != 0) {
		free(one->function);
		check->failed = true;
		return;
	}
	check->found[check->count++] = *one;
	check->faults += one->level == FAULT;
}

/* About the recording as a whole. */
static void add_whole(struct check *check, enum level level, const char *what, uint64_t count, const char *detail)
{
	struct found one = { .level = level, .what = what, .count = count };
	if (count == 0)
		return;
	if (detail != NULL && (one.function = strdup(detail)) == NULL)
		check->failed = true;
	add(check, &one);
}

static char *function_name(const struct check *check, const struct tee_perf_track *track, uint32_t entry,
			   uint64_t time_ns)
{
	if (entry == 0)
		return NULL;
	uint32_t symbol = tee_perf_symbols_resolve(check->recording->symbols, track->process, entry, time_ns);
	return symbol == UINT32_MAX ? NULL : strdup(tee_perf_symbols_at(check->recording->symbols, symbol)->name);
}

/* ---- threads */

/* What a thread's counters say: of a profile, or joined from two parts, they know more, or better, than the places. */
static uint64_t counted(const struct tee_perf_track *track, enum tee_perf_finding_kind kind)
{
	const struct tee_perf_counts *counts = &track->counts;
	uint64_t paused = track->findings[TEE_PERF_FOUND_PAUSED_RETURN].count, unwound = 0;
	switch (kind) {
	case TEE_PERF_FOUND_RETURN:
		return counts->orphan_returns > paused ? counts->orphan_returns - paused : 0;
	case TEE_PERF_FOUND_BACKWARDS:
		return counts->backwards;
	case TEE_PERF_FOUND_LOST:
		return counts->lost;
	case TEE_PERF_FOUND_HOLE:
		return counts->holes;
	case TEE_PERF_FOUND_UNKNOWN:
		return counts->unknown;
	case TEE_PERF_FOUND_DEEP:
		return counts->too_deep;
	case TEE_PERF_FOUND_ENDED:
		return counts->ended_open;
	case TEE_PERF_FOUND_EXITED:
		return counts->exited_open;
	case TEE_PERF_FOUND_GUESSED:
		return track->guessed_stacks;
	case TEE_PERF_FOUND_UNWOUND:
		for (uint32_t i = 0; i < track->cct.function_count; i++)
			unwound += track->cct.functions[i].unwound_count;
		return unwound > counts->ended_open ? unwound - counts->ended_open : 0;
	default:
		return track->findings[kind].count;
	}
}

static void check_track(struct check *check, const struct tee_perf_track *track)
{
	for (unsigned kind = 0; kind < TEE_PERF_FOUND_COUNT; kind++) {
		const struct tee_perf_finding *finding = &track->findings[kind];
		struct found one = { .level = kinds[kind].level,
				     .what = kinds[kind].what,
				     .count = counted(track, kind),
				     .has_thread = true,
				     .has_time = finding->count != 0,
				     .process = track->process,
				     .thread = track->thread,
				     .time_ns = finding->first_ns };
		if (one.count == 0)
			continue;
		if (one.has_time)
			one.function = function_name(check, track, finding->entry, finding->first_ns);
		add(check, &one);
	}
}

/* Calls without a duration of their own, calls that were open at a file's cut end, functions that no module has. */
static void check_functions(struct check *check, uint32_t number)
{
	const struct tee_perf_track *track = check->recording->model->tracks[number];
	struct found sums[] = { { NOTE, "calls open across lost records, a pause or the start" },
				{ NOTE, "functions open at the end" },
				{ FAULT, "functions that no module has" } };
	for (uint32_t i = TEE_PERF_PSEUDO_MEMORY; i < track->cct.function_count; i++) {
		const struct tee_perf_function *function = &track->cct.functions[i];
		uint32_t symbol = tee_perf_symbols_of(check->recording->symbols, number, i);
		const struct tee_perf_symbol *info = tee_perf_symbols_at(check->recording->symbols, symbol);
		const uint64_t counts[] = { function->unconfirmed_count, function->open_count, info->unknown };
		for (int k = 0; k < 3; k++) {
			if (counts[k] != 0 && sums[k].function == NULL)
				sums[k].function = strdup(info->name);
			sums[k].count += counts[k];
		}
	}
	uint64_t exited = track->counts.exited_open;
	sums[1].count = sums[1].count > exited ? sums[1].count - exited : 0;
	for (int k = 0; k < 3; k++) {
		sums[k].has_thread = true;
		sums[k].process = track->process;
		sums[k].thread = track->thread;
		if (sums[k].count != 0)
			add(check, &sums[k]);
		else
			free(sums[k].function);
	}
}

/* ---- the whole */

static void check_gaps(struct check *check)
{
	const struct tee_perf_model *model = check->recording->model;
	struct found one = { .level = NOTE, .what = "gaps of the clock (the longest)", .count = model->gap_total };
	uint64_t longest = 0;
	char text[TEE_PERF_TEXT];
	for (uint32_t i = 0; i < model->gap_count; i++)
		if (model->gaps[i].to_ns - model->gaps[i].from_ns > longest) {
			longest = model->gaps[i].to_ns - model->gaps[i].from_ns;
			one.time_ns = model->gaps[i].from_ns;
		}
	if (one.count == 0)
		return;
	one.has_time = true;
	one.function = strdup(tee_perf_duration_text(text, (double)longest));
	add(check, &one);
}

static void check_not_recorded(struct check *check)
{
	size_t index;
	const json_t *one;
	json_array_foreach(json_object_get(check->recording->end, "not_recorded"), index, one)
	{
		const json_t *count = json_object_get(one, "count");
		const char *reason = json_string_value(json_object_get(one, "reason"));
		json_int_t value = json_is_integer(count) ? json_integer_value(count) : 1;
		add_whole(check, FAULT, "not recorded", value > 0 ? (uint64_t)value : 1,
			  reason != NULL ? reason : "unknown reason");
	}
}

/* Stacks that found no room in the model. Calls and returns are told by their frames, which have room even so: of
 * single calls everything was checked, and the file holds them. Of a profile nothing else is left; and of what module
 * a function is, nobody knows where functions found no room. */
static void check_full(struct check *check)
{
	static const char merged[] = "calls in [out of memory]: record fewer processes, or less time, in a file";
	const struct tee_perf_model *model = check->recording->model;
	bool full = false, fault = check->recording->has_profile;
	uint64_t calls = 0;
	for (uint32_t i = 0; i < model->track_count; i++) {
		const struct tee_perf_cct *cct = &model->tracks[i]->cct;
		const struct tee_perf_node *node = &cct->nodes[cct->overflow];
		full |= cct->functions_full || (node->calls | node->self_ns) != 0;
		fault |= cct->functions_full;
		calls += node->calls;
	}
	if (full)
		add_whole(check, fault ? FAULT : NOTE, "the model was full", calls != 0 ? calls : 1, merged);
}

static void check_whole(struct check *check, const struct tee_perf_summary *summary)
{
	const struct tee_perf_model *model = check->recording->model;
	uint64_t lost = 0;
	for (uint32_t i = 0; i < model->track_count; i++)
		lost += model->tracks[i]->counts.lost;
	add_whole(check, FAULT, "lost records, at no known place", summary->lost - lost, NULL);
	for (uint32_t i = 0; i < check->recording->warning_count; i++)
		add_whole(check, FAULT, "damaged or cut file", 1, check->recording->warnings[i]);
	if (check->recording->warning_count == 0)
		add_whole(check, FAULT, "damaged or cut file", summary->truncated, "its end is missing");
	check_full(check);
	add_whole(check, FAULT, "the time-stamp counter was not calibrated", summary->tsc_uncalibrated, NULL);
	add_whole(check, FAULT, "the program has no hooks", summary->hooks_missing, NULL);
	check_not_recorded(check);
	check_gaps(check);
}

/* ---- printing */

static int compare(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	if (x->has_thread != y->has_thread)
		return x->has_thread ? 1 : -1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return strcmp(x->what, y->what);
}

static void put_thread(struct tee_perf_rows *rows, const struct check *check, const struct found *one)
{
	const char *name = "";
	if (!one->has_thread) {
		for (int i = 0; i < 3; i++)
			tee_perf_rows_text(rows, rows->format == TEE_PERF_FORMAT_TABLE ? "" : NULL);
		return;
	}
	tee_perf_rows_integer(rows, tee_perf_input_pid(check->recording, one->process));
	tee_perf_rows_integer(rows, tee_perf_input_tid(check->recording, one->process, one->thread, &name));
	tee_perf_rows_text(rows, name);
}

static int print_found(const struct check *check, enum tee_perf_format format, FILE *out, struct tee_perf_error *err)
{
	static const char *const titles[] = { "", "what", "count", "pid", "tid", "thread", "first at", "where" };
	static const char *const keys[] = { "level", "what", "count", "pid", "tid", "thread_name", "time_ns", "where" };
	bool table = format == TEE_PERF_FORMAT_TABLE;
	struct tee_perf_rows rows;
	char text[TEE_PERF_TEXT];
	int result = tee_perf_rows_begin(&rows, out, format, table ? titles : keys, 8, err);
	for (uint32_t i = 0; i < check->count && result == 0; i++) {
		const struct found *one = &check->found[i];
		tee_perf_rows_text(&rows, level_names[one->level]);
		tee_perf_rows_text(&rows, one->what);
		tee_perf_rows_shown(&rows, tee_perf_text_count(text, one->count), (double)one->count);
		put_thread(&rows, check, one);
		if (one->has_time)
			tee_perf_rows_shown(&rows, tee_perf_duration_text(text, (double)one->time_ns),
					    (double)one->time_ns);
		else
			tee_perf_rows_text(&rows, table ? "" : NULL);
		tee_perf_rows_text(&rows, one->function != NULL || !table ? one->function : "");
	}
	return tee_perf_rows_end(&rows, err) | result;
}

static int print(struct check *check, const struct tee_perf_summary *summary, enum tee_perf_format format, FILE *out,
		 struct tee_perf_error *err)
{
	char calls[TEE_PERF_TEXT];
	uint32_t notes = check->count - check->faults;
	int result = 0;
	if (check->count != 0)
		qsort(check->found, check->count, sizeof *check->found, compare);
	if (format == TEE_PERF_FORMAT_JSON)
		fprintf(out, "{\"balanced\": %s, \"calls\": %llu, \"faults\": %u, \"notes\": %u,\n\"findings\": ",
			check->faults == 0 ? "true" : "false", (unsigned long long)summary->calls, check->faults,
			notes);
	if (check->count != 0 || format == TEE_PERF_FORMAT_JSON)
		result = print_found(check, format, out, err);
	if (format == TEE_PERF_FORMAT_JSON)
		fprintf(out, "}\n");
	else
		fprintf(out, "%s%s: %s call%s, %u fault%s, %u note%s\n", check->count != 0 ? "\n" : "",
			check->faults == 0 ? "balanced" : "not balanced", tee_perf_text_count(calls, summary->calls),
			summary->calls == 1 ? "" : "s", check->faults, check->faults == 1 ? "" : "s", notes,
			notes == 1 ? "" : "s");
	return result;
}

int tee_perf_check_print(const struct tee_perf_recording *recording, enum tee_perf_format format, FILE *out,
			 uint32_t *faults, struct tee_perf_error *err)
{
	struct check check = { .recording = recording };
	struct tee_perf_summary summary;
	if (tee_perf_recording_summary(recording, &summary, err) != 0)
		return -1;
	check_whole(&check, &summary);
	for (uint32_t i = 0; i < recording->model->track_count; i++) {
		check_track(&check, recording->model->tracks[i]);
		check_functions(&check, i);
	}
	int result = check.failed ? tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the check")
				  : print(&check, &summary, format, out, err);
	*faults = check.faults;
	for (uint32_t i = 0; i < check.count; i++)
		free(check.found[i].function);
	free(check.found);
	tee_perf_summary_clear(&summary);
	return result;
}
