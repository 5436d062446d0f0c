/* SPDX-License-Identifier: MIT */
#include "cli/input.h"
#include "analyzer/model_internal.h"
#include "cli/text.h"
#include "util/duration.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct tee_perf_recording *tee_perf_input_open(const char *path, struct tee_perf_error *err)
{
	struct tee_perf_recording *recording = tee_perf_recording_open(path, err);
	for (uint32_t i = 0; recording != NULL && i < recording->warning_count; i++)
		fprintf(stderr, "tee-perf: warning: %s\n", recording->warnings[i]);
	return recording;
}

int tee_perf_input_status(const struct tee_perf_recording *recording)
{
	struct tee_perf_error bad = { .class = TEE_PERF_INPUT };
	return recording->damaged ? tee_perf_error_exit_status(&bad) : 0;
}

uint32_t tee_perf_input_pid(const struct tee_perf_recording *recording, uint32_t process)
{
	const struct tee_perf_model *model = recording->model;
	for (uint32_t i = 0; i < model->process_count; i++)
		if (model->processes[i].number == process)
			return model->processes[i].pid;
	return 0;
}

const char *tee_perf_input_command(const struct tee_perf_recording *recording, uint32_t process)
{
	const struct tee_perf_model *model = recording->model;
	for (uint32_t i = 0; i < model->process_count; i++)
		if (model->processes[i].number == process)
			return model->processes[i].command;
	return "";
}

uint32_t tee_perf_input_tid(const struct tee_perf_recording *recording, uint32_t process, uint32_t thread,
			    const char **name)
{
	const struct tee_perf_model *model = recording->model;
	*name = "";
	for (uint32_t i = 0; i < model->thread_count; i++)
		if (model->threads[i].process == process && model->threads[i].number == thread) {
			*name = model->threads[i].name;
			return model->threads[i].tid;
		}
	return 0;
}

