/* SPDX-License-Identifier: MIT */
#include "tests/analyzer/feed_compare.h"
#include "analyzer/model_internal.h"

#include <stdlib.h>
#include <string.h>

#define MAP_BEGIN 0x55550000u
#define FUNCTIONS 12u
#define BASE      0x7ff00000u

/* Where CFAs begin: two announced stacks, between others that may lie within the first, and two places that nobody
 * announced. */
static const uint32_t bases[] = { BASE, BASE, BASE - 0x800, 0x10010000, 0x30000000, 0x00000200 };

/* The stream as it is made: a plausible one for most bytes, because it knows what is open. */
struct stream {
	struct tee_perf_record *records;
	size_t count;
	uint64_t time;
	bool tsc;
	uint64_t open[64];
	unsigned depth;
};

static void add(struct stream *stream, enum tee_perf_kind kind, uint64_t w1)
{
	stream->records[stream->count++] =
	    (struct tee_perf_record){ (uint64_t)kind << TEE_PERF_KIND_SHIFT | stream->time, w1 };
}

static void add_meta(struct stream *stream, uint64_t meta, uint64_t payload)
{
	add(stream, TEE_PERF_META, payload << 8 | meta);
}

static void add_call(struct stream *stream, const uint8_t *bytes)
{
	uint32_t cfa = stream->depth > 0 ? tee_perf_cfa(stream->open[stream->depth - 1]) - 16 * (bytes[2] & 15)
					 : bases[bytes[2] % 6];
	uint64_t w1 = (uint64_t)cfa << 32 | (MAP_BEGIN + 16 * (bytes[1] % FUNCTIONS));
	add(stream, (bytes[2] & 0x30) == 0x30 ? TEE_PERF_CALL_INLINED : TEE_PERF_CALL, w1);
	if (stream->depth < 64)
		stream->open[stream->depth++] = w1;
}

static void add_return(struct stream *stream, const uint8_t *bytes, enum tee_perf_kind kind)
{
	unsigned up = bytes[1] < 200 ? 1 : bytes[1] & 7;
	while (up-- > 1 && stream->depth > 1)
		stream->depth--;
	if (stream->depth == 0)
		add(stream, kind, (uint64_t)bases[bytes[2] % 6] << 32 | (MAP_BEGIN + 16 * (bytes[1] % FUNCTIONS)));
	else
		add(stream, kind, stream->open[kind == TEE_PERF_RETURN ? --stream->depth : stream->depth - 1]);
}

/* Some lie within others, where a few calls get to. */
static void add_stack(struct stream *stream, const uint8_t *bytes)
{
	static const uint32_t ranges[][2] = {
		{ 0x7fe00000, 0x7ff00000 },     { 0x10000000, 0x10010000 },     { BASE - 0x600, BASE - 0x200 },
		{ BASE - 0x500, BASE - 0x480 }, { BASE - 0xe00, BASE - 0xc00 }, { BASE - 0x1000, BASE - 0x800 },
		{ 0x7fe00000, 0x7fe00800 },     { BASE - 0x600, BASE - 0x600 },
	};
	const uint32_t *range = ranges[bytes[2] & 7];
	add_meta(stream, TEE_PERF_META_STACK_LO, range[0]);
	add_meta(stream, bytes[2] & 8 ? TEE_PERF_META_SIGNAL_STACK_HI : TEE_PERF_META_STACK_HI, range[1]);
}

/* What happens seldom: by the second byte. */
static void add_rare(struct stream *stream, const uint8_t *bytes)
{
	uint64_t wild = (uint64_t)bytes[1] << 56 | (uint64_t)bytes[2] << 32 | (uint64_t)bytes[3] << 4 | bytes[1];
	switch (bytes[1] % 16) {
	case 0:
		stream->tsc = !stream->tsc;
		add_meta(stream, TEE_PERF_META_CLOCK, stream->tsc);
		break;
	case 1:
		add_meta(stream, TEE_PERF_META_LOST, bytes[2]);
		break;
	case 2:
		add_meta(stream, TEE_PERF_META_OFF, 0);
		break;
	case 3:
	case 4:
		add_meta(stream, TEE_PERF_META_ON, 0);
		break;
	case 5:
		add(stream, TEE_PERF_GAP, bytes[2] * 4u);
		break;
	case 6:
		add_stack(stream, bytes);
		break;
	case 7:
		stream->depth = bytes[2] % 4 < stream->depth ? bytes[2] % 4 : 0; /* another place */
		break;
	case 8:
		add_return(stream, bytes, TEE_PERF_RESYNC);
		break;
	case 9:
		add(stream, bytes[2] & 7, wild);
		break;
	case 10:
		stream->time -= stream->time > bytes[2] ? bytes[2] : 0;
		break;
	case 11:
		stream->time += (uint64_t)bytes[2] << 8;
		break;
	case 12:
		add_meta(stream, bytes[2], wild >> 8);
		break;
	default:
		add_meta(stream, TEE_PERF_META_MARK, bytes[2]);
	}
}

