/* SPDX-License-Identifier: MIT */
/* Writes the decoded records of a data file's first thread, at most COUNT of them, to a file: what codec_bench and
 * model_bench measure. usage: raw_records FILE OUT COUNT */
#include "format/codec.h"
#include "format/data_file.h"
#include "format/sections.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 4096 };

/* Returns the records left to write, or -1 when the block is malformed or the file cannot be written. */
static long long write_block(struct tee_perf_decoder *decoder, const struct tee_perf_events_info *events, FILE *out,
			     long long left)
{
	static struct tee_perf_record records[CHUNK];
	const uint8_t *in = events->encoded, *end = in + events->encoded_size;
	size_t count;

	if (events->reset)
		tee_perf_decoder_reset(decoder);
	while (left > 0 && (count = tee_perf_decode(decoder, &in, end, records, CHUNK)) > 0) {
		if ((long long)count > left)
			count = (size_t)left;
		if (fwrite(records, sizeof *records, count, out) != count)
			return -1;
		left -= (long long)count;
	}
	return left > 0 && in != end ? -1 : left;
}

int main(int argc, char **argv)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_section section;
	struct tee_perf_events_info events;

	if (argc != 4) {
		fprintf(stderr, "usage: raw_records FILE OUT COUNT\n");
		return 2;
	}
	long long left = atoll(argv[3]);
	struct tee_perf_reader *reader = tee_perf_reader_open(argv[1], &err);
	struct tee_perf_decoder *decoder = tee_perf_decoder_new();
	FILE *out = fopen(argv[2], "wb");
	while (reader && decoder && out && left > 0 && tee_perf_reader_next(reader, &section, &err) > 0) {
		if (section.type != TEE_PERF_SECTION_EVENTS)
			continue;
		if (tee_perf_events_decode(section.payload, section.size, &events, &err))
			break;
		if (events.process == 0 && events.thread == 0)
			left = write_block(decoder, &events, out, left);
	}
	if (!out || fclose(out) || left < 0 || err.class != TEE_PERF_OK) {
		fprintf(stderr, "raw_records: %s\n",
			err.class != TEE_PERF_OK ? err.message : "cannot convert the file");
		return 1;
	}
	tee_perf_decoder_free(decoder);
	tee_perf_reader_close(reader);
	return 0;
}
