/* SPDX-License-Identifier: MIT */
#include "format/frame.h"
#include "format/packer.h"
#include "format/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct tee_perf_writer {
	int fd;
	char *path;
	uint64_t good_size; /* bytes: the end of the last whole section */
	bool ragged;        /* bytes beyond good_size may be left: the cut failed */
	bool failed;        /* a section could not be written */
	bool holds;         /* there is what was recorded: records, or a profile */
	bool moved;         /* an earlier file of that name is now path.old */
	char *aside; /* where the path.old of before is until it is certain that this one holds something; or NULL */
	struct tee_perf_packer *packer;
};

#define ASIDE_TRIES 100

/* A path.old that is there gives way for now. Its new name, malloc'ed; NULL: there was none, or with err filled. */
static char *put_aside(const char *old, struct tee_perf_error *err)
{
	char name[PATH_MAX];
	struct stat status;
	if (lstat(old, &status) != 0 || S_ISDIR(status.st_mode))
		return NULL;
	for (int i = 0; i < ASIDE_TRIES; i++) {
		if (snprintf(name, sizeof name, "%s.%d", old, i) >= (int)sizeof name)
			break;
		char *aside = lstat(name, &status) == 0 ? NULL : strdup(name);
		if (aside == NULL)
			continue;
		if (rename(old, aside) == 0)
			return aside;
		free(aside);
	}
	tee_perf_fail_errno(err, "cannot keep %s until the new recording holds something", old);
	return NULL;
}

