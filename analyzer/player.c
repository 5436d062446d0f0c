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
	*player = (struct tee_perf_player){ .model = model, .reader = tee_perf_reader_open(path, err) };
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
	struct tee_perf_record lost = { (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT |
					    (player->track->hot.w0 & TEE_PERF_TIME_MASK),
					missing << 8 | TEE_PERF_META_LOST };
	tee_perf_track_feed(player->track, &lost, 1);
	player->track = NULL;
}

static int begin_block(struct tee_perf_player *player, const struct tee_perf_section *section,
		       struct tee_perf_error *err)
{
	struct tee_perf_events_info info;
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
	if (info.reset != 0) {
		tee_perf_decoder_reset(state->decoder);
		state->broken = false;
	}
	if (info.record_count > TEE_PERF_BLOCK_RECORDS_MAX) {
		player->wanted = 0; /* nobody believes it */
		break_block(player, "it claims more records than a block may hold");
	} else if (state->broken) {
		break_block(player, "it continues a damaged block");
	}
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
		player->played += count;
		tee_perf_track_feed(track, player->records, count);
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
	if (result != 1)
		return result;
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
