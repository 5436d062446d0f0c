/* SPDX-License-Identifier: MIT */
#include "analyzer/recording.h"
#include "analyzer/player.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void warn(struct tee_perf_recording *recording, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void warn(struct tee_perf_recording *recording, const char *format, ...)
{
	char text[1200];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (recording->warning_count == TEE_PERF_WARNINGS_MAX)
		return;
	char *copy = strdup(text);
	if (copy != NULL)
		recording->warnings[recording->warning_count++] = copy;
}

static int take_meta(struct tee_perf_player *player, const struct tee_perf_section *section, struct tee_perf_error *err)
{
	(void)err;
	struct tee_perf_recording *recording = player->argument;
	bool is_end = section->type == TEE_PERF_SECTION_END;
	json_error_t why;
	json_t *object = json_loadb(section->payload, section->size, 0, &why);
	if (!json_is_object(object)) {
		json_decref(object);
		recording->damaged = true;
		warn(recording, "the section %s is no JSON object: what it says is missing", is_end ? "END" : "START");
		return 0;
	}
	json_t **place = is_end ? &recording->end : &recording->start;
	json_decref(*place);
	*place = object;
	recording->has_end |= is_end;
	return 0;
}

static json_int_t integer(const json_t *object, const char *key, json_int_t otherwise)
{
	const json_t *value = json_object_get(object, key);
	return json_is_number(value) ? (json_int_t)json_number_value(value) : otherwise;
}

static void warn_broken(struct tee_perf_recording *recording, const char *first, uint64_t count)
{
	if (count == 0)
		return;
	recording->damaged = true;
	warn(recording, "%s", first);
	if (count > 1)
		warn(recording, "%" PRIu64 " more section%s damaged", count - 1, count == 2 ? " is" : "s are");
}

/* Records that the file should hold and does not: by the threads' own count, or by END's if that is greater. */
static void count_missing(struct tee_perf_recording *recording, const struct tee_perf_player *player)
{
	const struct tee_perf_model *model = recording->model;
	struct tee_perf_recording_damage *damage = &recording->damage;
	json_int_t all = integer(recording->end, "events", 0);
	uint64_t read = 0;
	for (uint32_t i = 0; i < model->track_count; i++)
		read += model->tracks[i]->counts.records;
	read -= player->told;
	damage->records = player->missing;
	if (!recording->has_profile && all > 0 && (uint64_t)all > read && (uint64_t)all - read > damage->records)
		damage->records = (uint64_t)all - read;
}

static void take_damage(struct tee_perf_recording *recording, const struct tee_perf_player *player)
{
	const struct tee_perf_damage *found = tee_perf_reader_damage(player->reader);
	struct tee_perf_recording_damage *damage = &recording->damage;
	*damage = (struct tee_perf_recording_damage){ .places = found->places,
						      .bytes = found->bytes,
						      .from_ns = player->hole_from_ns,
						      .to_ns = player->hole_to_ns };
	if (found->places + player->broken_blocks + player->cut_off_blocks == 0)
		return;
	uint64_t end_ns = (uint64_t)integer(recording->end, "duration_ns", 0);
	if (end_ns < player->last_ns)
		end_ns = player->last_ns;
	if (damage->to_ns > end_ns)
		damage->to_ns = end_ns;
	count_missing(recording, player);
}

/* What was passed over, and what is missing with it. */
static void warn_damage(struct tee_perf_recording *recording, const struct tee_perf_player *player)
{
	const struct tee_perf_damage *found = tee_perf_reader_damage(player->reader);
	const struct tee_perf_recording_damage *damage = &recording->damage;
	char where[64] = "", type[32] = "", when[96] = "", cut_off[96] = "";
	if (found->first_name != NULL)
		snprintf(type, sizeof type, " (%s)", found->first_name);
	if (found->places > 1)
		snprintf(where, sizeof where, " in %" PRIu64 " places", found->places);
	if (found->places > 0)
		warn(recording, "%s is damaged%s: at byte %" PRIu64 ", %s%s: %" PRIu64 " byte%s passed over",
		     recording->path, where, found->first_offset, found->what, type, found->bytes,
		     found->bytes == 1 ? " was" : "s were");
	recording->damaged |= found->places > 0;
	if (player->cut_off_records != 0)
		snprintf(cut_off, sizeof cut_off,
			 " (%" PRIu64 " of them are whole, but cannot be decoded without those before)",
			 player->cut_off_records);
	if (damage->from_ns <= damage->to_ns)
		snprintf(when, sizeof when, ", recorded between %.9f s and %.9f s", (double)damage->from_ns / 1e9,
			 (double)damage->to_ns / 1e9);
	bool is_said = found->places + player->cut_off_blocks == 0 && player->broken_blocks == 1;
	if (damage->records != 0 && !is_said)
		warn(recording, "%" PRIu64 " record%s missing%s%s", damage->records,
		     damage->records == 1 ? " is" : "s are", when, cut_off);
	else if (when[0] != 0 && !is_said)
		warn(recording, "records may be missing%s", when);
}

