/* SPDX-License-Identifier: MIT */
#include "format/data_reader_internal.h"
#include "format/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Next to 1, 0 and -1: what stands here is no whole section, but the reading can go on behind it. */
#define DAMAGED 2

ssize_t tee_perf_reader_read(struct tee_perf_reader *reader, uint8_t *out, size_t size, struct tee_perf_error *err)
{
	size_t done = 0;
	while (done < size) {
		size_t here = reader->block_size - reader->block_at;
		if (here > 0) {
			size_t part = here < size - done ? here : size - done;
			memcpy(out + done, reader->block + reader->block_at, part);
			reader->block_at += part;
			done += part;
			continue;
		}
		/* Whole blocks go straight to where they are wanted. */
		bool direct = size - done >= TEE_PERF_READER_BLOCK;
		ssize_t got = pread(reader->fd, direct ? out + done : reader->block,
				    direct ? size - done : TEE_PERF_READER_BLOCK, (off_t)reader->read_offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return tee_perf_fail_errno(err, "cannot read %s", reader->path);
		if (got == 0)
			break;
		reader->read_offset += (uint64_t)got;
		if (direct) {
			done += (size_t)got;
		} else {
			reader->block_at = 0;
			reader->block_size = (size_t)got;
		}
	}
	return (ssize_t)done;
}

static int check_kind_of_file(const char *path, int fd, struct tee_perf_error *err)
{
	static const struct {
		mode_t type;
		const char *what;
	} others[] = {
		{ S_IFDIR, "a directory" },
		{ S_IFIFO, "a pipe; a data file is read more than once: save it to a file first" },
		{ S_IFSOCK, "a socket" },
		{ S_IFCHR, "a device" },
		{ S_IFBLK, "a device" },
	};
	struct stat status;
	if (fstat(fd, &status) != 0)
		return tee_perf_fail_errno(err, "cannot read %s", path);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if ((status.st_mode & S_IFMT) == others[i].type)
			return tee_perf_fail(err, TEE_PERF_INPUT, "%s is not a tee-perf data file but %s", path,
					     others[i].what);
	}
	return 0;
}

static int check_file_header(struct tee_perf_reader *reader, struct tee_perf_error *err)
{
	uint8_t header[TEE_PERF_FILE_HEADER_SIZE];
	ssize_t size = tee_perf_reader_read(reader, header, sizeof header, err);
	if (size < 0)
		return -1;
	const char *why = NULL;
	if (size == 0)
		why = "it is empty";
	else if (memcmp(header, TEE_PERF_DATA_MAGIC, (size_t)size < 8 ? (size_t)size : 8) != 0)
		why = "it does not start with TEEPERF";
	else if (size < (ssize_t)sizeof header)
		why = "it is cut within its first 16 bytes";
	if (why != NULL)
		return tee_perf_fail(err, TEE_PERF_INPUT,
				     "%s is not a tee-perf data file (%s); record one with 'tee-perf record'",
				     reader->path, why);
	uint32_t version = tee_perf_get32(header + 8);
	if (version != TEE_PERF_DATA_VERSION)
		return tee_perf_fail(
		    err, TEE_PERF_INPUT, "%s has data format version %u, this tee-perf reads version %u: %s",
		    reader->path, version, TEE_PERF_DATA_VERSION,
		    version > TEE_PERF_DATA_VERSION ? "use the newer tee-perf that recorded it"
						    : "record it again, or use the older tee-perf that recorded it");
	uint32_t flags = tee_perf_get32(header + 12);
	if (flags != 0)
		return tee_perf_fail(err, TEE_PERF_INPUT,
				     "%s is damaged, or from a newer tee-perf: its header has the unknown flags %#x",
				     reader->path, flags);
	return 0;
}

struct tee_perf_reader *tee_perf_reader_open(const char *path, struct tee_perf_error *err)
{
	if (path[0] == 0 || strcmp(path, "-") == 0) {
		tee_perf_fail(err, TEE_PERF_USAGE, "%s: name the recording's file with -i",
			      path[0] == 0 ? "the name of the recording is empty"
					   : "a recording is not read from standard input");
		return NULL;
	}
	/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		if (errno == ENOENT)
			tee_perf_fail(err, TEE_PERF_INPUT,
				      "there is no file %s: record one with 'tee-perf record', or name another with -i",
				      path);
		else
			tee_perf_fail_errno(err, "cannot open %s", path);
		return NULL;
	}
	struct tee_perf_reader *reader = NULL;
	if (check_kind_of_file(path, fd, err) != 0)
		goto fail;
	reader = calloc(1, sizeof *reader);
	if (reader == NULL || (reader->path = strdup(path)) == NULL || (reader->zstd = ZSTD_createDCtx()) == NULL) {
		tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for reading %s", path);
		goto fail;
	}
	reader->fd = fd;
	if (check_file_header(reader, err) == 0) {
		tee_perf_reader_rewind(reader);
		return reader;
	}
