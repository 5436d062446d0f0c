/* SPDX-License-Identifier: MIT */
#include "analyzer/player.h"
#include "format/sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tee_perf_player_open(struct tee_perf_player *player, const char *path, struct tee_perf_model *model,
			 struct tee_perf_error *err)
{
	*player = (struct tee_perf_player){ .model = model,
					    .reader = tee_perf_reader_open(path, err),
					    .hole_from_ns = UINT64_MAX };
	return player->reader == NULL ? -1 : 0;
}

void tee_perf_player_close(struct tee_perf_player *player)
{
	for (uint32_t i = 0; i < player->track_capacity; i++)
		tee_perf_decoder_free(player->tracks[i].decoder);
	free(player->tracks);
	if (player->reader != NULL)
		tee_perf_reader_close(player->reader);
	player->reader = NULL;
	player->tracks = NULL;
	player->track_capacity = 0;
}

static int out_of_memory(struct tee_perf_error *err)
{
	return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory while reading the recording's events");
}

/* The decoder of a track; NULL: out of memory. */
static struct tee_perf_player_track *find_track(struct tee_perf_player *player, uint32_t number)
{
	if (number >= player->track_capacity) {
		uint32_t capacity = player->track_capacity == 0 ? 16 : player->track_capacity;
		while (capacity <= number)
			capacity *= 2;
		struct tee_perf_player_track *tracks = realloc(player->tracks, capacity * sizeof *tracks);
		if (tracks == NULL)
			return NULL;
		memset(tracks + player->track_capacity, 0, (capacity - player->track_capacity) * sizeof *tracks);
		player->tracks = tracks;
		player->track_capacity = capacity;
	}
	struct tee_perf_player_track *track = &player->tracks[number];
	if (track->decoder == NULL)
		track->decoder = tee_perf_decoder_new();
	return track->decoder == NULL ? NULL : track;
}

