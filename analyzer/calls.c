/* SPDX-License-Identifier: MIT */
#include "analyzer/calls.h"
#include "analyzer/player.h"

#include <stdlib.h>
#include <string.h>

#define STACK_NAMES_MAX 200u /* innermost frames that a stack's text names */

const char *const tee_perf_call_end_names[] = { "returned", "unwound", "lost", "open" };

const struct tee_perf_calls_filter tee_perf_calls_all = { .process = UINT32_MAX,
							  .thread = UINT32_MAX,
							  .function = UINT32_MAX,
							  .start_max_ns = UINT64_MAX,
							  .duration_max_ns = UINT64_MAX };

/* Symbols of the functions of one track, as far as they were asked for: + 1. */
struct symbol_cache {
	uint32_t *of;
	uint32_t capacity;
};

struct tee_perf_calls {
	struct tee_perf_observer observer; /* first: the callback gets it */
	const struct tee_perf_recording *recording;
	struct tee_perf_calls_filter filter;
	struct tee_perf_model *model;
	struct tee_perf_player player;
	struct tee_perf_call *queue;
	uint32_t queue_at, queue_count, queue_capacity;
	struct symbol_cache *caches;
	uint32_t cache_count;
	bool failed; /* out of memory */
	bool finished;
};

static uint32_t symbol_of(struct tee_perf_calls *calls, const struct tee_perf_track *track, uint32_t function)
{
	if (tee_perf_is_pseudo(function))
		return function;
	if (track->number >= calls->cache_count) {
		uint32_t count = track->number + 16;
		struct symbol_cache *caches = realloc(calls->caches, count * sizeof *caches);
		if (caches == NULL)
			return TEE_PERF_PSEUDO_MEMORY;
		memset(caches + calls->cache_count, 0, (count - calls->cache_count) * sizeof *caches);
		calls->caches = caches;
		calls->cache_count = count;
	}
	struct symbol_cache *cache = &calls->caches[track->number];
	if (function >= cache->capacity) {
		uint32_t capacity = track->cct.function_capacity;
		uint32_t *of = realloc(cache->of, capacity * sizeof *of);
		if (of == NULL)
			return TEE_PERF_PSEUDO_MEMORY;
		memset(of + cache->capacity, 0, (capacity - cache->capacity) * sizeof *of);
		cache->of = of;
		cache->capacity = capacity;
	}
	if (cache->of[function] == 0) {
		const struct tee_perf_function *info = &track->cct.functions[function];
		uint32_t symbol =
		    tee_perf_symbols_resolve(calls->recording->symbols, track->process, info->entry, info->first_ns);
		if (symbol == UINT32_MAX)
			return TEE_PERF_PSEUDO_MEMORY;
		cache->of[function] = symbol + 1;
	}
	return cache->of[function] - 1;
}

static const char *frame_name(struct tee_perf_calls *calls, const struct tee_perf_track *track,
			      const struct tee_perf_frame *frame)
{
	uint32_t function = track->cct.nodes[frame->node].function;
	return tee_perf_symbols_at(calls->recording->symbols, symbol_of(calls, track, function))->name;
}

/* The names of the frames up to this one. NULL: out of memory. */
static char *stack_text(struct tee_perf_calls *calls, const struct tee_perf_track *track,
			const struct tee_perf_frame *frame)
{
	const struct tee_perf_frame *first = frame;
	unsigned count = 1;
	while (!tee_perf_frame_is_bottom(first - 1) && count < STACK_NAMES_MAX) {
		first--;
		count++;
	}
	size_t size = 8;
	for (const struct tee_perf_frame *at = first; at <= frame; at++)
		size += strlen(frame_name(calls, track, at)) + 1;
	char *text = malloc(size), *end = text;
	if (text == NULL)
		return NULL;
	if (!tee_perf_frame_is_bottom(first - 1))
		end = stpcpy(end, "...;");
	for (const struct tee_perf_frame *at = first; at <= frame; at++) {
		end = stpcpy(end, frame_name(calls, track, at));
		if (at != frame)
			*end++ = ';';
	}
	*end = 0;
	return text;
}

static bool wanted(const struct tee_perf_calls_filter *filter, const struct tee_perf_call *call)
{
	return call->start_ns >= filter->start_min_ns && call->start_ns <= filter->start_max_ns &&
	       call->duration_ns >= filter->duration_min_ns && call->duration_ns <= filter->duration_max_ns &&
	       (filter->process == UINT32_MAX || filter->process == call->process) &&
	       (filter->thread == UINT32_MAX || filter->thread == call->thread) &&
	       (filter->function == UINT32_MAX || filter->function == call->function);
}

