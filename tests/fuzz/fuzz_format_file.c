/* SPDX-License-Identifier: MIT */
/* Any bytes as a data file. An odd first byte asks for the checksums to be made right, so that what lies behind them is
 * reached. */
#define _GNU_SOURCE
#include "format/data_file.h"
#include "format/frame.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

static void mend(uint8_t *bytes, size_t size)
{
	size_t at = TEE_PERF_FILE_HEADER_SIZE;
	while (size - at >= TEE_PERF_FRAME_SIZE && at < size) {
		struct tee_perf_frame frame;
		tee_perf_frame_get(bytes + at, &frame);
		frame.stored_as &= 1;
		size_t left = size - at - TEE_PERF_FRAME_SIZE;
		size_t stored_size = frame.stored_size < left ? frame.stored_size : left;
		frame.payload_crc = (uint32_t)crc32_z(0, bytes + at + TEE_PERF_FRAME_SIZE, stored_size);
		tee_perf_frame_put(bytes + at, &frame);
		at += TEE_PERF_FRAME_SIZE + stored_size;
	}
}

static volatile uint8_t touched;

static unsigned read_all(struct tee_perf_reader *reader)
{
	struct tee_perf_section section;
	struct tee_perf_error err = { 0 };
	unsigned count = 0;
	int result;
	while ((result = tee_perf_reader_next(reader, &section, &err)) == 1) {
		EXPECT(tee_perf_section_known((uint16_t)section.type));
		for (size_t i = 0; i < section.size; i++)
			touched ^= ((const uint8_t *)section.payload)[i];
		count++;
	}
	EXPECT((result == -1) == (err.class != TEE_PERF_OK));
	EXPECT(tee_perf_reader_next(reader, &section, NULL) == 0);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[64];
	if (size == 0 || size > 1 << 20)
		return 0;
	if (fd < 0) {
		fd = memfd_create("tee-perf-fuzz", MFD_CLOEXEC);
		EXPECT(fd >= 0);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	uint8_t *bytes = malloc(size);
	EXPECT(bytes != NULL);
	memcpy(bytes, data + 1, size - 1);
	if (data[0] & 1 && size - 1 > TEE_PERF_FILE_HEADER_SIZE)
		mend(bytes, size - 1);
	EXPECT(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, size - 1, 0) == (ssize_t)(size - 1));
	free(bytes);
	struct tee_perf_error err = { 0 };
	struct tee_perf_reader *reader = tee_perf_reader_open(path, &err);
	EXPECT((reader == NULL) == (err.class != TEE_PERF_OK));
	if (reader == NULL)
		return 0;
	unsigned count = read_all(reader);
	tee_perf_reader_rewind(reader);
	EXPECT(read_all(reader) == count);
	tee_perf_reader_close(reader);
	return 0;
}