fail:
	if (reader != NULL) {
		ZSTD_freeDCtx(reader->zstd);
		free(reader->path);
		free(reader);
	}
	close(fd);
	return NULL;
}

/* The file ends here, early: remembers why. */
static int truncated(struct tee_perf_reader *reader, const char *where)
{
	unsigned long long offset = reader->offset, count = reader->section_count;
	reader->ended = true;
	if (reader->damage.places != 0 && reader->damage.end == reader->offset)
		snprintf(reader->truncated, sizeof reader->truncated,
			 "the end of the file, at byte %llu, is damaged: the summary is missing, and maybe what was "
			 "recorded last",
			 offset);
	else
		snprintf(reader->truncated, sizeof reader->truncated,
			 "the file ends %s, at byte %llu, after %llu whole section%s: what was recorded later, and the "
			 "summary, are missing",
			 where, offset, count, count == 1 ? "" : "s");
	return 0;
}

static int damaged(struct tee_perf_reader *reader, const char *what)
{
	if (reader->damage.places == 0)
		snprintf(reader->damage.what, sizeof reader->damage.what, "%s", what);
	return DAMAGED;
}

/* Makes room for size bytes. One spare byte keeps an empty payload from being NULL. */
int tee_perf_reader_reserve(struct tee_perf_reader *reader, struct tee_perf_buffer *buffer, size_t size,
			    struct tee_perf_error *err)
{
	if (buffer->data != NULL && size <= buffer->capacity)
		return 0;
	free(buffer->data);
	buffer->capacity = 0;
	buffer->data = malloc(size + 1);
	if (buffer->data == NULL)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for a section of %zu bytes in %s", size,
				     reader->path);
	buffer->capacity = size;
	return 0;
}

int tee_perf_reader_file_size(const struct tee_perf_reader *reader, uint64_t *size, struct tee_perf_error *err)
{
	struct stat status;
	if (fstat(reader->fd, &status) != 0)
		return tee_perf_fail_errno(err, "cannot read %s", reader->path);
	*size = (uint64_t)status.st_size;
	return 0;
}

/* 1: a frame with sizes within the limits; 0: the end; -1: error; DAMAGED. */
static int next_frame(struct tee_perf_reader *reader, struct tee_perf_frame *frame, struct tee_perf_error *err)
{
	uint8_t bytes[TEE_PERF_FRAME_SIZE];
	ssize_t size = tee_perf_reader_read(reader, bytes, sizeof bytes, err);
	if (size < 0)
		return -1;
	if (size == 0)
		return truncated(reader, "without its section END");
	if (size < (ssize_t)sizeof bytes)
		return truncated(reader, "within a section's frame");
	if (!tee_perf_frame_get(bytes, frame))
		return damaged(reader, "a section's frame fails its checksum");
	if (!tee_perf_frame_within_limit(frame))
		return tee_perf_fail(err, TEE_PERF_RESOURCE,
				     "%s: the section %s at byte %llu exceeds the limit of %llu", reader->path,
				     tee_perf_section_name(frame->type), (unsigned long long)reader->offset,
				     (unsigned long long)tee_perf_section_limit(frame->type));
	return 1;
}

/* A section that claims more than the file holds: the file was cut, or bytes are missing from its middle, and other
 * sections follow. 0, -1 or DAMAGED. */
static int cut_short(struct tee_perf_reader *reader, uint64_t file_size, struct tee_perf_error *err)
{
	uint64_t place = reader->offset + TEE_PERF_FRAME_SIZE;
	if (tee_perf_reader_may_search(reader, file_size - place) && tee_perf_reader_search(reader, &place, err) != 0)
		return -1;
	reader->resume = place;
	if (place > reader->offset + TEE_PERF_FRAME_SIZE && place < file_size)
		return damaged(reader, "a section lacks bytes");
	return truncated(reader, "within a section");
}

