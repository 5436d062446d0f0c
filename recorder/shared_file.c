/* SPDX-License-Identifier: MIT */
/* A region in a file that has a name, for programs that cannot reach into this process: a guest that sees the file as
 * a device, a library OS that opens it by its path. */
#define _GNU_SOURCE
#include "recorder/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DEFAULT_BYTES       (UINT64_C(1) << 30)
#define DEFAULT_LIBOS_BYTES (UINT64_C(64) << 20) /* which are taken from an enclave */

static uint64_t whole_sub_buffers(uint64_t bytes)
{
	return bytes - bytes % TEE_PERF_SUBBUF_BYTES;
}

int tee_perf_shared_layout(struct tee_perf_layout *layout, uint64_t bytes, unsigned process_max, uint64_t ring_bytes,
			   struct tee_perf_error *err)
{
	uint64_t slot_bytes = TEE_PERF_SLOT_BYTES(ring_bytes), head = TEE_PERF_SEGMENTS_OFFSET;
	uint64_t least = (TEE_PERF_SLOTS_OFFSET(0) + slot_bytes) * 8 / 7 + 2 * TEE_PERF_SUBBUF_BYTES;

	if (bytes < head || (bytes - head) / process_max < least)
		return tee_perf_fail(err, TEE_PERF_USAGE,
				     "a shared file of %llu bytes is too small for %u processes with a ring of %llu "
				     "bytes: it takes %llu; choose a larger --shared-size, or a smaller --ring-size or "
				     "--shared-processes",
				     (unsigned long long)bytes, process_max, (unsigned long long)ring_bytes,
				     (unsigned long long)(head + least * process_max));
	layout->process_max = process_max;
	layout->ring_bytes = ring_bytes;
	layout->segment_bytes = whole_sub_buffers((bytes - head) / process_max);
	layout->module_bytes = whole_sub_buffers(layout->segment_bytes / 8);
	if (layout->module_bytes > TEE_PERF_MODULE_BYTES)
		layout->module_bytes = TEE_PERF_MODULE_BYTES;
	layout->slot_max = (layout->segment_bytes - TEE_PERF_SLOTS_OFFSET(layout->module_bytes)) / slot_bytes;
	if (layout->slot_max > TEE_PERF_SLOT_MAX)
		layout->slot_max = TEE_PERF_SLOT_MAX;
	return 0;
}

/* A library operating system may have no locks: two recorders are then up to who starts them. */
static bool lock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOSYS;
}

/* Where holes cannot be made. */
static int overwrite_with_zeros(int fd, off_t bytes)
{
	static const char zeros[1 << 16];

	for (off_t at = 0; at < bytes;) {
		size_t rest = (size_t)(bytes - at) < sizeof zeros ? (size_t)(bytes - at) : sizeof zeros;
		ssize_t written = pwrite(fd, zeros, rest, at);
		if (written <= 0) {
			errno = written == 0 ? ENOSPC : errno;
			return -1;
		}
		at += written;
	}
	return 0;
}

/* An existing file is used as it is: something (a running guest) may have it mapped. */
static int check_existing(const char *path, int fd, uint64_t *bytes, struct tee_perf_error *err)
{
	struct stat stat;

	if (fstat(fd, &stat) != 0)
		return tee_perf_fail_errno(err, "cannot look at '%s'", path);
	if (!S_ISREG(stat.st_mode))
		return tee_perf_fail(err, TEE_PERF_USAGE, "'%s' is not a regular file", path);
	if (stat.st_uid != geteuid() && geteuid() != 0)
		return tee_perf_fail(err, TEE_PERF_USAGE, "'%s' belongs to another user", path);
	if (!lock(fd))
		return tee_perf_fail(err, TEE_PERF_USAGE, "'%s' is in use by another recording", path);
	if (*bytes != 0 && *bytes != (uint64_t)stat.st_size)
		return tee_perf_fail(err, TEE_PERF_USAGE,
				     "'%s' exists and has %lld bytes, not the %llu of --shared-size", path,
				     (long long)stat.st_size, (unsigned long long)*bytes);
	*bytes = (uint64_t)stat.st_size;
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, stat.st_size) != 0 &&
	    overwrite_with_zeros(fd, stat.st_size) != 0)
		return tee_perf_fail_errno(err, "cannot empty '%s'", path);
	return 0;
}

static int size_new(const char *path, int fd, uint64_t *bytes, bool sparse, struct tee_perf_error *err)
{
	if (*bytes == 0)
		*bytes = sparse ? DEFAULT_BYTES : DEFAULT_LIBOS_BYTES;
	if (!lock(fd) || ftruncate(fd, (off_t)*bytes) != 0)
		return tee_perf_fail_errno(err,
					   "cannot size '%s' to %llu bytes (sparse; is there a limit, 'ulimit -f'?)",
					   path, (unsigned long long)*bytes);
	return 0;
}

/* Whoever touches a page that the file system has no room for is killed: rather no recording. Library operating systems
 * do not say how much there is (Occlum's memory file system: none): so it is taken. */
static int check_room(const char *path, int fd, uint64_t bytes, bool sparse, struct tee_perf_error *err)
{
	struct statvfs system;

	if (!sparse && overwrite_with_zeros(fd, (off_t)bytes) != 0)
		return tee_perf_fail_errno(err,
					   "'%s' cannot have %llu bytes: choose a smaller --shared-size or another "
					   "folder",
					   path, (unsigned long long)bytes);
	if (!sparse)
		return 0;
	if (fstatvfs(fd, &system) != 0)
		return tee_perf_fail_errno(err, "cannot look at the file system of '%s'", path);
	uint64_t available = (uint64_t)system.f_bavail * system.f_frsize;
	if (available < bytes)
		return tee_perf_fail(
		    err, TEE_PERF_RESOURCE,
		    "the file system of '%s' has %llu bytes left, and the recording may take %llu: choose "
		    "a smaller --shared-size or another folder",
		    path, (unsigned long long)available, (unsigned long long)bytes);
	return 0;
}

int tee_perf_shared_open(const char *path, uint64_t *bytes, bool *created, bool sparse, struct tee_perf_error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	*created = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return tee_perf_fail_errno(err, "cannot open the shared file '%s'", path);
	int result = *created ? size_new(path, fd, bytes, sparse, err) : check_existing(path, fd, bytes, err);
	if (result == 0 && check_room(path, fd, *bytes, sparse, err) == 0)
		return fd;
	close(fd);
	if (*created)
		unlink(path);
	return -1;
}
