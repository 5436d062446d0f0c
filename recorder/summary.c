/* SPDX-License-Identifier: MIT */
/* What a recording says about itself: JSON in the file, a summary and a status line on stderr. */
#define _GNU_SOURCE
#include "recorder/session.h"
#include "util/duration.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char second_runtime[] =
    "code of a second runtime in a process (dlmopen, or an object that needs the shared "
    "runtime in a program that has the static one)";
static const char conflict_format[] = "image %s: its map's addresses agree in their low 32 bits with those of another";

static const char *const clock_names[] = { "auto", "host", "tsc" };
static const char *const full_names[] = { "wait", "drop", "overwrite" };
static const char *const keep_names[] = { "calls", "profile" };

/* A string that JSON can hold, whatever its bytes: what is not UTF-8 becomes Latin-1. */
static json_t *text(const char *bytes)
{
	json_t *string = json_string(bytes);

	if (string != NULL)
		return string;
	size_t length = strlen(bytes), used = 0;
	char *utf8 = malloc(2 * length + 1);
	if (utf8 == NULL)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (c >= 0x80)
			utf8[used++] = (char)(0xc0 | c >> 6);
		utf8[used++] = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
	}
	utf8[used] = '\0';
	string = json_string(utf8);
	free(utf8);
	return string;
}

static int dump(json_t *object, struct tee_perf_bytes *out)
{
	char *dumped = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	if (dumped == NULL)
		return -1;
	size_t length = strlen(dumped);
	uint8_t *grown = realloc(out->data, out->size + length);
	if (grown != NULL) {
		memcpy(grown + out->size, dumped, length);
		out->data = grown;
		out->size += length;
		out->capacity = out->size;
	}
	free(dumped);
	return grown != NULL ? 0 : -1;
}

/* Whether the file may know a variable: what decides which program ran, in which language, and what --keep-env names.
 */
static bool keeps_variable(const char *variable, size_t length, const char *wanted)
{
	static const char *const always[] = { "TEE_PERF_", "LC_", "LANG=", "PATH=" };

	for (unsigned i = 0; i < sizeof always / sizeof *always; i++)
		if (strncmp(variable, always[i], strlen(always[i])) == 0)
			return true;
	while (wanted != NULL && *wanted != '\0') {
		size_t name = strcspn(wanted, ",");
		if (name == length && strncmp(wanted, variable, name) == 0)
			return true;
		wanted += name + (wanted[name] == ',');
	}
	return false;
}

static json_t *environment_json(const char *wanted)
{
	json_t *object = json_object();

	for (char **variable = environ; *variable != NULL; variable++) {
		size_t length = strcspn(*variable, "=");
		char *name = strndup(*variable, length);
		json_t *key = name != NULL && (*variable)[length] == '=' ? text(name) : NULL;
		if (key != NULL && keeps_variable(*variable, length, wanted))
			json_object_set_new(object, json_string_value(key), text(*variable + length + 1));
		json_decref(key);
		free(name);
	}
	return object;
}

int tee_perf_session_start_json(const struct tee_perf_session *session, struct tee_perf_bytes *out)
{
	const struct tee_perf_record_options *options = session->options;
	json_t *command = json_array();
	struct utsname host;
	struct timespec now;

	for (char **word = options->command; *word != NULL && !options->no_cmdline; word++)
		json_array_append_new(command, text(*word));
	clock_gettime(CLOCK_REALTIME, &now);
	uname(&host);
	const char *cost = options->transition_cost;
	return dump(json_pack("{s:i, s:o, s:o, s:s, s:s, s:I, s:s, s:I, s:s, s:I, s:s, s:o*}", "version", 1, "command",
			      command, "environment", environment_json(options->keep_env), "host", host.nodename,
			      "clock", clock_names[options->clock], "clock_period_ns",
			      (json_int_t)options->clock_period_ns, "full", full_names[options->full], "ring_size",
			      (json_int_t)options->ring_bytes, "keep", keep_names[options->keep], "start_unix_ns",
			      (json_int_t)now.tv_sec * 1000000000 + now.tv_nsec, "tool_version", TEE_PERF_VERSION,
			      "transition_cost", cost != NULL ? text(cost) : NULL),
		    out);
}

