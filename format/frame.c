/* SPDX-License-Identifier: MIT */
#include "format/frame.h"
#include "format/wire.h"

#include <zlib.h>

void tee_perf_frame_put(uint8_t bytes[TEE_PERF_FRAME_SIZE], const struct tee_perf_frame *frame)
{
	tee_perf_put16(bytes, frame->type);
	tee_perf_put16(bytes + 2, frame->stored_as);
	tee_perf_put32(bytes + 4, frame->stored_size);
	tee_perf_put32(bytes + 8, frame->raw_size);
	tee_perf_put32(bytes + 12, frame->payload_crc);
	tee_perf_put32(bytes + 16, (uint32_t)crc32(0, bytes, 16));
}

bool tee_perf_frame_get(const uint8_t bytes[TEE_PERF_FRAME_SIZE], struct tee_perf_frame *frame)
{
	frame->type = tee_perf_get16(bytes);
	frame->stored_as = tee_perf_get16(bytes + 2);
	frame->stored_size = tee_perf_get32(bytes + 4);
	frame->raw_size = tee_perf_get32(bytes + 8);
	frame->payload_crc = tee_perf_get32(bytes + 12);
	return tee_perf_get32(bytes + 16) == (uint32_t)crc32(0, bytes, 16);
}

uint64_t tee_perf_section_limit(uint16_t type)
{
	return type == TEE_PERF_SECTION_PROFILE ? TEE_PERF_PROFILE_LIMIT : TEE_PERF_SECTION_LIMIT;
}

bool tee_perf_frame_sizes_agree(const struct tee_perf_frame *frame)
{
	return frame->stored_as == TEE_PERF_STORED_RAW ? frame->stored_size == frame->raw_size
						       : frame->stored_as == TEE_PERF_STORED_ZSTD;
}

bool tee_perf_frame_within_limit(const struct tee_perf_frame *frame)
{
	uint64_t limit = tee_perf_section_limit(frame->type);
	return frame->stored_size <= limit && frame->raw_size <= limit;
}

static const char *const names[] = {
	[TEE_PERF_SECTION_START] = "START",
	[TEE_PERF_SECTION_PROCESS] = "PROCESS",
	[TEE_PERF_SECTION_MODULE] = "MODULE",
	[TEE_PERF_SECTION_THREAD] = "THREAD",
	[TEE_PERF_SECTION_EVENTS] = "EVENTS",
	[TEE_PERF_SECTION_GAPS] = "GAPS",
	[TEE_PERF_SECTION_TSC] = "TSC",
	[TEE_PERF_SECTION_PROFILE] = "PROFILE",
	[TEE_PERF_SECTION_END] = "END",
	[TEE_PERF_SECTION_TEXT] = "TEXT",
	[TEE_PERF_SECTION_FUNCTIONS] = "FUNCTIONS",
};

bool tee_perf_section_known(uint16_t type)
{
	return type < sizeof names / sizeof *names && names[type] != NULL;
}

const char *tee_perf_section_name(uint16_t type)
{
	return tee_perf_section_known(type) ? names[type] : "unknown";
}
