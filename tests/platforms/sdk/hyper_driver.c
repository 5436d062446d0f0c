/* SPDX-License-Identifier: MIT */
/* Stands for HyperEnclave's device and monitor: of the log, the enclave reaches what was shared with it by the driver's
 * call, and nothing else. Written from what the public sources do (driver/shared_mem.c, src/enclave/shared_mem.rs).
 * What the application opens and asks passes through here: HYPER_DRIVER says how the driver behaves. */
#define _GNU_SOURCE
#include "transport.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEVICE     "/dev/hyperenclave"
#define RANGES_MAX 16

struct he_memory_info {
	unsigned long start_addr, size, encl_addr;
};

static int device = -1;
static struct range {
	uintptr_t begin, end;
} shared[RANGES_MAX];
static unsigned shared_count;

static bool driver_is(const char *how)
{
	const char *said = getenv("HYPER_DRIVER");

	return said != NULL && strcmp(said, how) == 0;
}

/* ---- the device */

static int add(struct range range)
{
	if (driver_is("refuses") || (driver_is("refuses-second") && shared_count == 1))
		return EINVAL;
	if (driver_is("lies"))
		return 0;
	for (unsigned i = 0; i < shared_count; i++)
		if (range.begin < shared[i].end && shared[i].begin < range.end)
			return EINVAL; /* as interval trees of both have it */
	if (shared_count == RANGES_MAX)
		return ENOMEM;
	shared[shared_count++] = range;
	return 0;
}

static int take_away(struct range range)
{
	for (unsigned i = 0; i < shared_count; i++)
		if (shared[i].begin == range.begin && shared[i].end == range.end) {
			shared[i] = shared[--shared_count];
			return 0;
		}
	return EINVAL;
}

static int serve(unsigned long request, const struct he_memory_info *info)
{
	struct range range = { info->start_addr, info->start_addr + info->size };
	uintptr_t begin, end;

	sdk_enclave_range(&begin, &end);
	if (info->encl_addr < begin || info->encl_addr >= end) /* find_enclave() */
		return EINVAL;
	if (range.begin >= range.end || (range.begin < end && begin < range.end))
		return EINVAL;
	if (request == _IOW(0, 12, struct he_memory_info))
		return add(range);
	return request == _IOW(0, 13, struct he_memory_info) ? take_away(range) : EINVAL;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;

	va_start(arguments, request);
	void *argument = va_arg(arguments, void *);
	va_end(arguments);
	if (fd != device || device < 0)
		return (int)syscall(SYS_ioctl, fd, request, argument);
	errno = serve(request, argument);
	return errno == 0 ? 0 : -1;
}

int open(const char *path, int flags, ...)
{
	if (strcmp(path, DEVICE) != 0)
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
	if (driver_is("absent")) {
		errno = ENOENT;
		return -1;
	}
	return device = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", flags, 0);
}

/* ---- the list of mappings: the enclave is one of the device, in pieces; so is another one, which is not ready */

static FILE *real_fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *);

	*(void **)&real = dlsym(RTLD_NEXT, "fopen");
	return real(path, mode);
}

static void copy_as_device(FILE *from, FILE *to)
{
	uintptr_t begin, end, at;
	char line[4096];

	sdk_enclave_range(&begin, &end);
	while (fgets(line, sizeof line, from) != NULL) {
		char *path = strchr(line, '/');
		at = strtoull(line, NULL, 16);
		if (path != NULL && at >= begin && at < end)
			fprintf(to, "%.*s" DEVICE "\n", (int)(path - line), line);
		else
			fputs(line, to);
	}
}

FILE *fopen(const char *path, const char *mode)
{
	static char *text;
	size_t bytes;

	if (strcmp(path, "/proc/self/maps") != 0 || driver_is("elsewhere"))
		return real_fopen(path, mode);
	FILE *from = real_fopen(path, mode), *to = open_memstream(&text, &bytes);
	if (from == NULL || to == NULL)
		return from;
	fputs("10000000-20000000 rw-s 00000000 00:05 1234                       " DEVICE "\n", to);
	fputs("30000000-40000000 rw-s 00000000 00:05 1235                       " DEVICE "-not\n", to);
	copy_as_device(from, to);
	fclose(from);
	fclose(to);
	return fmemopen(text, bytes, "r");
}

/* ---- the monitor */

static bool reachable(uintptr_t page)
{
	for (unsigned i = 0; i < shared_count; i++)
		if (page >= shared[i].begin && page < shared[i].end)
			return true;
	return false;
}

/* What of the log is mapped here and not shared is gone while the enclave runs; nobody else has business there. */
void sdk_before_entry(void)
{
	const char *log = getenv("TEE_PERF_LOG"), *colon = log != NULL ? strrchr(log, ':') : NULL;
	char path[4096], line[4096];
	struct stat file;
	uint64_t begin, end, inode;

	if (colon == NULL)
		return;
	snprintf(path, sizeof path, "%.*s", (int)(colon - log), log);
	FILE *maps = real_fopen("/proc/self/maps", "re");
	if (maps == NULL || stat(path, &file) != 0)
		abort();
	while (fgets(line, sizeof line, maps) != NULL)
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*x %*s %" SCNu64, &begin, &end, &inode) == 3 &&
		    inode == file.st_ino && !reachable(begin))
			mprotect((void *)begin, end - begin, PROT_NONE);
	fclose(maps);
}

__attribute__((destructor)) static void report(void)
{
	if (getenv("HYPER_DRIVER") != NULL)
		fprintf(stderr, "driver: %u ranges are shared\n", shared_count);
}