/* Files whose functions have no names; NULL: none. */
static json_t *unnamed_json(const struct tee_perf_images *images)
{
	json_t *unnamed = NULL;

	for (size_t i = 0; i < images->count; i++) {
		const struct tee_perf_image_file *file = &images->file[i];
		if (!tee_perf_images_unnamed(file))
			continue;
		if (unnamed == NULL)
			unnamed = json_array();
		json_array_append_new(unnamed, json_pack("{s:o, s:s}", "file", text(file->path), "reason", file->why));
	}
	return unnamed;
}

static double tsc_hz(const struct tee_perf_session *session)
{
	struct tee_perf_time_pair from = session->drain.tsc_start, to = session->tsc_end;
	return to.b == from.b ? 0 : (double)(to.a - from.a) * 1e9 / (double)(to.b - from.b);
}

static json_t *cost_json(const struct tee_perf_hook_cost *cost)
{
	json_t *lengths = json_array();

	for (unsigned i = 0; i < TEE_PERF_CALIBRATED_LENGTHS; i++)
		json_array_append_new(lengths, json_pack("[f, f]", cost->inside[i].seen_ns, cost->inside[i].added_ns));
	return json_pack("{s:f, s:o, s:f}", "inside_ns", cost->inside_ns, "inside_by_length", lengths, "outside_ns",
			 cost->outside_ns);
}

/* NULL: nobody said. */
static json_t *crossing_json(const struct tee_perf_drain *drain)
{
	return drain->crossing_costs
		   ? json_sprintf("ecall=%" PRIu64 ",ocall=%" PRIu64, drain->ecall_cycles, drain->ocall_cycles)
		   : NULL;
}

int tee_perf_session_end_json(const struct tee_perf_session *session, struct tee_perf_bytes *out)
{
	const struct tee_perf_drain_totals *totals = &session->drain.totals;
	json_t *not_recorded = json_array();

	if (totals->refused > 0 && !session->options->no_follow)
		json_array_append_new(not_recorded,
				      json_pack("{s:I, s:s}", "count", (json_int_t)totals->refused, "reason",
						"processes, more at once than the process table holds"));
	if (totals->unserved > 0)
		json_array_append_new(not_recorded,
				      json_pack("{s:I, s:s}", "count", (json_int_t)totals->unserved, "reason",
						"calls and returns of threads that found no ring"));
	if (totals->second_runtimes > 0)
		json_array_append_new(
		    not_recorded,
		    json_pack("{s:I, s:s}", "count", (json_int_t)totals->second_runtimes, "reason", second_runtime));
	for (unsigned i = 0; i < session->drain.conflict_count; i++) {
		char reason[PATH_MAX + 128];
		snprintf(reason, sizeof reason, conflict_format, session->drain.conflict[i]);
		json_array_append_new(not_recorded,
				      json_pack("{s:I, s:o}", "count", (json_int_t)1, "reason", text(reason)));
	}
	return dump(json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:i, s:o, s:I, s:I, s:I, s:f, s:b, s:b, "
			      "s:{s:o, s:o}, s:o*, s:o*}",
			      "duration_ns", (json_int_t)session->program_end_ns, "events", (json_int_t)totals->events,
			      "lost",
			      (json_int_t)(totals->lost + session->written.lost_records + session->sink.lost_records),
			      "holes", (json_int_t)totals->holes, "waited_ns", (json_int_t)totals->waited,
			      "unresolved_gap_ns", (json_int_t)session->clock.gap_total_ns, "resolution_ns",
			      (json_int_t)tee_perf_publisher_resolution(&session->clock), "exit_status",
			      session->child.status, "signal", session->child.signal, "not_recorded", not_recorded,
			      "processes", (json_int_t)totals->processes, "threads", (json_int_t)totals->threads,
			      "data_bytes", (json_int_t)session->written.encoded_bytes, "tsc_hz", tsc_hz(session),
			      "tsc_used", session->tsc_used, "hooks_missing", totals->processes == 0, "calibration",
			      "host", cost_json(&session->hook_costs.host), "tsc", cost_json(&session->hook_costs.tsc),
			      "transition_cost", crossing_json(&session->drain), "unnamed",
			      unnamed_json(&session->drain.images)),
		    out);
}

