/* SPDX-License-Identifier: MIT */
#include "analyzer/model_internal.h"
#include "analyzer/profile.h"
#include "analyzer/varint.h"

/* Appends until memory runs out; then only remembers that it did. */
struct saver {
	struct tee_perf_bytes *out;
	int failed;
};

static void put(struct saver *saver, uint64_t value)
{
	saver->failed |= tee_perf_put(saver->out, value);
}

static void put_function(struct saver *saver, const struct tee_perf_function *function)
{
	put(saver, function->entry);
	put(saver, function->stale);
	put(saver, function->first_ns);
	put(saver, function->unwound_count);
	put(saver, function->unconfirmed_count);
	put(saver, function->open_count);
	put(saver, function->timed_count);
	if (function->timed_count == 0)
		return;
	put(saver, function->sum_ns);
	put(saver, function->min_ns);
	put(saver, function->max_ns);
	put(saver, function->durations.first);
	put(saver, function->durations.count);
	for (unsigned i = 0; i < function->durations.count; i++)
		put(saver, function->durations.counts[i]);
}

static void put_tree(struct saver *saver, const struct tee_perf_cct *cct)
{
	put(saver, cct->function_count - TEE_PERF_PSEUDO_COUNT);
	for (uint32_t i = TEE_PERF_PSEUDO_COUNT; i < cct->function_count; i++)
		put_function(saver, &cct->functions[i]);
	put(saver, cct->count);
	for (uint32_t i = 0; i < cct->count; i++) {
		if (i > 0) {
			put(saver, i - cct->parents[i]);
			put(saver, cct->nodes[i].function);
		}
		put(saver, cct->nodes[i].calls);
		put(saver, cct->nodes[i].self_ns);
	}
}

static void put_track(struct saver *saver, const struct tee_perf_track *track)
{
	put(saver, track->process);
	put(saver, track->thread);
	put(saver, track->clock);
	put(saver, track->first_ns);
	put(saver, track->now_ns);
	put(saver, track->guessed_stacks);
	const uint64_t *counters = (const uint64_t *)&track->counts;
	put(saver, sizeof track->counts / sizeof *counters);
	for (size_t i = 0; i < sizeof track->counts / sizeof *counters; i++)
		put(saver, counters[i]);
	put_tree(saver, &track->cct);
	put(saver, track->segment_count);
	for (uint32_t i = 0; i < track->segment_count; i++) {
		put(saver, track->segments[i].root);
		put(saver, track->segments[i].end_kind);
		put(saver, track->segments[i].end_w1);
		put(saver, track->segments[i].end_ns);
	}
	put(saver, track->root);
	put(saver, track->first_call_kind);
	put(saver, track->first_call_w1);
	put(saver, track->mark_count);
	for (uint32_t i = 0; i < track->mark_count; i++) {
		put(saver, track->marks[i].entry);
		put(saver, track->marks[i].time_ns);
	}
}

int tee_perf_model_serialize(const struct tee_perf_model *model, struct tee_perf_bytes *out, struct tee_perf_error *err)
{
	struct saver saver = { .out = out };
	uint32_t count = 0;
	for (uint32_t i = 0; i < model->track_count; i++)
		count += model->tracks[i]->started;
	put(&saver, TEE_PERF_PROFILE_VERSION);
	put(&saver, count);
	for (uint32_t i = 0; i < model->track_count; i++)
		if (model->tracks[i]->started)
			put_track(&saver, model->tracks[i]);
	if (saver.failed != 0)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the profile (%zu bytes so far)",
				     out->size);
	return 0;
}
