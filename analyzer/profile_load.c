/* SPDX-License-Identifier: MIT */
/* Hostile bytes: every number is checked before it is used as one. */
#include "analyzer/model_internal.h"
#include "analyzer/profile.h"
#include "analyzer/varint.h"

#include <stdlib.h>

static void take_durations(struct tee_perf_cursor *in, struct tee_perf_function *function)
{
	function->sum_ns = tee_perf_take(in);
	function->min_ns = tee_perf_take(in);
	function->max_ns = tee_perf_take(in);
	uint32_t first = tee_perf_take_below(in, TEE_PERF_HISTOGRAM_BUCKETS);
	uint32_t count = tee_perf_take_below(in, TEE_PERF_HISTOGRAM_BUCKETS + 1);
	if (first + count > TEE_PERF_HISTOGRAM_BUCKETS)
		in->bad = true;
	for (uint32_t i = 0; i < count && !in->bad; i++) {
		uint32_t times = tee_perf_take_below(in, UINT64_C(1) << 32);
		if (times != 0)
			tee_perf_histogram_add(&function->durations, first + i, times);
	}
}

/* -1: out of memory. */
static int take_function(struct tee_perf_cursor *in, struct tee_perf_cct *cct)
{
	uint32_t entry = tee_perf_take_below(in, UINT64_C(1) << 32);
	bool stale = tee_perf_take_below(in, 2) != 0;
	uint64_t first_ns = tee_perf_take(in);
	uint32_t before = cct->function_count;
	if (entry != 0 && entry < 16)
		in->bad = true;
	if (in->bad)
		return 0;
	uint32_t number =
	    stale ? tee_perf_cct_stale_function(cct, entry, first_ns) : tee_perf_cct_function(cct, entry, first_ns);
	if (number == TEE_PERF_PSEUDO_MEMORY)
		return -1;
	if (number != before) { /* twice the same */
		in->bad = true;
		return 0;
	}
	struct tee_perf_function *function = &cct->functions[number];
	function->unwound_count = tee_perf_take(in);
	function->unconfirmed_count = tee_perf_take(in);
	function->open_count = tee_perf_take(in);
	function->timed_count = tee_perf_take(in);
	if (function->timed_count != 0)
		take_durations(in, function);
	return 0;
}

/* Number of a node that holds what the file's node says; 0: bad. -1 in *memory: out of memory. */
static void take_node(struct tee_perf_cursor *in, struct tee_perf_cct *cct, uint32_t number, int *memory)
{
	uint32_t up = tee_perf_take_below(in, (uint64_t)number + 1);
	uint32_t function = tee_perf_take_below(in, cct->function_count);
	if (up == 0)
		in->bad = true;
	if (in->bad)
		return;
	if (number == cct->overflow) { /* made with the tree */
		in->bad |= function != TEE_PERF_PSEUDO_MEMORY || up != number;
		return;
	}
	if (function == TEE_PERF_PSEUDO_MEMORY) {
		in->bad = true;
		return;
	}
	if (tee_perf_cct_append(cct, number - up, function) != number)
		*memory = -1;
}

static int take_tree(struct tee_perf_cursor *in, struct tee_perf_cct *cct)
{
	uint32_t functions = tee_perf_take_count(in);
	for (uint32_t i = 0; i < functions && !in->bad; i++)
		if (take_function(in, cct) != 0)
			return -1;
	uint32_t nodes = tee_perf_take_count(in);
	int memory = 0;
	for (uint32_t i = 0; i < nodes && !in->bad; i++) {
		if (i > 0)
			take_node(in, cct, i, &memory);
		if (memory != 0)
			return -1;
		if (in->bad)
			break;
		cct->nodes[i].calls = tee_perf_take(in);
		cct->nodes[i].self_ns = tee_perf_take(in);
	}
	if (nodes < cct->count)
		in->bad = true;
	return 0;
}