/* Moves a regular file of that name to path.old. Anything else that is there is refused. */
static int keep_old(struct tee_perf_writer *writer, char *old, size_t old_size, struct tee_perf_error *err)
{
	const char *path = writer->path;
	struct stat status;
	if (path[0] == 0 || strcmp(path, "-") == 0)
		return tee_perf_fail(err, TEE_PERF_USAGE, "%s: name a file with -o",
				     path[0] == 0 ? "the name of the recording is empty"
						  : "a recording is not written to standard output");
	if (lstat(path, &status) != 0) {
		if (errno == ENOENT)
			return 0;
		return tee_perf_fail_errno(err, "cannot write %s", path);
	}
	if (S_ISLNK(status.st_mode))
		return tee_perf_fail(err, TEE_PERF_SYSTEM,
				     "%s is a symbolic link: it is not followed; name the file itself with -o", path);
	if (!S_ISREG(status.st_mode))
		return tee_perf_fail(err, TEE_PERF_SYSTEM, "%s is %s: name a regular file with -o", path,
				     S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
	if (snprintf(old, old_size, "%s.old", path) >= (int)old_size)
		return tee_perf_fail(err, TEE_PERF_SYSTEM, "cannot keep %s as .old: the path is too long", path);
	writer->aside = put_aside(old, err);
	if (err->class != TEE_PERF_OK)
		return -1;
	if (rename(path, old) != 0) {
		tee_perf_fail_errno(err, "cannot keep the earlier %s as %s", path, old);
		if (writer->aside != NULL)
			rename(writer->aside, old);
		return -1;
	}
	writer->moved = true;
	return 0;
}

/* A library operating system may lack pwritev. */
static ssize_t write_some(int fd, const struct iovec *parts, int count, off_t offset)
{
	ssize_t written = pwritev(fd, parts, count, offset);

	return written < 0 && errno == ENOSYS ? pwrite(fd, parts->iov_base, parts->iov_len, offset) : written;
}

/* Writes all, at an offset, so that a failure leaves no file position behind. Returns 0, or -1 with errno. */
static int write_all(int fd, struct iovec *parts, int count, uint64_t offset)
{
	while (count > 0) {
		ssize_t written = write_some(fd, parts, count, (off_t)offset);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -1;
		offset += (uint64_t)written;
		while (count > 0 && (size_t)written >= parts->iov_len) {
			written -= (ssize_t)parts->iov_len;
			parts++;
			count--;
		}
		if (count > 0) {
			parts->iov_base = (char *)parts->iov_base + written;
			parts->iov_len -= (size_t)written;
		}
	}
	return 0;
}

static void writer_free(struct tee_perf_writer *writer)
{
	tee_perf_packer_free(writer->packer);
	free(writer->aside);
	free(writer->path);
	free(writer);
}

static int write_file_header(struct tee_perf_writer *writer, struct tee_perf_error *err)
{
	uint8_t header[TEE_PERF_FILE_HEADER_SIZE] = TEE_PERF_DATA_MAGIC;
	tee_perf_put32(header + 8, TEE_PERF_DATA_VERSION);
	tee_perf_put32(header + 12, 0);
	struct iovec part = { header, sizeof header };
	if (write_all(writer->fd, &part, 1, 0) != 0)
		return tee_perf_fail_errno(err, "cannot write %s", writer->path);
	writer->good_size = sizeof header;
	return 0;
}

struct tee_perf_writer *tee_perf_writer_create(const char *path, struct tee_perf_error *err)
{
	char old[PATH_MAX];
	struct tee_perf_writer *writer = calloc(1, sizeof *writer);
	if (writer == NULL || (writer->path = strdup(path)) == NULL ||
	    (writer->packer = tee_perf_packer_new()) == NULL) {
		tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for writing %s", path);
		goto fail;
	}
	if (keep_old(writer, old, sizeof old, err) != 0)
		goto fail;
	writer->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (writer->fd < 0) {
		tee_perf_fail_errno(err, "cannot create %s", path);
		goto fail_restore;
	}
	if (write_file_header(writer, err) == 0)
		return writer;
	close(writer->fd);
	unlink(path);
fail_restore:
	if (writer->moved && rename(old, path) != 0)
		tee_perf_fail_errno(err, "the earlier %s is now %s", path, old);
	else if (writer->aside != NULL)
		rename(writer->aside, old);
fail:
	if (writer != NULL)
		writer_free(writer);
	return NULL;
}

/* Cuts the file back to its last whole section. */
static void cut_back(struct tee_perf_writer *writer)
{
	int number = errno;
	writer->ragged = ftruncate(writer->fd, (off_t)writer->good_size) != 0;
	errno = number;
}

int tee_perf_writer_packed(struct tee_perf_writer *writer, enum tee_perf_section_type type,
			   const struct tee_perf_packer *packer, struct tee_perf_error *err)
{
	uint8_t header[TEE_PERF_FRAME_SIZE];
	struct tee_perf_frame frame = { .type = (uint16_t)type };
	const void *stored;

	if (writer->ragged)
		cut_back(writer);
	tee_perf_packer_result(packer, &frame, &stored);
	tee_perf_frame_put(header, &frame);
	struct iovec parts[] = { { header, sizeof header }, { (void *)stored, frame.stored_size } };
	if (write_all(writer->fd, parts, frame.stored_size != 0 ? 2 : 1, writer->good_size) != 0) {
		cut_back(writer);
		writer->failed = true;
		return tee_perf_fail_errno(err, "cannot write to %s", writer->path);
	}
	writer->holds |= type == TEE_PERF_SECTION_EVENTS || type == TEE_PERF_SECTION_PROFILE;
	writer->good_size += sizeof header + frame.stored_size;
	return 0;
}

int tee_perf_writer_section(struct tee_perf_writer *writer, enum tee_perf_section_type type, const void *payload,
			    size_t size, int level, struct tee_perf_error *err)
{
	if (size > tee_perf_section_limit((uint16_t)type))
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "%s: a section %s of %zu bytes exceeds the limit of %llu",
				     writer->path, tee_perf_section_name((uint16_t)type), size,
				     (unsigned long long)tee_perf_section_limit((uint16_t)type));
	tee_perf_packer_start(writer->packer, payload, size, level);
	tee_perf_packer_step(writer->packer, size);
	return tee_perf_writer_packed(writer, type, writer->packer, err);
}

uint64_t tee_perf_writer_bytes(const struct tee_perf_writer *writer)
{
	return writer->good_size;
}

int tee_perf_writer_close(struct tee_perf_writer *writer, struct tee_perf_error *err)
{
	int result = 0;
	if (writer->ragged)
		cut_back(writer);
	if (close(writer->fd) != 0)
		result = tee_perf_fail_errno(err, "cannot finish %s", writer->path);
	if (writer->aside != NULL && (writer->holds || !writer->failed))
		unlink(writer->aside);
	writer_free(writer);
	return result;
}

void tee_perf_writer_abandon(struct tee_perf_writer *writer)
{
	char old[PATH_MAX];

	snprintf(old, sizeof old, "%s.old", writer->path);
	/* Where something fails, all stays under the name that it has. */
	if (unlink(writer->path) == 0 && writer->moved && rename(old, writer->path) == 0 && writer->aside != NULL)
		rename(writer->aside, old);
	close(writer->fd);
	writer_free(writer);
}