/* Reads the stored bytes. A size that the file does not hold costs no memory. 1, 0, -1 or DAMAGED as above. */
static int read_stored(struct tee_perf_reader *reader, const struct tee_perf_frame *frame, struct tee_perf_error *err)
{
	uint64_t file_size;
	if (tee_perf_reader_file_size(reader, &file_size, err) != 0)
		return -1;
	if (file_size < reader->offset + TEE_PERF_FRAME_SIZE + frame->stored_size)
		return cut_short(reader, file_size, err);
	if (!tee_perf_frame_sizes_agree(frame))
		return damaged(reader, "a section has an unknown compression, or sizes that disagree");
	if (tee_perf_reader_reserve(reader, &reader->stored, frame->stored_size, err) != 0)
		return -1;
	ssize_t got = tee_perf_reader_read(reader, reader->stored.data, frame->stored_size, err);
	if (got < 0)
		return -1;
	if (got < (ssize_t)frame->stored_size)
		return truncated(reader, "within a section");
	if ((uint32_t)crc32_z(crc32(0, NULL, 0), reader->stored.data, frame->stored_size) != frame->payload_crc)
		return damaged(reader, "a section fails its checksum");
	return 1;
}

static int unpack(struct tee_perf_reader *reader, const struct tee_perf_frame *frame, struct tee_perf_error *err)
{
	if (ZSTD_getFrameContentSize(reader->stored.data, frame->stored_size) != frame->raw_size)
		return damaged(reader, "a section's sizes disagree");
	if (tee_perf_reader_reserve(reader, &reader->raw, frame->raw_size, err) != 0)
		return -1;
	size_t got = ZSTD_decompressDCtx(reader->zstd, reader->raw.data, frame->raw_size, reader->stored.data,
					 frame->stored_size);
	if (ZSTD_isError(got) || got != frame->raw_size)
		return damaged(reader, "a section cannot be unpacked");
	return 1;
}

/* The section at the reader's offset. 1, 0, -1 or DAMAGED, then with *frame_whole. */
static int read_section(struct tee_perf_reader *reader, struct tee_perf_frame *frame, bool *frame_whole,
			struct tee_perf_section *section, struct tee_perf_error *err)
{
	int result = next_frame(reader, frame, err);
	*frame_whole = result == 1;
	if (result == 1)
		result = read_stored(reader, frame, err);
	const struct tee_perf_buffer *payload = &reader->stored;
	if (result == 1 && frame->stored_as == TEE_PERF_STORED_ZSTD) {
		result = unpack(reader, frame, err);
		payload = &reader->raw;
	}
	*section = (struct tee_perf_section){
		.type = frame->type,
		.offset = reader->offset,
		.payload = payload->data,
		.size = frame->raw_size,
		.stored_size = TEE_PERF_FRAME_SIZE + frame->stored_size,
	};
	return result;
}

/* As tee_perf_reader_next, but of any type. */
static int next_section(struct tee_perf_reader *reader, struct tee_perf_section *section, struct tee_perf_error *err)
{
	struct tee_perf_frame frame;
	bool frame_whole;
	int result = 0;
	while (!reader->ended && (result = read_section(reader, &frame, &frame_whole, section, err)) == DAMAGED)
		if ((result = tee_perf_reader_pass_over(reader, frame_whole ? &frame : NULL, err)) != 0)
			break;
	if (result != 1) {
		reader->ended = true;
		return result;
	}
	reader->offset += section->stored_size;
	reader->section_count++;
	reader->ended = section->type == TEE_PERF_SECTION_END;
	return 1;
}

int tee_perf_reader_next(struct tee_perf_reader *reader, struct tee_perf_section *section, struct tee_perf_error *err)
{
	int result;
	do
		result = next_section(reader, section, err);
	while (result == 1 && !tee_perf_section_known(section->type)); /* what a later minor change added */
	return result;
}

const char *tee_perf_reader_truncated(const struct tee_perf_reader *reader)
{
	return reader->truncated[0] != 0 ? reader->truncated : NULL;
}

const struct tee_perf_damage *tee_perf_reader_damage(const struct tee_perf_reader *reader)
{
	return &reader->damage;
}

void tee_perf_reader_rewind(struct tee_perf_reader *reader)
{
	reader->offset = reader->read_offset = TEE_PERF_FILE_HEADER_SIZE;
	reader->block_at = reader->block_size = 0;
	reader->section_count = 0;
	reader->search_bytes = 0;
	tee_perf_reader_file_size(reader, &reader->search_bytes, NULL); /* else nothing is searched for */
	reader->resume = 0;
	reader->damage = (struct tee_perf_damage){ 0 };
	reader->ended = false;
	reader->truncated[0] = 0;
}

void tee_perf_reader_close(struct tee_perf_reader *reader)
{
	if (reader == NULL)
		return;
	close(reader->fd);
	ZSTD_freeDCtx(reader->zstd);
	free(reader->stored.data);
	free(reader->raw.data);
	free(reader->path);
	free(reader);
}