static int take_segments(struct tee_perf_cursor *in, struct tee_perf_track *track)
{
	uint32_t count = tee_perf_take_count(in), last = 0;
	if (count > TEE_PERF_SEGMENTS_MAX)
		in->bad = true;
	for (uint32_t i = 0; i < count && !in->bad; i++) {
		if (tee_perf_grow(&track->segments, track->segment_count, &track->segment_capacity,
				  sizeof *track->segments) != 0)
			return -1;
		struct tee_perf_segment *segment = &track->segments[track->segment_count++];
		segment->root = tee_perf_take_below(in, track->cct.count);
		segment->end_kind = tee_perf_take_below(in, TEE_PERF_RESYNC + 1);
		segment->end_w1 = tee_perf_take(in);
		segment->end_ns = tee_perf_take(in);
		bool root_is_one = i == 0 ? segment->root == 0 : segment->root > last;
		if (!root_is_one || segment->end_kind == 0 || segment->end_ns > TEE_PERF_TIME_MASK)
			in->bad = true;
		last = segment->root;
	}
	track->root = tee_perf_take_below(in, track->cct.count);
	if (count == 0 ? track->root != 0 : track->root <= last)
		in->bad = true;
	track->first_call_kind = tee_perf_take_below(in, TEE_PERF_CALL_INLINED + 1);
	track->first_call_w1 = tee_perf_take(in);
	return 0;
}

static int take_marks(struct tee_perf_cursor *in, struct tee_perf_track *track)
{
	uint32_t count = tee_perf_take_count(in);
	if (count > TEE_PERF_MARKS_MAX)
		in->bad = true;
	for (uint32_t i = 0; i < count && !in->bad; i++) {
		if (tee_perf_grow(&track->marks, track->mark_count, &track->mark_capacity, sizeof *track->marks) != 0)
			return -1;
		uint32_t entry = tee_perf_take_below(in, UINT64_C(1) << 32);
		track->marks[track->mark_count++] = (struct tee_perf_mark){ entry, tee_perf_take(in) };
	}
	return 0;
}

static uint64_t take_time(struct tee_perf_cursor *in)
{
	uint64_t ns = tee_perf_take(in);
	if (ns > TEE_PERF_TIME_MASK)
		in->bad = true;
	return in->bad ? 0 : ns;
}

static int take_track(struct tee_perf_cursor *in, struct tee_perf_track *track)
{
	track->clock = tee_perf_take_below(in, 2);
	track->first_ns = take_time(in);
	track->now_ns = take_time(in);
	if (track->now_ns < track->first_ns)
		in->bad = true;
	track->guessed_stacks = tee_perf_take_below(in, UINT64_C(1) << 32);
	uint64_t *counters = (uint64_t *)&track->counts;
	uint32_t count = tee_perf_take_count(in);
	for (uint32_t i = 0; i < count && !in->bad; i++) {
		uint64_t value = tee_perf_take(in);
		if (i < sizeof track->counts / sizeof *counters)
			counters[i] = value;
	}
	if (take_tree(in, &track->cct) != 0 || take_segments(in, track) != 0 || take_marks(in, track) != 0)
		return -1;
	return 0;
}

/* Gives the model what was read. */
static int add_track(struct tee_perf_model *model, struct tee_perf_track *loaded)
{
	struct tee_perf_track *track = tee_perf_model_track(model, loaded->process, loaded->thread);
	if (track == NULL)
		return -1;
	if (track->started)
		return tee_perf_track_merge(track, loaded);
	tee_perf_track_take_over(track, loaded);
	return 0;
}

static int load_track(struct tee_perf_model *model, struct tee_perf_cursor *in)
{
	uint32_t process = tee_perf_take_below(in, UINT64_C(1) << 32);
	uint32_t thread = tee_perf_take_below(in, UINT64_C(1) << 32);
	struct tee_perf_track loaded;
	if (in->bad)
		return 0;
	if (tee_perf_track_init(&loaded, model, process, thread) != 0)
		return -1;
	tee_perf_cct_count_in(&loaded.cct, &model->loaded_node_count);
	int result = take_track(in, &loaded);
	if (result == 0 && !in->bad)
		result = add_track(model, &loaded);
	tee_perf_track_clear(&loaded);
	return result;
}

int tee_perf_model_load(struct tee_perf_model *model, const void *payload, size_t size, struct tee_perf_error *err)
{
	struct tee_perf_cursor in = { payload, (const uint8_t *)payload + size, false };
	uint64_t version = tee_perf_take(&in);
	if (!in.bad && version != TEE_PERF_PROFILE_VERSION)
		return tee_perf_fail(err, TEE_PERF_INPUT, "the profile has version %llu, this tee-perf reads %u",
				     (unsigned long long)version, TEE_PERF_PROFILE_VERSION);
	uint32_t count = tee_perf_take_count(&in);
	for (uint32_t i = 0; i < count && !in.bad; i++)
		if (load_track(model, &in) != 0)
			return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the profile");
	if (in.bad || in.at != in.end)
		return tee_perf_fail(err, TEE_PERF_INPUT, "the profile is malformed at byte %zu of %zu",
				     size - (size_t)(in.end - in.at), size);
	return 0;
}