static void start_time(char out[TEE_PERF_TEXT], uint64_t unix_ns)
{
	time_t seconds = (time_t)(unix_ns / 1000000000);
	struct tm parts;
	out[0] = 0;
	if (unix_ns != 0 && gmtime_r(&seconds, &parts) != NULL)
		strftime(out, TEE_PERF_TEXT, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* ---- text */

static void line(FILE *out, const char *key, const char *value)
{
	char *clean = tee_perf_text_line(value);
	fprintf(out, "%-12s%s\n", key, clean == NULL ? "" : clean);
	free(clean);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* One thing that a reader has to know, with its number; nothing if the number is 0. */
static void note(FILE *out, uint64_t count, const char *text)
{
	char number[TEE_PERF_TEXT];
	if (count != 0)
		fprintf(out, "%-12s%s: %s\n", "note", text, tee_perf_text_count(number, count));
}

static void print_not_recorded(const struct tee_perf_recording *recording, FILE *out)
{
	size_t index;
	const json_t *one;
	json_array_foreach(json_object_get(recording->end, "not_recorded"), index, one)
	{
		const json_t *pid = json_object_get(one, "pid"), *count = json_object_get(one, "count");
		const char *reason = json_string_value(json_object_get(one, "reason"));
		char text[512];
		if (json_is_integer(pid))
			snprintf(text, sizeof text, "process %lld was not recorded: %s",
				 (long long)json_integer_value(pid), reason == NULL ? "unknown reason" : reason);
		else
			snprintf(text, sizeof text, "not recorded: %lld %s",
				 json_is_integer(count) ? (long long)json_integer_value(count) : 1,
				 reason == NULL ? "unknown reason" : reason);
		line(out, "note", text);
	}
}

static void print_damage(const struct tee_perf_recording_damage *damage, FILE *out)
{
	char bytes[TEE_PERF_TEXT], records[TEE_PERF_TEXT], from[TEE_PERF_TEXT], to[TEE_PERF_TEXT], text[512];
	if (damage->places == 0)
		return;
	int used = snprintf(text, sizeof text, "the file is damaged in %" PRIu64 " place%s: %s bytes were passed over",
			    damage->places, plural(damage->places), tee_perf_text_count(bytes, damage->bytes));
	if (damage->records != 0)
		used += snprintf(text + used, sizeof text - (size_t)used, ", %s records are missing",
				 tee_perf_text_count(records, damage->records));
	if (damage->from_ns <= damage->to_ns)
		snprintf(text + used, sizeof text - (size_t)used, ", recorded between %s and %s",
			 tee_perf_duration_text(from, (double)damage->from_ns),
			 tee_perf_duration_text(to, (double)damage->to_ns));
	line(out, "note", text);
}

static void print_unnamed(const struct tee_perf_summary *summary, FILE *out)
{
	char time[TEE_PERF_TEXT], share[TEE_PERF_TEXT], text[256];
	if (summary->unnamed == 0)
		return;
	snprintf(text, sizeof text,
		 "no name is known of %" PRIu32 " function%s, in which %s were spent (%s of the threads' time)",
		 summary->unnamed, plural(summary->unnamed), tee_perf_duration_text(time, (double)summary->unnamed_ns),
		 tee_perf_text_share(share, (double)summary->unnamed_ns, (double)summary->thread_time_ns));
	line(out, "note", text);
}

static void print_notes(const struct tee_perf_recording *recording, const struct tee_perf_summary *summary, FILE *out)
{
	print_damage(&recording->damage, out);
	print_unnamed(summary, out);
	note(out, summary->holes, "incomplete records, skipped");
	note(out, summary->unwound, "calls ended by an exception, longjmp or the end of their thread");
	note(out, summary->unconfirmed,
	     "calls open across lost records, a pause or the start, without a duration of their own");
	note(out, summary->open, "calls still open at the end, which they count up to");
	note(out, summary->orphan_returns, "returns of functions whose call was not recorded");
	note(out, summary->guessed_stacks, "stacks that were guessed (tee_perf_stack() of tee-perf.h announces them)");
	note(out, summary->clock_backwards, "times earlier than the one before, held");
	note(out, summary->unknown_records, "records of an unknown kind");
	note(out, summary->too_deep, "calls beyond the limit of open frames, counted without time");
	if (summary->out_of_memory)
		line(out, "note", "the model was full: what found no room is in [out of memory]");
	if (summary->tsc_uncalibrated)
		line(out, "note", "the time-stamp counter was not calibrated: times are in its ticks, not in ns");
	if (summary->hooks_missing)
		line(out, "note", "the program has no tee-perf hooks: build it with tee-perf-cc");
	if (summary->truncated)
		line(out, "note", "the recording is not complete: its end is missing");
	print_not_recorded(recording, out);
}

static void print_text(const struct tee_perf_recording *recording, const struct tee_perf_summary *summary, FILE *out)
{
	char a[TEE_PERF_TEXT], b[TEE_PERF_TEXT], c[TEE_PERF_TEXT], d[TEE_PERF_TEXT], text[512];
	line(out, "command", summary->command);
	start_time(b, summary->start_unix_ns);
	snprintf(text, sizeof text, "%s%s%s%s%s", tee_perf_duration_text(a, (double)summary->duration_ns),
		 b[0] != 0 ? ", from " : "", b, summary->host[0] != 0 ? " on " : "", summary->host);
	line(out, "duration", text);
	snprintf(text, sizeof text, "%" PRIu32 " in %" PRIu32 " process%s, %s in all", summary->threads,
		 summary->processes, summary->processes == 1 ? "" : "es",
		 tee_perf_duration_text(a, (double)summary->thread_time_ns));
	line(out, "threads", text);
	snprintf(text, sizeof text, "%s (%s call%s), lost %s", tee_perf_text_count(a, summary->events),
		 tee_perf_text_count(b, summary->calls), plural(summary->calls), tee_perf_text_count(c, summary->lost));
	line(out, "events", summary->events == 0 && summary->calls == 0 ? "no events" : text);
	const char *resolution =
	    summary->resolution_ns == 0 ? "unknown" : tee_perf_duration_text(a, (double)summary->resolution_ns);
	snprintf(text, sizeof text, "%s, resolution %s", summary->clock[0] == 0 ? "unknown" : summary->clock,
		 resolution);
	line(out, "clock", text);
	double time = (double)summary->thread_time_ns;
	snprintf(text, sizeof text, "%s (%s of the threads' time)",
		 tee_perf_duration_text(a, (double)summary->unresolved_ns),
		 tee_perf_text_share(b, (double)summary->unresolved_ns, time));
	line(out, "unresolved", text);
	snprintf(text, sizeof text, "%s for the recorder, not counted%s%s%s",
		 tee_perf_duration_text(c, (double)summary->waited_ns),
		 summary->paused_ns != 0 ? "; switched off " : "",
		 summary->paused_ns != 0 ? tee_perf_duration_text(d, (double)summary->paused_ns) : "", "");
	line(out, "waited", text);
	print_notes(recording, summary, out);
}

/* ---- JSON */

/* null: nothing was passed over. */
static json_t *damage_object(const struct tee_perf_recording_damage *damage)
{
	bool timed = damage->from_ns <= damage->to_ns;
	if (damage->places == 0)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:o, s:o}", "places", (json_int_t)damage->places, "bytes",
			 (json_int_t)damage->bytes, "records", (json_int_t)damage->records, "from_ns",
			 timed ? json_integer((json_int_t)damage->from_ns) : json_null(), "to_ns",
			 timed ? json_integer((json_int_t)damage->to_ns) : json_null());
}

static json_t *head_object(const struct tee_perf_recording *recording, const struct tee_perf_summary *summary)
{
	double share =
	    summary->thread_time_ns == 0 ? 0 : (double)summary->unresolved_ns / (double)summary->thread_time_ns;
	json_t *warnings = json_array(), *missing = json_object_get(recording->end, "not_recorded");
	for (uint32_t i = 0; i < recording->warning_count; i++)
		json_array_append_new(warnings, tee_perf_text_json(recording->warnings[i]));
	char start[TEE_PERF_TEXT];
	start_time(start, summary->start_unix_ns);
	json_t *head = json_pack(
	    "{s:o, s:o, s:o, s:s, s:I, s:I, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:f, s:s, s:I, s:s, s:s, s:s}", "file",
	    tee_perf_text_json(recording->path), "command", tee_perf_text_json(summary->command), "host",
	    tee_perf_text_json(summary->host), "start", start, "duration_ns", (json_int_t)summary->duration_ns,
	    "thread_time_ns", (json_int_t)summary->thread_time_ns, "threads", (int)summary->threads, "processes",
	    (int)summary->processes, "events", (json_int_t)summary->events, "calls", (json_int_t)summary->calls, "lost",
	    (json_int_t)summary->lost, "waited_ns", (json_int_t)summary->waited_ns, "unresolved_ns",
	    (json_int_t)summary->unresolved_ns, "unresolved_share", share, "clock", summary->clock, "resolution_ns",
	    (json_int_t)summary->resolution_ns, "keep", summary->keep, "full", summary->full, "tool_version",
	    summary->tool_version);
	json_t *environment = json_object_get(recording->start, "environment");
	if (environment != NULL)
		json_object_set(head, "environment", environment);
	const struct {
		const char *key;
		uint64_t value;
	} counts[] = {
		{ "unnamed", summary->unnamed },
		{ "unnamed_ns", summary->unnamed_ns },
		{ "paused_ns", summary->paused_ns },
		{ "incomplete_records", summary->holes },
		{ "unwound", summary->unwound },
		{ "unconfirmed", summary->unconfirmed },
		{ "open", summary->open },
		{ "orphan_returns", summary->orphan_returns },
		{ "guessed_stacks", summary->guessed_stacks },
		{ "clock_backwards", summary->clock_backwards },
		{ "unknown_records", summary->unknown_records },
		{ "too_deep", summary->too_deep },
		{ "stacks", summary->nodes },
		{ "file_bytes", summary->data_bytes },
	};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		json_object_set_new(head, counts[i].key, json_integer((json_int_t)counts[i].value));
	json_object_set_new(head, "exit_status",
			    summary->exit_status < 0 ? json_null() : json_integer(summary->exit_status));
	json_object_set_new(head, "signal", summary->signal <= 0 ? json_null() : json_integer(summary->signal));
	json_object_set_new(head, "truncated", json_boolean(summary->truncated));
	json_object_set_new(head, "damaged", json_boolean(recording->damaged));
	json_object_set_new(head, "damage", damage_object(&recording->damage));
	json_object_set_new(head, "out_of_memory", json_boolean(summary->out_of_memory));
	json_object_set_new(head, "hooks_missing", json_boolean(summary->hooks_missing));
	json_object_set(head, "not_recorded", missing);
	if (missing == NULL)
		json_object_set_new(head, "not_recorded", json_array());
	json_object_set_new(head, "warnings", warnings);
	return head;
}

static int print_json(const struct tee_perf_recording *recording, const struct tee_perf_summary *summary, FILE *out,
		      struct tee_perf_error *err)
{
	json_t *head = head_object(recording, summary);
	int result = head == NULL ? -1 : json_dumpf(head, out, JSON_INDENT(2));
	json_decref(head);
	if (result != 0 && ferror(out) == 0)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the head of the report");
	return 0;
}

int tee_perf_input_print_head(const struct tee_perf_recording *recording, enum tee_perf_format format, FILE *out,
			      struct tee_perf_error *err)
{
	struct tee_perf_summary summary;
	if (tee_perf_recording_summary(recording, &summary, err) != 0)
		return -1;
	int result = 0;
	if (format == TEE_PERF_FORMAT_JSON)
		result = print_json(recording, &summary, out, err);
	else
		print_text(recording, &summary, out);
	tee_perf_summary_clear(&summary);
	return result;
}
