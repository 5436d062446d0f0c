/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/region.h"

#include "recorder/libos.h"

#include "arch.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 255        /* that the runtime takes */
#define NO_COUNTER UINT64_MAX /* the machine whose counter we can convert: none */

#define LEAST_MODULES (1u << 20)
#define LEAST_RING    (64u << 10)
#define ENOUGH_SLOTS  64
/* Memory of an enclave, which is there from the start. */
#define NAMED_RING    (128u << 10)
#define PRIVATE_BYTES (UINT64_C(8) << 20)
#define PRIVATE_RING  (4u << 20)

static uint64_t page_align(uint64_t bytes)
{
	return (bytes + 4095) & ~UINT64_C(4095);
}

static void fill_header(struct tee_perf_region *region, uint64_t nonce, uint64_t control)
{
	struct tee_perf_log_header *header = region->header;

	header->version = TEE_PERF_LOG_VERSION;
	header->nonce = nonce;
	header->process_max = region->process_max;
	header->slot_max = region->slot_max;
	header->ring_bytes = region->ring_bytes;
	header->segment_bytes = region->segment_bytes;
	header->module_bytes = region->module_bytes;
	header->counter = region->foreign ? NO_COUNTER : ARCH_MACHINE;
	header->control = control;
	region_store(&header->magic, TEE_PERF_LOG_MAGIC);
}

uint64_t tee_perf_address_space(void)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };

	getrlimit(RLIMIT_AS, &limit);
	return limit.rlim_cur;
}

/* Little address space is better spent on many threads than on large rings, or on names that may never come. */
static void fit_sizes(struct tee_perf_region *region)
{
	uint64_t limit = tee_perf_address_space();

	while (region->module_bytes > limit / 64 && region->module_bytes > LEAST_MODULES)
		region->module_bytes /= 2;
	while (region->ring_bytes > LEAST_RING &&
	       tee_perf_slots_within(limit, region->slot_max, region->ring_bytes, region->module_bytes) < ENOUGH_SLOTS)
		region->ring_bytes /= 2;
}

static void limit_slots(struct tee_perf_region *region)
{
	region->slots_mapped =
	    tee_perf_slots_within(tee_perf_address_space(), region->slot_max, region->ring_bytes, region->module_bytes);
	region->mapped_bytes = page_align(TEE_PERF_SLOTS_OFFSET(region->module_bytes) +
					  region->slots_mapped * TEE_PERF_SLOT_BYTES(region->ring_bytes));
}

static int map_header(struct tee_perf_region *region, struct tee_perf_error *err)
{
	void *header = region->whole;

	if (header == NULL)
		header = mmap(NULL, TEE_PERF_SEGMENTS_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED, region->fd, 0);
	if (header == MAP_FAILED)
		return tee_perf_fail_errno(err, "cannot map the shared memory");
	region->header = header;
	region->process = (struct tee_perf_log_process *)((char *)header + TEE_PERF_TABLE_OFFSET);
	return 0;
}

/* Publishes the log in the memory of region->fd, which programs find at path. */
static int open_log(struct tee_perf_region *region, const char *path, uint64_t control, struct tee_perf_error *err)
{
	uint64_t nonce;

	limit_slots(region);
	if (getrandom(&nonce, sizeof nonce, 0) != sizeof nonce)
		return tee_perf_fail_errno(err, "cannot get random bytes for the recording's nonce");
	if (map_header(region, err) != 0)
		return -1;
	fill_header(region, nonce, control);
	snprintf(region->environment, sizeof region->environment, "%s:%llx", path, (unsigned long long)nonce);
	return 0;
}

int tee_perf_region_create(struct tee_perf_region *region, uint64_t ring_bytes, uint64_t control,
			   struct tee_perf_error *err)
{
	char path[64];