/* ---- for people */

static void print_size(char *out, size_t size, double bytes)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned i = 0;

	for (; bytes >= 1024 && i < 4; i++)
		bytes /= 1024;
	snprintf(out, size, i == 0 ? "%.0f %s" : "%.1f %s", bytes, unit[i]);
}

void tee_perf_session_print_progress(struct tee_perf_session *session, bool last)
{
	static uint64_t events_before, ns_before;
	uint64_t now = tee_perf_monotonic_ns() - session->clock.start_ns, events = session->drain.events;
	struct tee_perf_writer_status status = { 0 };
	char size[32], time[TEE_PERF_DURATION_BYTES];

	if (session->sink.writer != NULL && !last)
		tee_perf_writer_status(session->sink.writer, &status);
	print_size(size, sizeof size, (double)status.file_bytes);
	double rate = (double)(events - events_before) * 1e3 / (double)(now - ns_before + 1);
	events_before = events;
	ns_before = now;
	/* In a file or a pipe each is a line of its own. */
	bool terminal = isatty(fileno(session->progress));
	if (terminal)
		fprintf(session->progress, "\r\033[K");
	if (!last)
		fprintf(session->progress, "%s  %" PRIu64 " events  %.1f M/s  %" PRIu64 " lost  %s%s",
			tee_perf_duration_text(time, (double)now), events, rate, (uint64_t)session->drain.lost, size,
			terminal ? "" : "\n");
	fflush(session->progress);
}

static void print_images(const struct tee_perf_session *session)
{
	for (unsigned i = 0; i < session->drain.conflict_count; i++) {
		fprintf(stderr, "tee-perf: not recorded: ");
		fprintf(stderr, conflict_format, session->drain.conflict[i]);
		fputc('\n', stderr);
	}
	if (session->drain.totals.second_runtimes > 0)
		fprintf(stderr, "tee-perf: not recorded: %s\n", second_runtime);
}

static const char *why_lost(const struct tee_perf_session *session)
{
	static const char *const asked[] = { "the recorder was stopped for too long",
					     "the rings were full; try a larger --ring-size or --full wait",
					     "overwritten, as asked for" };
	static const char *const built_in[] = { "the program was built to wait, and waited in vain",
						"the rings were full, and the program was built to drop records then",
						"overwritten, as the program was built to" };
	uint32_t full = session->drain.ring_full;

	if (full == 0 || (int)full - 1 == (int)session->options->full)
		return asked[session->options->full];
	return built_in[full - 1];
}

/* What makes room for more threads. */
static const char *more_rings(const struct tee_perf_region *region)
{
	if (region->slots_mapped < region->slot_max)
		return " that the limit of the address space (ulimit -v) allows; a smaller --ring-size makes more";
	if (region->slot_max < TEE_PERF_SLOT_MAX)
		return " that its part of the shared file holds; a smaller --ring-size or a larger --shared-size "
		       "makes more";
	return "";
}