/* Points of the TSC's calibration may stand behind the records that need them: they are collected from the whole file
 * before it is read again. */
static int collect_tsc(const char *path, struct tee_perf_model *model, struct tee_perf_error *err)
{
	struct tee_perf_section section;
	struct tee_perf_reader *reader = tee_perf_reader_open(path, err);
	if (reader == NULL)
		return -1;
	int result = 0;
	while (result == 0 && tee_perf_reader_next(reader, &section, NULL) == 1) {
		struct tee_perf_time_pair *pairs;
		size_t count;
		if (section.type != TEE_PERF_SECTION_TSC ||
		    tee_perf_pairs_decode(section.payload, section.size, &pairs, &count, NULL) != 0)
			continue;
		for (size_t i = 0; i < count && result == 0; i++)
			result = tee_perf_model_tsc(model, pairs[i].a, pairs[i].b, err);
		free(pairs);
	}
	tee_perf_reader_close(reader);
	return result;
}

#define UNNAMED_MAX 3 /* warnings */

/* Files whose functions the recorder found no names for. */
static void warn_unnamed(struct tee_perf_recording *recording)
{
	size_t index, more = 0;
	const json_t *one;
	json_array_foreach(json_object_get(recording->end, "unnamed"), index, one)
	{
		const char *file = json_string_value(json_object_get(one, "file"));
		const char *reason = json_string_value(json_object_get(one, "reason"));
		if (index < UNNAMED_MAX)
			warn(recording, "functions of %s have no names: the file %s", file == NULL ? "?" : file,
			     reason == NULL ? "could not be read" : reason);
		else
			more++;
	}
	if (more != 0)
		warn(recording, "nor have functions of %zu more file%s", more, more == 1 ? "" : "s");
}

/* Everything up to the end or the first damage: what was read by then counts. 0, -1; 1: the calibration is needed
 * first. */
static int play_all(struct tee_perf_recording *recording, struct tee_perf_player *player, bool calibrated,
		    struct tee_perf_error *err)
{
	struct tee_perf_error trouble = { 0 };
	int result;
	uint64_t steps = 0;
	while ((result = tee_perf_player_step(player, &trouble)) == 1) {
		if ((recording->model->tsc_unknown || recording->model->tsc_beyond) && !calibrated)
			return 1;
		/* Behind a hole the points tell the two clocks apart. */
		if (tee_perf_reader_damage(player->reader)->may_hold_events != 0 && !calibrated)
			return 1;
		steps++;
	}
	if (result < 0 && (steps == 0 || trouble.class != TEE_PERF_INPUT))
		return tee_perf_fail(err, trouble.class, "%s", trouble.message);
	if (result < 0) {
		recording->damaged = true;
		warn(recording, "%s: this report covers what comes before it", trouble.message);
	}
	take_damage(recording, player);
	warn_damage(recording, player);
	warn_broken(recording, player->first_broken, player->broken_blocks);
	warn_broken(recording, player->first_broken_section, player->broken_sections);
	if (tee_perf_reader_truncated(player->reader) != NULL)
		warn(recording, "%s", tee_perf_reader_truncated(player->reader));
	warn_unnamed(recording);
	recording->has_calls = player->event_blocks > 0;
	recording->has_profile = player->profile_sections > 0;
	json_int_t end_ns = integer(recording->end, "duration_ns", 0);
	if (tee_perf_model_finish(recording->model, end_ns > 0 ? (uint64_t)end_ns : player->last_ns, err) != 0)
		return -1;
	return tee_perf_model_settle(recording->model, err);
}

