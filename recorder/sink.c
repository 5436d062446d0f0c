/* SPDX-License-Identifier: MIT */
#include "recorder/sink.h"

#include <stdlib.h>
#include <string.h>

/* A fresh decoder can start every so many records, should a block in between be damaged. */
#define RESET_EVERY (4u << 20)

struct tee_perf_stream *tee_perf_sink_stream(struct tee_perf_sink *sink, uint32_t process, uint32_t thread)
{
	struct tee_perf_stream *stream = calloc(1, sizeof *stream);

	if (stream == NULL)
		return NULL;
	stream->sink = sink;
	stream->process = process;
	stream->thread = thread;
	stream->fresh = true;
	if (sink->model != NULL && (stream->track = tee_perf_model_track(sink->model, process, thread)) == NULL) {
		free(stream);
		return NULL;
	}
	stream->next = sink->streams;
	sink->streams = stream;
	return stream;
}

static void close_block(struct tee_perf_stream *stream)
{
	struct tee_perf_block *block = stream->block;

	if (block == NULL)
		return;
	block->used = (size_t)(tee_perf_encode_flush(stream->encoder, block->bytes + block->used) - block->bytes);
	stream->block = NULL;
	stream->sink->before_block(stream->sink->drain);
	tee_perf_writer_push(stream->sink->writer, block);
}

/* With more threads than blocks the fullest block goes to the disk early. */
static void close_fullest(struct tee_perf_sink *sink)
{
	struct tee_perf_stream *fullest = NULL;

	for (struct tee_perf_stream *stream = sink->streams; stream != NULL; stream = stream->next)
		if (stream->block != NULL && (fullest == NULL || stream->block->used > fullest->block->used))
			fullest = stream;
	if (fullest != NULL)
		close_block(fullest);
}

/* What the disk did not take is lost at this place of the stream. */
static void tell_lost(struct tee_perf_stream *stream, uint64_t time)
{
	uint64_t lost = atomic_load(&stream->chain.lost_records) - stream->lost_told;
	struct tee_perf_record record = { (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | time,
					  lost << 8 | TEE_PERF_META_LOST };

	if (lost == 0)
		return;
	stream->lost_told += lost;
	stream->block->used =
	    (size_t)(tee_perf_encode(stream->encoder, &record, 1, stream->block->bytes) - stream->block->bytes);
	stream->block->info.record_count = 1;
}

/* Waits for a block, with the clock going on. The rings fill meanwhile, and the program waits: nothing is lost. */
static bool open_block(struct tee_perf_stream *stream, uint64_t time)
{
	struct tee_perf_sink *sink = stream->sink;

	if (stream->encoder == NULL && (stream->encoder = tee_perf_encoder_new()) == NULL)
		return false;
	while ((stream->block = tee_perf_writer_block(sink->writer)) == NULL) {
		if (tee_perf_writer_idle(sink->writer))
			close_fullest(sink);
		tee_perf_writer_pack(sink->writer);
		sink->while_waiting(sink->drain);
	}
	if (atomic_load(&stream->chain.broken))
		stream->fresh = true;
	stream->block->chain = &stream->chain;
	stream->block->info.process = stream->process;
	stream->block->info.thread = stream->thread;
	stream->block->info.reset = stream->fresh;
	if (stream->fresh)
		tee_perf_encoder_reset(stream->encoder);
	stream->fresh = false;
	tell_lost(stream, time);
	return true;
}

void tee_perf_sink_feed(struct tee_perf_stream *stream, const struct tee_perf_record *records, size_t count)
{
	if (stream->records / RESET_EVERY != (stream->records + count) / RESET_EVERY && stream->encoder != NULL) {
		close_block(stream);
		stream->fresh = true;
	}
	stream->records += count;
	stream->last_time = records[count - 1].w0 & TEE_PERF_TIME_MASK;
	if (stream->sink->observe != NULL) {
		stream->sink->observe(stream->sink->drain, records, count);
		return;
	}
	if (stream->track != NULL) {
		tee_perf_track_feed(stream->track, records, count);
		return;
	}
	size_t room = (count + 1) * TEE_PERF_ENCODED_MAX;
	if (stream->block != NULL && TEE_PERF_BLOCK_BYTES - stream->block->used < room)
		close_block(stream);
	if (stream->block == NULL && !open_block(stream, records[0].w0 & TEE_PERF_TIME_MASK)) {
		stream->sink->lost_records += count;
		return;
	}
	struct tee_perf_block *block = stream->block;
	uint8_t *end = tee_perf_encode(stream->encoder, records, count, block->bytes + block->used);
	block->used = (size_t)(end - block->bytes);
	block->info.record_count += count;
}

void tee_perf_sink_flush_idle(struct tee_perf_stream *stream)
{
	if (stream->records == stream->records_seen)
		close_block(stream);
	stream->records_seen = stream->records;
}

void tee_perf_sink_close(struct tee_perf_stream *stream)
{
	struct tee_perf_record end = { (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | stream->last_time,
				       (stream->with_process ? TEE_PERF_END_OF_PROCESS : 0) << 8 |
					   TEE_PERF_META_THREAD_END };

	if (stream->closed)
		return;
	stream->closed = true;
	tee_perf_sink_feed(stream, &end, 1);
	close_block(stream);
	tee_perf_encoder_free(stream->encoder);
	stream->encoder = NULL;
	stream->fresh = true;
}

void tee_perf_sink_turn_to_profile(struct tee_perf_sink *sink, struct tee_perf_model *model)
{
	for (struct tee_perf_stream *stream = sink->streams; stream != NULL; stream = stream->next) {
		close_block(stream);
		stream->track = tee_perf_model_track(model, stream->process, stream->thread);
	}
	sink->model = model;
}

void tee_perf_sink_free(struct tee_perf_sink *sink)
{
	while (sink->streams != NULL) {
		struct tee_perf_stream *stream = sink->streams;
		sink->streams = stream->next;
		tee_perf_encoder_free(stream->encoder);
		free(stream);
	}
}
