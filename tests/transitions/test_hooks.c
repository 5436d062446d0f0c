/* SPDX-License-Identifier: MIT */
/* usage: test_hooks FILE: `info --hooks` on the file cut at every length and with bytes changed: it answers
 * or refuses with a message, and never reads beyond its bounds (which address sanitizer and valgrind watch). */
#define _GNU_SOURCE
#include "cli/hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define VARIANTS 4000

static int fd;
static char path[64];
static unsigned long answers, refusals;

static uint32_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static int try(const char *bytes, size_t size)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_hooks hooks;

	if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		return -1;
	if (tee_perf_hooks_read(&hooks, path, &err) == 0) {
		answers++;
		return 0;
	}
	refusals++;
	return err.class != TEE_PERF_OK && err.message[0] != '\0' ? 0 : -1;
}

/* Bytes, or whole words as offsets and sizes are, anywhere or in the headers. */
static void damage(char *bytes, size_t size, size_t section_headers)
{
	static const uint64_t odd[] = { 0, 1, 15, 0x7fffffff, 0xffffffff, UINT64_MAX, UINT64_MAX / 2 + 1, 0xfffffff0 };

	for (unsigned count = 1 + next_random() % 4; count-- > 0;) {
		size_t at = next_random() % 2 == 0 ? next_random() % size
						   : section_headers + next_random() % (size - section_headers);
		if (next_random() % 8 == 0)
			at = next_random() % 64;
		if (next_random() % 2 == 0 || at + 8 > size)
			bytes[at] = (char)next_random();
		else
			memcpy(bytes + (at & ~(size_t)7), &odd[next_random() % 8], 8);
	}
}

int main(int argc, char **argv)
{
	static char original[1 << 20], bytes[1 << 20];
	struct tee_perf_hooks hooks;
	struct tee_perf_error err = { 0 };
	FILE *file = argc == 2 ? fopen(argv[1], "re") : NULL;
	uint64_t section_headers;

	if (file == NULL)
		return 2;
	size_t size = fread(original, 1, sizeof original, file);
	fclose(file);
	fd = memfd_create("damaged", MFD_CLOEXEC);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	memcpy(&section_headers, original + 40, 8);
	if (size < 64 || size == sizeof original || section_headers >= size || try(original, size) != 0 ||
	    answers != 1 || tee_perf_hooks_read(&hooks, path, &err) != 0 || tee_perf_hooks_functions(&hooks) == 0)
		return 2;
	int failed = 0;
	for (size_t cut = 0; cut < size && failed == 0; cut += 1 + size / 2000)
		failed = try(original, cut);
	for (unsigned i = 0; i < VARIANTS && failed == 0; i++) {
		memcpy(bytes, original, size);
		damage(bytes, size, (size_t)section_headers);
		failed = try(bytes, size);
	}
	printf("%lu answers, %lu refusals\n", answers, refusals);
	return failed != 0 || refusals == 0;
}