static void make_stream(struct stream *stream, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i + 4 <= size; i += 4) {
		const uint8_t *four = bytes + i;
		stream->time += four[3] < 160 ? 0 : four[3] & 31;
		if (four[0] < 120)
			add_call(stream, four);
		else if (four[0] < 240)
			add_return(stream, four, TEE_PERF_RETURN);
		else
			add_rare(stream, four);
	}
}

static struct tee_perf_model *new_model(struct tee_perf_observer *observer)
{
	struct tee_perf_model *model = tee_perf_model_new();
	if (model == NULL)
		abort();
	model->observer = observer;
	for (uint64_t i = 0; i < 8; i++)
		tee_perf_model_gap(model, 300 + i * 500, 380 + i * 500 + (i & 1) * 420, NULL);
	tee_perf_model_tsc(model, 100, 50, NULL);
	tee_perf_model_tsc(model, 1100, 550, NULL);
	tee_perf_model_tsc(model, 2000, 1500, NULL);
	return model;
}

static void ignore(struct tee_perf_observer *observer, const struct tee_perf_track *track,
		   const struct tee_perf_frame *frame, const struct tee_perf_frame_extra *extra, uint64_t duration_ns,
		   enum tee_perf_ended how)
{
	(void)observer;
	(void)track;
	(void)frame;
	(void)extra;
	(void)duration_ns;
	(void)how;
}

/* The finished model as bytes. piece: records per feed. */
static struct tee_perf_bytes play(const struct stream *stream, size_t piece, struct tee_perf_observer *observer,
				  bool *adds_up)
{
	struct tee_perf_bytes bytes = { 0 };
	struct tee_perf_model *model = new_model(observer);
	struct tee_perf_track *track = tee_perf_model_track(model, 0, 0);
	if (track == NULL)
		abort();
	for (size_t i = 0; i < stream->count; i += piece)
		tee_perf_track_feed(track, stream->records + i, stream->count - i < piece ? stream->count - i : piece);
	tee_perf_model_finish(model, stream->time + 100, NULL);
	uint64_t time = track->counts.waited_ns + track->counts.off_ns;
	for (uint32_t i = 0; i < track->cct.count; i++)
		time += track->cct.nodes[i].self_ns;
	*adds_up = time == track->now_ns - track->first_ns;
	if (tee_perf_model_serialize(model, &bytes, NULL) != 0)
		abort();
	tee_perf_model_free(model);
	return bytes;
}

bool feed_compare(const uint8_t *bytes, size_t size)
{
	struct tee_perf_observer observer = { .ended = ignore, .next_id = 1 };
	struct stream stream = { .records = calloc(size / 2 + 1, sizeof *stream.records), .time = 100 };
	if (stream.records == NULL)
		abort();
	make_stream(&stream, bytes, size);
	bool adds_up[3];
	struct tee_perf_bytes at_once = play(&stream, SIZE_MAX / 2, NULL, &adds_up[0]);
	struct tee_perf_bytes in_pieces = play(&stream, 1 + size % 7, NULL, &adds_up[1]);
	struct tee_perf_bytes observed = play(&stream, SIZE_MAX / 2, &observer, &adds_up[2]);
	bool same = at_once.size == in_pieces.size && at_once.size == observed.size &&
		    memcmp(at_once.data, in_pieces.data, at_once.size) == 0 &&
		    memcmp(at_once.data, observed.data, at_once.size) == 0;
	free(at_once.data);
	free(in_pieces.data);
	free(observed.data);
	free(stream.records);
	return same && adds_up[0] && adds_up[1] && adds_up[2];
}