/* Tells a thread that records are missing here. */
static void feed_lost(struct tee_perf_player *player, struct tee_perf_track *track, uint64_t time, uint64_t count)
{
	struct tee_perf_record lost = { (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | (time & TEE_PERF_TIME_MASK),
					count << 8 | TEE_PERF_META_LOST };
	tee_perf_track_feed(track, &lost, 1);
	player->told++;
}

/* Records are missing where the thread is: count of them, or 0: nobody knows how many. */
static void begin_hole(struct tee_perf_player *player, struct tee_perf_track *track, uint64_t count)
{
	struct tee_perf_player_track *state = &player->tracks[track->number];
	uint64_t from = track->started ? track->now_ns : 0;
	if (from < player->hole_from_ns)
		player->hole_from_ns = from;
	state->hole = true;
	player->missing += count;
	if (track->started)
		feed_lost(player, track, track->hot.w0, count);
	else
		state->missing += count;
}

#define CLOCK_SLACK_NS UINT64_C(10000000000)

/* A change of clock may be among the missing records: if the next time cannot be one of the clock before but can be one
 * of the other, it is. */
static enum tee_perf_clock guess_clock(const struct tee_perf_track *track, uint64_t time)
{
	struct tee_perf_model *model = track->model;
	if (model->tsc_count < 2)
		return track->clock;
	uint32_t cursor = 0;
	uint64_t from = track->now_ns, to = model->tsc[model->tsc_count - 1].ns + CLOCK_SLACK_NS;
	uint64_t ns = tee_perf_model_to_ns(model, TEE_PERF_CLOCK_TSC, time, &cursor);
	bool host = time >= from && time <= to, tsc = time >= model->tsc[0].ticks && ns >= from && ns <= to;
	return host == tsc ? track->clock : host ? TEE_PERF_CLOCK_HOST : TEE_PERF_CLOCK_TSC;
}

/* The first record behind missing ones. */
static void end_hole(struct tee_perf_player *player, struct tee_perf_track *track, uint64_t time)
{
	struct tee_perf_player_track *state = &player->tracks[track->number];
	enum tee_perf_clock clock = guess_clock(track, time);
	if (clock != track->clock) {
		struct tee_perf_record change = { (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | time,
						  (uint64_t)clock << 8 | TEE_PERF_META_CLOCK };
		tee_perf_track_feed(track, &change, 1);
		player->told++;
	}
	feed_lost(player, track, time, state->missing);
	state->missing = 0;
	state->hole = false;
	if (track->now_ns > player->hole_to_ns)
		player->hole_to_ns = track->now_ns;
}

/* At the file's end: threads whose last blocks may have been among what was passed over. */
static void close_holes(struct tee_perf_player *player)
{
	uint64_t doubts = tee_perf_reader_damage(player->reader)->may_hold_events;
	if (player->holes_closed)
		return;
	player->holes_closed = true;
	for (uint32_t i = 0; i < player->model->track_count; i++) {
		struct tee_perf_track *track = player->model->tracks[i];
		struct tee_perf_player_track *state = find_track(player, track->number);
		if (state != NULL && !state->hole && state->doubts != doubts && !state->ended)
			begin_hole(player, track, 0);
		if (state != NULL && state->hole)
			player->hole_to_ns = UINT64_MAX;
		if (state != NULL && state->missing != 0) /* nothing of the thread was left */
			feed_lost(player, track, 0, state->missing);
	}
}

/* The rest of the block is gone: the model gets to know how many records. */
static void break_block(struct tee_perf_player *player, const char *why)
{
	uint64_t missing = player->wanted - player->played;
	if (player->broken_blocks++ == 0)
		snprintf(player->first_broken, sizeof player->first_broken,
			 "the events of process %" PRIu32 ", thread %" PRIu32 " at byte %" PRIu64
			 " are damaged (%s): %" PRIu64 " of %" PRIu64 " records were read",
			 player->track->process, player->track->thread, player->offset, why, player->played,
			 player->wanted);
	player->tracks[player->track->number].broken = true;
	begin_hole(player, player->track, missing);
	player->track = NULL;
}

/* A whole block that cannot be decoded because one before it was not. */
static void pass_block(struct tee_perf_player *player, uint64_t missing_before)
{
	player->cut_off_blocks++;
	player->cut_off_records += player->wanted;
	begin_hole(player, player->track, missing_before + player->wanted);
	player->track = NULL;
}

/* Whether a block follows on the one before. *missing: how many records are known to be missing between them. */
static bool follows(struct tee_perf_player *player, struct tee_perf_player_track *state,
		    const struct tee_perf_events_info *info, uint64_t *missing)
{
	uint64_t doubts = tee_perf_reader_damage(player->reader)->may_hold_events;
	bool doubted = state->doubts != doubts && player->track->started && !state->ended;
	uint32_t position = state->position, expected = state->position;
	bool told = tee_perf_block_position(info->encoded, info->encoded + info->encoded_size, &position);
	*missing = 0;
	state->position = position + (uint32_t)info->record_count;
	state->doubts = doubts;
	if (info->reset != 0)
		return !doubted; /* nothing tells whether it is the next one */
	if (!told || position == expected)
		return true;
	if (position - expected < TEE_PERF_BLOCK_RECORDS_MAX) /* else one that resets is missing, too */
		*missing = position - expected;
	return false;
}

static int begin_block(struct tee_perf_player *player, const struct tee_perf_section *section,
		       struct tee_perf_error *err)
{
	struct tee_perf_events_info info;
	uint64_t missing;
	if (tee_perf_events_decode(section->payload, section->size, &info, err) != 0)
		return -1;
	player->event_blocks++;
	struct tee_perf_track *track = tee_perf_model_track(player->model, info.process, info.thread);
	struct tee_perf_player_track *state = track == NULL ? NULL : find_track(player, track->number);
	if (state == NULL)
		return out_of_memory(err);
	player->track = track;
	player->in = info.encoded;
	player->end = info.encoded + info.encoded_size;
	player->offset = section->offset;
	player->wanted = info.record_count;
	player->played = 0;
	bool too_many = info.record_count > TEE_PERF_BLOCK_RECORDS_MAX;
	if (too_many)
		player->wanted = info.record_count = 0; /* nobody believes it */
	bool whole = follows(player, state, &info, &missing);
	if (info.reset != 0) {
		tee_perf_decoder_reset(state->decoder);
		state->broken = false;
		if (!whole)
			begin_hole(player, track, 0);
	} else if (!whole) {
		state->broken = true;
	}
	if (state->broken)
		pass_block(player, missing);
	else if (too_many)
		break_block(player, "it claims more records than a block may hold");
	return 0;
}

static void play_batch(struct tee_perf_player *player)
{
	struct tee_perf_track *track = player->track;
	uint64_t left = player->wanted - player->played;
	size_t wanted = left < TEE_PERF_PLAYER_BATCH ? (size_t)left : TEE_PERF_PLAYER_BATCH;
	size_t count = wanted == 0 ? 0
				   : tee_perf_decode(player->tracks[track->number].decoder, &player->in, player->end,
						     player->records, wanted);
	if (count != 0) {
		struct tee_perf_player_track *state = &player->tracks[track->number];
		const struct tee_perf_record *last = &player->records[count - 1];
		player->played += count;
		if (state->hole)
			end_hole(player, track, player->records[0].w0 & TEE_PERF_TIME_MASK);
		tee_perf_track_feed(track, player->records, count);
		state->ended =
		    last->w0 >> TEE_PERF_KIND_SHIFT == TEE_PERF_META && (last->w1 & 0xff) == TEE_PERF_META_THREAD_END;
		if (track->now_ns > player->last_ns)
			player->last_ns = track->now_ns;
	} else if (left != 0) {
		break_block(player, player->in == player->end ? "it ends early" : "a code is malformed");
	} else if (player->in != player->end) {
		break_block(player, "it holds more than it claims");
	} else {
		player->track = NULL;
	}
}

static int play_pairs(struct tee_perf_player *player, const struct tee_perf_section *section,
		      int (*tell)(struct tee_perf_model *model, uint64_t a, uint64_t b, struct tee_perf_error *err),
		      struct tee_perf_error *err)
{
	struct tee_perf_time_pair *pairs;
	size_t count;
	if (tee_perf_pairs_decode(section->payload, section->size, &pairs, &count, err) != 0)
		return -1;
	int result = 0;
	for (size_t i = 0; i < count && result == 0; i++)
		result = tell(player->model, pairs[i].a, pairs[i].b, err);
	free(pairs);
	return result;
}

static int play_process(struct tee_perf_player *player, const struct tee_perf_section *section,
			struct tee_perf_error *err)
{
	struct tee_perf_process_info info;
	if (tee_perf_process_decode(section->payload, section->size, &info, err) != 0)
		return -1;
	return tee_perf_model_process(player->model, &info, err);
}

static int play_thread(struct tee_perf_player *player, const struct tee_perf_section *section,
		       struct tee_perf_error *err)
{
	struct tee_perf_thread_info info;
	if (tee_perf_thread_decode(section->payload, section->size, &info, err) != 0)
		return -1;
	return tee_perf_model_thread(player->model, &info, err);
}

static int play_module(struct tee_perf_player *player, const struct tee_perf_section *section,
		       struct tee_perf_error *err)
{
	struct tee_perf_module_info info;
	if (tee_perf_module_decode(section->payload, section->size, &info, err) != 0)
		return -1;
	return tee_perf_model_module(player->model, &info, err);
}

static int play_text(struct tee_perf_player *player, const struct tee_perf_section *section, struct tee_perf_error *err)
{
	struct tee_perf_text_info info;
	if (tee_perf_text_decode(section->payload, section->size, &info, err) != 0)
		return -1;
	return tee_perf_model_text(player->model, &info, err);
}

static int play_functions(struct tee_perf_player *player, const struct tee_perf_section *section,
			  struct tee_perf_error *err)
{
	struct tee_perf_functions_info info;
	if (tee_perf_functions_decode(section->payload, section->size, &info, err) != 0)
		return -1;
	return tee_perf_model_functions(player->model, &info, err);
}

static int play_gaps(struct tee_perf_player *player, const struct tee_perf_section *section, struct tee_perf_error *err)
{
	return play_pairs(player, section, tee_perf_model_gap, err);
}

static int play_tsc(struct tee_perf_player *player, const struct tee_perf_section *section, struct tee_perf_error *err)
{
	return play_pairs(player, section, tee_perf_model_tsc, err);
}

static int play_profile(struct tee_perf_player *player, const struct tee_perf_section *section,
			struct tee_perf_error *err)
{
	player->profile_sections++;
	if (player->skip_profile)
		return 0;
	return tee_perf_model_load(player->model, section->payload, section->size, err);
}

static int play_meta(struct tee_perf_player *player, const struct tee_perf_section *section, struct tee_perf_error *err)
{
	return player->meta == NULL ? 0 : player->meta(player, section, err);
}

int tee_perf_player_step(struct tee_perf_player *player, struct tee_perf_error *err)
{
	static int (*const play[])(struct tee_perf_player *, const struct tee_perf_section *,
				   struct tee_perf_error *) = {
		[TEE_PERF_SECTION_START] = play_meta,
		[TEE_PERF_SECTION_PROCESS] = play_process,
		[TEE_PERF_SECTION_MODULE] = play_module,
		[TEE_PERF_SECTION_THREAD] = play_thread,
		[TEE_PERF_SECTION_EVENTS] = begin_block,
		[TEE_PERF_SECTION_GAPS] = play_gaps,
		[TEE_PERF_SECTION_TSC] = play_tsc,
		[TEE_PERF_SECTION_PROFILE] = play_profile,
		[TEE_PERF_SECTION_END] = play_meta,
		[TEE_PERF_SECTION_TEXT] = play_text,
		[TEE_PERF_SECTION_FUNCTIONS] = play_functions,
	};
	if (player->track != NULL) {
		play_batch(player);
		return 1;
	}
	struct tee_perf_section section;
	int result = tee_perf_reader_next(player->reader, &section, err);
	if (result != 1) {
		close_holes(player);
		return result;
	}
	if (section.type >= sizeof play / sizeof *play || play[section.type] == NULL)
		return 1; /* a section of a later version says nothing to us */
	struct tee_perf_error trouble = { 0 };
	if (play[section.type](player, &section, &trouble) == 0)
		return 1;
	if (trouble.class != TEE_PERF_INPUT)
		return tee_perf_fail(err, trouble.class, "%s", trouble.message);
	if (player->broken_sections++ == 0)
		snprintf(player->first_broken_section, sizeof player->first_broken_section,
			 "the section at byte %" PRIu64 " is damaged: %s", section.offset, trouble.message);
	return 1; /* its frame was whole: the next one can be read */
}
