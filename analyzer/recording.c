/* SPDX-License-Identifier: MIT */
#include "analyzer/recording.h"
#include "analyzer/player.h"

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
		warn(recording, "%llu more sections are damaged", (unsigned long long)count - 1);
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

/* Everything up to the end or the first damage: what was read by then counts. 0, -1; 1: the calibration is needed
 * first. */
static int play_all(struct tee_perf_recording *recording, struct tee_perf_player *player, bool calibrated,
		    struct tee_perf_error *err)
{
	struct tee_perf_error trouble = { 0 };
	int result;
	uint64_t steps = 0;
	while ((result = tee_perf_player_step(player, &trouble)) == 1) {
		if (recording->model->tsc_unknown && !calibrated)
			return 1;
		steps++;
	}
	if (result < 0 && (steps == 0 || trouble.class != TEE_PERF_INPUT))
		return tee_perf_fail(err, trouble.class, "%s", trouble.message);
	if (result < 0) {
		recording->damaged = true;
		warn(recording, "%s: this report covers what comes before it", trouble.message);
	}
	warn_broken(recording, player->first_broken, player->broken_blocks);
	warn_broken(recording, player->first_broken_section, player->broken_sections);
	if (tee_perf_reader_truncated(player->reader) != NULL)
		warn(recording, "%s", tee_perf_reader_truncated(player->reader));
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
	for (uint32_t i = 0; i < recording->warning_count; i++)
		free(recording->warnings[i]);
	free(recording->path);
	free(recording);
}

static struct tee_perf_calibration clock_calibration(const struct tee_perf_recording *recording, const char *clock)
{
	const json_t *all = json_object_get(recording->end, "calibration");
	if (all == NULL)
		all = json_object_get(recording->start, "calibration");
	const json_t *one = json_object_get(all, clock);
	double inside = json_number_value(json_object_get(one, "inside_ns"));
	double outside = json_number_value(json_object_get(one, "outside_ns"));
	bool sane = inside >= 0 && outside >= 0 && inside < 1e6 && outside < 1e6;
	return sane ? (struct tee_perf_calibration){ inside, outside } : (struct tee_perf_calibration){ 0 };
}

struct tee_perf_calibration tee_perf_recording_calibration(const struct tee_perf_recording *recording, uint32_t track)
{
	const struct tee_perf_counts *counts = &recording->model->tracks[track]->counts;
	struct tee_perf_calibration host = clock_calibration(recording, "host"),
				    tsc = clock_calibration(recording, "tsc");
	double share = counts->records == 0 ? 0 : (double)counts->tsc_records / (double)counts->records;
	return (struct tee_perf_calibration){ host.inside_ns + share * (tsc.inside_ns - host.inside_ns),
					      host.outside_ns + share * (tsc.outside_ns - host.outside_ns) };
}
