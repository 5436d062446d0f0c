/* SPDX-License-Identifier: MIT */
/* Behind what is damaged: where the next section of a data file begins. */
#include "format/data_reader_internal.h"
#include "format/wire.h"

static void seek(struct tee_perf_reader *reader, uint64_t offset)
{
	reader->read_offset = offset;
	reader->block_at = reader->block_size = 0;
}

static bool starts_section(const uint8_t *bytes)
{
	struct tee_perf_frame frame;
	return tee_perf_section_known(tee_perf_get16(bytes)) && bytes[3] == 0 && bytes[2] <= TEE_PERF_STORED_ZSTD &&
	       tee_perf_frame_get(bytes, &frame) && tee_perf_frame_within_limit(&frame) &&
	       tee_perf_frame_sizes_agree(&frame);
}

int tee_perf_reader_search(struct tee_perf_reader *reader, uint64_t *place, struct tee_perf_error *err)
{
	if (tee_perf_reader_reserve(reader, &reader->raw, TEE_PERF_READER_BLOCK, err) != 0)
		return -1;
	for (;;) {
		seek(reader, *place);
		ssize_t size = tee_perf_reader_read(reader, reader->raw.data, TEE_PERF_READER_BLOCK, err);
		if (size < 0)
			return -1;
		ssize_t at = 0;
		for (; at + (ssize_t)TEE_PERF_FRAME_SIZE <= size; at++, ++*place)
			if (starts_section(reader->raw.data + at))
				return 0;
		if (size < (ssize_t)TEE_PERF_READER_BLOCK) {
			*place += (uint64_t)(size - at);
			return 0;
		}
	}
}

bool tee_perf_reader_may_search(struct tee_perf_reader *reader, uint64_t bytes)
{
	if (reader->search_bytes < bytes)
		return false;
	reader->search_bytes -= bytes;
	return true;
}

/* 1: a section starts here, or the file ends here; 0; -1. */
static int goes_on_at(struct tee_perf_reader *reader, uint64_t place, struct tee_perf_error *err)
{
	uint8_t bytes[TEE_PERF_FRAME_SIZE];
	struct tee_perf_frame frame;
	seek(reader, place);
	ssize_t size = tee_perf_reader_read(reader, bytes, sizeof bytes, err);
	if (size < 0)
		return -1;
	return size == 0 || (size == (ssize_t)sizeof bytes && tee_perf_frame_get(bytes, &frame));
}

/* Where the reading goes on behind the damaged section at the reader's offset. Its length counts if a section follows
 * it; if none does, bytes are missing from the file or were added to it. 0 or -1. */
static int find_next(struct tee_perf_reader *reader, const struct tee_perf_frame *frame, uint64_t *next,
		     struct tee_perf_error *err)
{
	*next = reader->offset + 1;
	if (frame == NULL)
		return tee_perf_reader_search(reader, next, err);
	if (reader->resume > reader->offset) {
		*next = reader->resume;
		return 0;
	}
	uint64_t behind = reader->offset + TEE_PERF_FRAME_SIZE + frame->stored_size;
	int goes_on = goes_on_at(reader, behind, err);
	if (goes_on < 0)
		return -1;
	if (goes_on || !tee_perf_reader_may_search(reader, frame->stored_size)) {
		*next = behind;
		return 0;
	}
	*next = reader->offset + TEE_PERF_FRAME_SIZE;
	return tee_perf_reader_search(reader, next, err);
}

int tee_perf_reader_pass_over(struct tee_perf_reader *reader, const struct tee_perf_frame *frame,
			      struct tee_perf_error *err)
{
	struct tee_perf_damage *damage = &reader->damage;
	uint64_t next;
	if (find_next(reader, frame, &next, err) != 0)
		return -1;
	if (damage->places == 0) {
		damage->first_offset = reader->offset;
		damage->first_name = frame == NULL ? NULL : tee_perf_section_name(frame->type);
	}
	if (damage->places == 0 || damage->end != reader->offset)
		damage->places++;
	damage->end = next;
	damage->bytes += next - reader->offset;
	damage->may_hold_events += frame == NULL || frame->type == TEE_PERF_SECTION_EVENTS;
	reader->offset = next;
	seek(reader, next);
	return 0;
}
