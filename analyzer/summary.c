/* SPDX-License-Identifier: MIT */
/* What a recording says of itself, from its START and END sections and from the model. */
#include "analyzer/model_internal.h"
#include "analyzer/recording.h"

#include <stdlib.h>
#include <string.h>

static uint64_t number(const json_t *object, const char *key, uint64_t otherwise)
{
	const json_t *value = json_object_get(object, key);
	double real = json_is_number(value) ? json_number_value(value) : -1;
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		return (uint64_t)json_integer_value(value);
	return real >= 0 && real < 1e18 ? (uint64_t)real : otherwise;
}

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));
	return value == NULL ? "" : value;
}

/* The words of the command with blanks between, or the string as it is. NULL: out of memory. */
static char *join_command(const json_t *command)
{
	if (json_is_string(command))
		return strdup(json_string_value(command));
	size_t size = 1, index;
	const json_t *word;
	json_array_foreach(command, index, word) size += json_string_length(word) + 1;
	char *joined = malloc(size), *end = joined;
	if (joined == NULL)
		return NULL;
	json_array_foreach(command, index, word)
	{
		if (!json_is_string(word))
			continue;
		if (end != joined)
			*end++ = ' ';
		memcpy(end, json_string_value(word), json_string_length(word));
		end += json_string_length(word);
	}
	*end = 0;
	return joined;
}

/* The step of the clock: the TSC's is its tick unless the recorder measured it, the host word's is what was really
 * published. Of both in one recording, the coarser. */
static uint64_t resolution(const struct tee_perf_recording *recording, double tsc_share)
{
	const json_t *start = recording->start, *end = recording->end;
	if (tsc_share < 1)
		return number(end, "resolution_ns", number(start, "clock_period_ns", 0));
	double hz = json_number_value(json_object_get(end, "tsc_hz"));
	return number(end, "tsc_resolution_ns", hz > 1e6 && hz < 1e9 ? (uint64_t)(1e9 / hz + 0.999) : 1);
}

static void add_track(struct tee_perf_summary *summary, const struct tee_perf_track *track)
{
	const struct tee_perf_counts *counts = &track->counts;
	summary->events += counts->records - counts->metas;
	summary->lost += counts->lost;
	summary->holes += counts->holes;
	summary->orphan_returns += counts->orphan_returns;
	summary->clock_backwards += counts->backwards;
	summary->unknown_records += counts->unknown;
	summary->too_deep += counts->too_deep;
	summary->waited_ns += counts->waited_ns;
	summary->paused_ns += counts->off_ns;
	summary->guessed_stacks += track->guessed_stacks;
	summary->nodes += track->cct.count;
	for (uint32_t i = 0; i < track->cct.count; i++) {
		const struct tee_perf_node *node = &track->cct.nodes[i];
		summary->thread_time_ns += node->self_ns;
		summary->calls += node->calls;
		if (node->function == TEE_PERF_PSEUDO_UNRESOLVED)
			summary->unresolved_ns += node->self_ns;
		if (node->function == TEE_PERF_PSEUDO_MEMORY && (node->calls | node->self_ns) != 0)
			summary->out_of_memory = true;
	}
	for (uint32_t i = 0; i < track->cct.function_count; i++) {
		summary->unwound += track->cct.functions[i].unwound_count;
		summary->unconfirmed += track->cct.functions[i].unconfirmed_count;
		summary->open += track->cct.functions[i].open_count;
	}
	if (track->now_ns > summary->duration_ns)
		summary->duration_ns = track->now_ns;
}

static uint32_t count_processes(const struct tee_perf_model *model)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < model->track_count; i++) {
		bool seen = false;
		for (uint32_t j = 0; j < i && !seen; j++)
			seen = model->tracks[j]->process == model->tracks[i]->process;
		count += !seen;
	}
	return count > model->process_count ? count : model->process_count;
}

/* Functions that no name is known of, and the time in them. */
static void add_unnamed(struct tee_perf_summary *summary, const struct tee_perf_recording *recording)
{
	const struct tee_perf_symbols *symbols = recording->symbols;
	for (uint32_t i = 0; symbols != NULL && i < tee_perf_symbols_count(symbols); i++)
		summary->unnamed += tee_perf_symbols_at(symbols, i)->unknown;
	for (uint32_t track = 0; summary->unnamed != 0 && track < recording->model->track_count; track++) {
		const struct tee_perf_cct *cct = &recording->model->tracks[track]->cct;
		for (uint32_t i = 0; i < cct->count; i++) {
			uint32_t symbol = tee_perf_symbols_of(symbols, track, cct->nodes[i].function);
			if (tee_perf_symbols_at(symbols, symbol)->unknown)
				summary->unnamed_ns += cct->nodes[i].self_ns;
		}
	}
}

int tee_perf_recording_summary(const struct tee_perf_recording *recording, struct tee_perf_summary *summary,
			       struct tee_perf_error *err)
{
	const struct tee_perf_model *model = recording->model;
	const json_t *start = recording->start, *end = recording->end;
	*summary = (struct tee_perf_summary){ .exit_status = -1, .signal = -1 };
	summary->command = join_command(json_object_get(start, "command"));
	if (summary->command == NULL)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the recording's summary");
	uint64_t records = 0, tsc_records = 0;
	for (uint32_t i = 0; i < model->track_count; i++) {
		add_track(summary, model->tracks[i]);
		records += model->tracks[i]->counts.records;
		tsc_records += model->tracks[i]->counts.tsc_records;
	}
	add_unnamed(summary, recording);
	summary->tsc_share = records == 0 ? 0 : (double)tsc_records / (double)records;
	uint64_t lost =
	    number(end, "lost", 0) + recording->damage.records;      /* the recorder knows nothing of the latter */
	summary->lost = lost > summary->lost ? lost : summary->lost; /* some are lost where no record could say so */
	summary->duration_ns = number(end, "duration_ns", summary->duration_ns);
	summary->resolution_ns = resolution(recording, summary->tsc_share);
	summary->start_unix_ns = number(start, "start_unix_ns", 0);
	summary->host = text(start, "host");
	summary->clock = summary->tsc_share > 0.99 ? "tsc" : summary->tsc_share > 0 ? "host and tsc" : "host";
	summary->keep = text(start, "keep");
	summary->full = text(start, "full");
	summary->tool_version = text(start, "tool_version");
	summary->threads = model->track_count;
	summary->processes = count_processes(model);
	summary->data_bytes = recording->file_bytes;
	summary->tsc_uncalibrated = model->tsc_unknown;
	summary->truncated = !recording->has_end;
	summary->hooks_missing = json_is_true(json_object_get(end, "hooks_missing"));
	summary->exit_status = (int)number(end, "exit_status", (uint64_t)-1);
	summary->signal = (int)number(end, "signal", (uint64_t)-1);
	return 0;
}

void tee_perf_summary_clear(struct tee_perf_summary *summary)
{
	free(summary->command);
	*summary = (struct tee_perf_summary){ 0 };
}