static void call_ended(struct tee_perf_observer *observer, const struct tee_perf_track *track,
		       const struct tee_perf_frame *frame, const struct tee_perf_frame_extra *extra,
		       uint64_t duration_ns, enum tee_perf_ended how)
{
	static const enum tee_perf_call_end ends[] = { [TEE_PERF_RETURNED] = TEE_PERF_CALL_RETURNED,
						       [TEE_PERF_UNWOUND] = TEE_PERF_CALL_UNWOUND,
						       [TEE_PERF_LOST_IN_GAP] = TEE_PERF_CALL_LOST,
						       [TEE_PERF_OPEN] = TEE_PERF_CALL_OPEN };
	struct tee_perf_calls *calls = (struct tee_perf_calls *)observer;
	struct tee_perf_call call = { .id = extra->id,
				      .parent = extra->parent,
				      .process = track->process,
				      .thread = track->thread,
				      .depth = extra->depth,
				      .start_ns = extra->start_ns,
				      .duration_ns = duration_ns,
				      .self_ns = extra->self_ns,
				      .end = ends[how],
				      .unconfirmed = (frame->start & TEE_PERF_FRAME_UNCONFIRMED) != 0 };
	call.function = symbol_of(calls, track, track->cct.nodes[frame->node].function);
	if (!wanted(&calls->filter, &call))
		return;
	if (tee_perf_grow(&calls->queue, calls->queue_count, &calls->queue_capacity, sizeof *calls->queue) != 0) {
		calls->failed = true;
		return;
	}
	if (calls->filter.want_stack && (call.stack = stack_text(calls, track, frame)) == NULL)
		calls->failed = true;
	calls->queue[calls->queue_count++] = call;
}

static void free_queue(struct tee_perf_calls *calls)
{
	for (uint32_t i = 0; i < calls->queue_count; i++)
		free(calls->queue[i].stack);
	calls->queue_at = calls->queue_count = 0;
}

struct tee_perf_calls *tee_perf_calls_open(const struct tee_perf_recording *recording,
					   const struct tee_perf_calls_filter *filter, struct tee_perf_error *err)
{
	if (!recording->has_calls && recording->has_profile) {
		tee_perf_fail(err, TEE_PERF_INPUT,
			      "%s holds a profile without single calls: record with --keep calls to list them",
			      recording->path);
		return NULL;
	}
	struct tee_perf_calls *calls = calloc(1, sizeof *calls);
	if (calls == NULL || (calls->model = tee_perf_model_new()) == NULL) {
		free(calls);
		tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the single calls");
		return NULL;
	}
	if (tee_perf_player_open(&calls->player, recording->path, calls->model, err) != 0) {
		tee_perf_model_free(calls->model);
		free(calls);
		return NULL;
	}
	calls->observer = (struct tee_perf_observer){ .ended = call_ended, .next_id = 1 };
	calls->recording = recording;
	calls->filter = *filter;
	calls->model->observer = &calls->observer;
	calls->player.skip_profile = true;
	for (uint32_t i = 0; i < recording->model->tsc_count; i++) /* all of them, as the recording was read with */
		tee_perf_model_tsc(calls->model, recording->model->tsc[i].ticks, recording->model->tsc[i].ns, NULL);
	return calls;
}

/* Plays on until something is in the queue. 1, 0 at the end, -1. What ended the reading of the recording (cut,
 * damaged) ends it here as well, and was told then. */
static int refill(struct tee_perf_calls *calls, struct tee_perf_error *err)
{
	free_queue(calls);
	while (calls->queue_count == 0 && !calls->finished) {
		struct tee_perf_error trouble = { 0 };
		int result = tee_perf_player_step(&calls->player, &trouble);
		if (result < 0 && trouble.class != TEE_PERF_INPUT)
			return tee_perf_fail(err, trouble.class, "%s", trouble.message);
		if (result != 1) {
			calls->finished = true;
			/* What a profile goes on with does not end here, but that is all we know. */
			tee_perf_model_finish(
			    calls->model, calls->recording->has_profile ? 0 : calls->recording->model->end_ns, NULL);
		}
		if (calls->failed)
			return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the single calls");
	}
	return calls->queue_count != 0;
}

int tee_perf_calls_next(struct tee_perf_calls *calls, struct tee_perf_call *call, struct tee_perf_error *err)
{
	if (calls->queue_at == calls->queue_count) {
		int result = refill(calls, err);
		if (result != 1)
			return result;
	}
	*call = calls->queue[calls->queue_at++];
	return 1;
}

void tee_perf_calls_close(struct tee_perf_calls *calls)
{
	if (calls == NULL)
		return;
	free_queue(calls);
	free(calls->queue);
	for (uint32_t i = 0; i < calls->cache_count; i++)
		free(calls->caches[i].of);
	free(calls->caches);
	tee_perf_player_close(&calls->player);
	tee_perf_model_free(calls->model);
	free(calls);
}