static void print_trouble(const struct tee_perf_session *session)
{
	const struct tee_perf_drain_totals *totals = &session->drain.totals;
	uint64_t unwritten = session->written.lost_records + session->sink.lost_records;

	if (totals->lost > 0 && (!session->options->quiet || session->options->full == TEE_PERF_FULL_WAIT))
		fprintf(stderr, "tee-perf: lost %" PRIu64 " records: %s\n", totals->lost, why_lost(session));
	if (session->drain.other_machine && session->options->clock == TEE_PERF_CHOOSE_TSC)
		fprintf(stderr,
			"tee-perf: a program that cannot read this machine's counter took part, so the clock is the "
			"host's (--clock host, not tsc)\n");
	if (unwritten > 0)
		fprintf(stderr, "tee-perf: %" PRIu64 " records are not in the file: %s\n", unwritten,
			session->written.failed ? session->written.message : "out of memory");
	else if (session->written.failed) /* names, for instance */
		fprintf(stderr, "tee-perf: the recording is not whole: %s\n", session->written.message);
	if (totals->holes > 0)
		fprintf(stderr, "tee-perf: %" PRIu64 " records were never completed (killed in the middle)\n",
			totals->holes);
	if (totals->refused > 0 && !session->options->no_follow)
		fprintf(stderr, "tee-perf: %" PRIu64 " processes are not recorded: more than %" PRIu64 "%s\n",
			totals->refused, session->region.process_max,
			session->drain.foreign          ? "; --shared-processes takes more"
			: session->region.whole != NULL ? " at once; --shared-processes takes more"
							: " at once");
	if (totals->unserved > 0)
		fprintf(stderr,
			"tee-perf: %" PRIu64
			" calls and returns are not recorded: there were more threads at once than the "
			"%" PRIu64 " rings%s\n",
			totals->unserved, session->region.slots_mapped, more_rings(&session->region));
}

void tee_perf_session_print_summary(const struct tee_perf_session *session)
{
	const struct tee_perf_drain_totals *totals = &session->drain.totals;
	const char *output = session->options->output;
	char size[32], time[TEE_PERF_DURATION_BYTES];

	if (totals->processes == 0 && session->drain.unreadable)
		return; /* the error says why */
	if (totals->processes == 0 && session->drain.foreign) {
		fprintf(stderr, "tee-perf: no program with tee-perf hooks has attached to '%s': nothing was recorded\n",
			session->options->shared_file);
		return;
	}
	if (totals->processes == 0) {
		fprintf(stderr,
			"tee-perf: '%s' has no tee-perf hooks: build it with tee-perf-cc; nothing was recorded\n",
			session->options->command[0]);
		return;
	}
	print_trouble(session);
	print_images(session);
	if (totals->events == 0 && session->program_end_ns < session->options->delay_ms * 1000000)
		fprintf(stderr, "tee-perf: the program ended before --delay %" PRIu64 " was over\n",
			session->options->delay_ms);
	if (session->options->quiet)
		return;
	print_size(size, sizeof size, (double)session->written.file_bytes);
	fprintf(stderr, "tee-perf: wrote %s: %s, %" PRIu64 " events, %" PRIu64 " process%s, %" PRIu64 " thread%s",
		output, size, totals->events, totals->processes, totals->processes == 1 ? "" : "es", totals->threads,
		totals->threads == 1 ? "" : "s");
	if (totals->waited > 1000000)
		fprintf(stderr, ", threads waited %s for the recorder",
			tee_perf_duration_text(time, (double)totals->waited));
	if (session->tsc_used)
		fprintf(stderr, "; clock TSC");
	else
		fprintf(stderr, "; clock resolution %s",
			tee_perf_duration_text(time, (double)tee_perf_publisher_resolution(&session->clock)));
	if (session->clock.gap_total_ns > 0 && session->program_end_ns > 0)
		fprintf(stderr, ", not published %.1f %% of the time",
			100.0 * (double)session->clock.gap_total_ns / (double)session->program_end_ns);
	fprintf(stderr, "\ntee-perf: next: tee-perf report%s%s\n", strcmp(output, "tee-perf.data") ? " -i " : "",
		strcmp(output, "tee-perf.data") ? output : "");
}
