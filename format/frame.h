/* SPDX-License-Identifier: MIT */
/* File header and section frames of tee-perf.data; internal to format/ (docs/DATA-FORMAT.md). */
#ifndef TEE_PERF_FORMAT_FRAME_H
#define TEE_PERF_FORMAT_FRAME_H

#include "format/data_file.h"

#define TEE_PERF_DATA_MAGIC       "TEEPERF\n"
#define TEE_PERF_FILE_HEADER_SIZE 16u /* magic 8, version 4, flags 4 */
#define TEE_PERF_FRAME_SIZE       20u

#define TEE_PERF_SECTION_LIMIT (UINT64_C(64) << 20) /* bytes, stored and raw */
#define TEE_PERF_PROFILE_LIMIT (UINT64_C(1) << 30)

enum tee_perf_stored_as { TEE_PERF_STORED_RAW = 0, TEE_PERF_STORED_ZSTD = 1 };

struct tee_perf_frame {
	uint16_t type;
	uint16_t stored_as;
	uint32_t stored_size; /* bytes that follow the frame */
	uint32_t raw_size;    /* bytes of the payload once unpacked */
	uint32_t payload_crc; /* CRC-32 of the stored bytes */
};

/* The frame's last word is the CRC-32 of the bytes before it: a damaged size is told from a cut file. */
void tee_perf_frame_put(uint8_t bytes[TEE_PERF_FRAME_SIZE], const struct tee_perf_frame *frame);
bool tee_perf_frame_get(const uint8_t bytes[TEE_PERF_FRAME_SIZE], struct tee_perf_frame *frame);

bool tee_perf_frame_sizes_agree(const struct tee_perf_frame *frame); /* false too: an unknown compression */
bool tee_perf_frame_within_limit(const struct tee_perf_frame *frame);

uint64_t tee_perf_section_limit(uint16_t type);   /* bytes */
const char *tee_perf_section_name(uint16_t type); /* "unknown" for other types */
bool tee_perf_section_known(uint16_t type);

#endif
