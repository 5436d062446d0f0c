/* SPDX-License-Identifier: MIT */
/* The interface of HyperEnclave's driver, as its public sources have it (hyperenclave-driver: driver/ioctl.h,
 * driver/shared_mem.c): the monitor maps into an enclave what was shared with it by this call and nothing else, page by
 * page when it is first touched. An enclave is named by any address of its mapping of the device. */
#include "runtime/platform/hyperenclave_untrusted.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEVICE "/dev/hyperenclave"

struct memory_info {
	unsigned long start, size, enclave;
};
#define ADD_SHARED_MEMORY    _IOW(0, 12, struct memory_info)
#define REMOVE_SHARED_MEMORY _IOW(0, 13, struct memory_info)

/* Line of /proc/self/maps: of the device? *begin: where. */
static bool of_device(const char *line, uint64_t *begin)
{
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%*x %*s %*x %*s %*u %n", begin, &path) != 1 || path == 0)
		return false;
	return strncmp(line + path, DEVICE, sizeof DEVICE - 1) == 0 && line[path + sizeof DEVICE - 1] == '\n';
}

/* Asks it of each enclave of the process: which one the log is for, only the SDK knows. A mapping may come in pieces,
 * and what is shared already cannot be shared again: one success is enough. Returns 0, or errno. device: or -errno. */
static int ask(FILE *maps, int device, unsigned long request, const void *at, uint64_t bytes, bool *any_enclave)
{
	int error = 0;
	bool done = false;
	uint64_t begin;
	char line[4096 + 128];

	rewind(maps);
	while (fgets(line, sizeof line, maps) != NULL) {
		if (!of_device(line, &begin))
			continue;
		*any_enclave = true;
		struct memory_info info = { (unsigned long)at, bytes, begin };
		if (device >= 0 && ioctl(device, request, &info) == 0)
			done = true;
		else
			error = device < 0 ? -device : errno;
	}
	return done ? 0 : error;
}

/* For both parts of the log; the entry in the process table lies within the first. */
static int ask_for_log(const struct tee_perf_untrusted *log, unsigned long request)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	bool any_enclave = false;

	if (maps == NULL)
		return 0;
	int device = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		device = -errno;
	int error = ask(maps, device, request, log->header, TEE_PERF_SEGMENTS_OFFSET, &any_enclave);
	if (any_enclave && (error == 0 || request == REMOVE_SHARED_MEMORY))
		error |= ask(maps, device, request, log->segment, log->segment_bytes, &any_enclave);
	if (device >= 0)
		close(device);
	fclose(maps);
	return error;
}

void tee_perf_hyperenclave_unshare(const struct tee_perf_untrusted *log)
{
	ask_for_log(log, REMOVE_SHARED_MEMORY);
}

bool tee_perf_hyperenclave_share(const struct tee_perf_untrusted *log)
{
	int error = ask_for_log(log, ADD_SHARED_MEMORY);

	if (error == 0)
		return true;
	tee_perf_hyperenclave_unshare(log);
	fprintf(stderr, "tee-perf: the enclave is not recorded: " DEVICE " does not share the log with it: %s\n",
		strerror(error));
	return false;
}