static int play_file(struct tee_perf_recording *recording, struct tee_perf_player *player, bool calibrated,
		     struct tee_perf_error *err)
{
	if (tee_perf_player_open(player, recording->path, recording->model, err) != 0)
		return -1;
	player->meta = take_meta;
	player->argument = recording;
	int result = play_all(recording, player, calibrated, err);
	tee_perf_player_close(player);
	return result;
}

static void forget_warnings(struct tee_perf_recording *recording)
{
	while (recording->warning_count != 0)
		free(recording->warnings[--recording->warning_count]);
	recording->damaged = false;
}

static int load(struct tee_perf_recording *recording, struct tee_perf_error *err)
{
	struct tee_perf_player *player = malloc(sizeof *player);
	if (player == NULL || recording->model == NULL || recording->start == NULL || recording->end == NULL ||
	    recording->path == NULL) {
		free(player);
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for reading a recording");
	}
	int result = play_file(recording, player, false, err);
	if (result == 1) {
		forget_warnings(recording);
		tee_perf_model_free(recording->model);
		recording->model = tee_perf_model_new();
		if (recording->model == NULL)
			result = tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for reading a recording");
		else if ((result = collect_tsc(recording->path, recording->model, err)) == 0)
			result = play_file(recording, player, true, err);
	}
	free(player);
	return result;
}

struct tee_perf_recording *tee_perf_recording_open(const char *path, struct tee_perf_error *err)
{
	struct tee_perf_recording *recording = calloc(1, sizeof *recording);
	if (recording == NULL) {
		tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for reading a recording");
		return NULL;
	}
	recording->path = strdup(path);
	recording->model = tee_perf_model_new();
	recording->start = json_object();
	recording->end = json_object();
	struct stat status;
	if (load(recording, err) == 0 && (recording->symbols = tee_perf_symbols_new(recording->model, err)) != NULL) {
		recording->file_bytes = stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
		return recording;
	}
	tee_perf_recording_close(recording);
	return NULL;
}

void tee_perf_recording_close(struct tee_perf_recording *recording)
{
	if (recording == NULL)
		return;
	tee_perf_symbols_free(recording->symbols);
	tee_perf_model_free(recording->model);
	json_decref(recording->start);
	json_decref(recording->end);
	forget_warnings(recording);
	free(recording->path);
	free(recording);
}

static bool plausible(double ns)
{
	return ns >= 0 && ns < 1e6;
}

/* False: not measured, or no measurement. */
static bool read_lengths(const json_t *lengths, struct tee_perf_hook_times *hooks)
{
	size_t count = json_array_size(lengths);
	double before = -1;

	if (count == 0 || count > TEE_PERF_PROBE_LENGTHS)
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *pair = json_array_get(lengths, i);
		double seen = json_number_value(json_array_get(pair, 0)),
		       inside = json_number_value(json_array_get(pair, 1));
		if (!plausible(seen) || !plausible(inside) || seen <= before)
			return false;
		hooks->length[i] = (struct tee_perf_hook_length){ seen, inside };
		before = seen;
	}
	hooks->length_count = (unsigned)count;
	return true;
}

static struct tee_perf_hook_times clock_hooks(const struct tee_perf_recording *recording, const char *clock)
{
	const json_t *all = json_object_get(recording->end, "calibration");
	if (all == NULL)
		all = json_object_get(recording->start, "calibration");
	const json_t *one = json_object_get(all, clock);
	double inside = json_number_value(json_object_get(one, "inside_ns"));
	struct tee_perf_hook_times hooks = { .outside_ns = json_number_value(json_object_get(one, "outside_ns")) };
	if (!plausible(inside) || !plausible(hooks.outside_ns))
		return (struct tee_perf_hook_times){ 0 };
	if (!read_lengths(json_object_get(one, "inside_by_length"), &hooks)) {
		hooks.length_count = 1;
		hooks.length[0].inside_ns = inside;
	}
	return hooks;
}

struct tee_perf_probe tee_perf_recording_probe(const struct tee_perf_recording *recording, uint32_t track)
{
	const struct tee_perf_counts *counts = &recording->model->tracks[track]->counts;
	double share = counts->records == 0 ? 0 : (double)counts->tsc_records / (double)counts->records;
	return (struct tee_perf_probe){ clock_hooks(recording, "host"), clock_hooks(recording, "tsc"), share };
}