	memset(region, 0, sizeof *region);
	region->process_max = TEE_PERF_PROCESS_MAX;
	region->slot_max = TEE_PERF_SLOT_MAX;
	region->ring_bytes = ring_bytes;
	region->module_bytes = TEE_PERF_MODULE_BYTES;
	fit_sizes(region);
	region->segment_bytes = page_align(TEE_PERF_SLOTS_OFFSET(region->module_bytes) +
					   TEE_PERF_SLOT_MAX * TEE_PERF_SLOT_BYTES(region->ring_bytes));
	uint64_t size = TEE_PERF_SEGMENTS_OFFSET + TEE_PERF_PROCESS_MAX * region->segment_bytes;

	region->fd = memfd_create("tee-perf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (region->fd < 0)
		return tee_perf_fail_errno(err, "cannot create shared memory (memfd_create)");
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), region->fd);
	if (fchmod(region->fd, 0600) != 0 || ftruncate(region->fd, (off_t)size) != 0 ||
	    fcntl(region->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		tee_perf_fail_errno(
		    err, "cannot size the shared memory to %llu bytes (sparse; is there a limit, 'ulimit -f'?)",
		    (unsigned long long)size);
	else if (open_log(region, path, control, err) == 0)
		return 0;
	close(region->fd);
	return -1;
}

static int divide(struct tee_perf_region *region, unsigned process_max, uint64_t ring_bytes, struct tee_perf_error *err)
{
	struct tee_perf_layout layout;

	if (tee_perf_shared_layout(&layout, region->bytes, process_max, ring_bytes, err) != 0)
		return -1;
	region->process_max = layout.process_max;
	region->slot_max = layout.slot_max;
	region->ring_bytes = layout.ring_bytes;
	region->module_bytes = layout.module_bytes;
	region->segment_bytes = layout.segment_bytes;
	return 0;
}

/* With region->fd and bytes. */
static int open_shared(struct tee_perf_region *region, const char *path, unsigned process_max, uint64_t ring_bytes,
		       uint64_t control, struct tee_perf_error *err)
{
	char resolved[PATH_MAX];

	if (divide(region, process_max, ring_bytes, err) != 0)
		return -1;
	if (realpath(path, resolved) == NULL)
		return tee_perf_fail_errno(err, "cannot find out where '%s' lies", path);
	if (strlen(resolved) > PATH_BYTES)
		return tee_perf_fail(err, TEE_PERF_USAGE, "'%s': the path is longer than %d bytes", path, PATH_BYTES);
	if (!region->foreign && (region->whole = tee_perf_libos_map(region->fd, region->bytes, err)) == NULL)
		return -1;
	if (open_log(region, resolved, control, err) == 0)
		return 0;
	if (region->whole != NULL)
		munmap(region->whole, region->bytes);
	return -1;
}

int tee_perf_region_create_shared(struct tee_perf_region *region, const char *path, uint64_t bytes,
				  unsigned process_max, uint64_t ring_bytes, uint64_t control,
				  struct tee_perf_error *err)
{
	bool created;

	memset(region, 0, sizeof *region);
	region->foreign = !tee_perf_libos();
	region->bytes = bytes;
	region->fd = tee_perf_shared_open(path, &region->bytes, &created, region->foreign, err);
	if (region->fd < 0)
		return -1;
	region->created = created ? path : NULL;
	if (open_shared(region, path, process_max, ring_bytes, control, err) == 0)
		return 0;
	close(region->fd);
	if (created)
		unlink(path);
	return -1;
}

int tee_perf_region_create_named(struct tee_perf_region *region, unsigned process_max, uint64_t ring_bytes,
				 uint64_t control, struct tee_perf_error *err)
{
	char name[sizeof region->own_name];
	uint64_t number;

	if (getrandom(&number, sizeof number, 0) != sizeof number)
		return tee_perf_fail_errno(err, "cannot get random bytes for the name of the log");
	snprintf(name, sizeof name, "/dev/shm/tee-perf-%llx", (unsigned long long)number);
	if (tee_perf_region_create_shared(region, name, 0, process_max,
					  ring_bytes < NAMED_RING ? ring_bytes : NAMED_RING, control, err) != 0)
		return -1;
	memcpy(region->own_name, name, sizeof name);
	region->created = region->own_name;
	return 0;
}

int tee_perf_region_create_private(struct tee_perf_region *region, uint64_t control, struct tee_perf_error *err)
{
	memset(region, 0, sizeof *region);
	region->fd = -1;
	region->bytes = PRIVATE_BYTES;
	if (divide(region, 1, PRIVATE_RING, err) != 0 ||
	    (region->whole = tee_perf_libos_map(-1, region->bytes, err)) == NULL)
		return -1;
	limit_slots(region);
	map_header(region, err);
	fill_header(region, 0, control);
	return 0;
}

void tee_perf_region_destroy(struct tee_perf_region *region)
{
	region_store(&region->header->magic, 0);
	if (region->created != NULL)
		unlink(region->created);
	munmap(region->header, region->whole != NULL ? region->bytes : TEE_PERF_SEGMENTS_OFFSET);
	if (region->fd >= 0)
		close(region->fd);
}

static off_t segment_offset(const struct tee_perf_region *region, unsigned index)
{
	return (off_t)(TEE_PERF_SEGMENTS_OFFSET + index * region->segment_bytes);
}

struct tee_perf_log_segment *tee_perf_region_map(struct tee_perf_region *region, unsigned index,
						 struct tee_perf_error *err)
{
	if (region->whole != NULL)
		return (void *)(region->whole + segment_offset(region, index));
	size_t room = region->mapped_bytes + TEE_PERF_SUBBUF_BYTES;
	char *begin = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (begin == MAP_FAILED) {
		tee_perf_fail_errno(err, "cannot find address space for the rings of a process");
		return NULL;
	}
	char *aligned = begin + (-(uintptr_t)begin & (TEE_PERF_SUBBUF_BYTES - 1));
	void *segment = mmap(aligned, region->mapped_bytes, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_NORESERVE | MAP_FIXED, region->fd, segment_offset(region, index));
	if (segment == MAP_FAILED) {
		tee_perf_fail_errno(err, "cannot map the rings of a process");
		munmap(begin, room);
		return NULL;
	}
	if (aligned > begin)
		munmap(begin, (size_t)(aligned - begin));
	if (begin + room > aligned + region->mapped_bytes)
		munmap(aligned + region->mapped_bytes, (size_t)(begin + room - aligned) - region->mapped_bytes);
	return segment;
}

bool tee_perf_region_has_modules(const struct tee_perf_region *region, unsigned index)
{
	uint64_t written = 0;

	_Static_assert(offsetof(struct tee_perf_log_segment, module_written) == 0, "the segment's first word");
	if (region->whole != NULL) /* the file need not say what the memory does */
		return region_load((uint64_t *)(region->whole + segment_offset(region, index))) != 0;
	return pread(region->fd, &written, sizeof written, segment_offset(region, index)) == sizeof written &&
	       written != 0;
}

/* What the process and we have written. */
static void wipe(const struct tee_perf_region *region, unsigned index, struct tee_perf_log_segment *segment)
{
	uint64_t modules = region_load(&segment->module_written);
	uint64_t slots = region_load(&region->process[index].slot_count);
	char *begin = (char *)segment, *rings = begin + TEE_PERF_SLOTS_OFFSET(region->module_bytes);

	if (slots > region->slots_mapped)
		slots = region->slots_mapped;
	memset(rings, 0, slots * TEE_PERF_SLOT_BYTES(region->ring_bytes));
	memset(begin, 0, sizeof *segment + (modules < region->module_bytes ? modules : region->module_bytes));
}

/* Gives the memory back; where that cannot be, it is at least empty. */
static void empty(const struct tee_perf_region *region, unsigned index, struct tee_perf_log_segment *segment)
{
	if (region->whole != NULL || fallocate(region->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					       segment_offset(region, index), (off_t)region->segment_bytes) != 0)
		wipe(region, index, segment);
	if (region->whole == NULL)
		munmap(segment, region->mapped_bytes);
}

void tee_perf_region_release(struct tee_perf_region *region, unsigned index, struct tee_perf_log_segment *segment)
{
	struct tee_perf_log_process *process = &region->process[index];

	empty(region, index, segment);
	region_store(&process->generation, region_load(&process->generation) + 1);
	region_store(&process->state, TEE_PERF_PROCESS_FREE);
}
