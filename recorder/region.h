/* SPDX-License-Identifier: MIT */
/* The shared memory of a recording, seen from the host side (runtime/log_layout.h). */
#ifndef TEE_PERF_RECORDER_REGION_H
#define TEE_PERF_RECORDER_REGION_H

#include "recorder/shared_file.h"
#include "runtime/log_layout.h"
#include "util/error.h"

#include <stdatomic.h>
#include <stdint.h>

struct tee_perf_region {
	int fd;
	struct tee_perf_log_header *header;   /* header and process table, mapped */
	struct tee_perf_log_process *process; /* TEE_PERF_PROCESS_MAX of them */
	uint64_t process_max, slot_max, ring_bytes, module_bytes, segment_bytes;
	uint64_t slots_mapped, mapped_bytes; /* of each segment: less where the address space is limited */
	char environment[400];               /* TEE_PERF_LOG for the program */
	bool foreign; /* with programs of another machine, maybe: their counter and their process ids mean nothing */
	const char *created; /* the file that the region lies in, to be removed at the end; NULL: none */
	char own_name[40];   /* that was chosen for it */
	char *whole;         /* all of it, mapped at once (libos.h); NULL: in parts, as processes come */
	uint64_t bytes;      /* of it */
};

/* Creates the region, sealed against shrinking and growing, with the given control word. ring_bytes is the most that
 * one thread's ring may take (bytes, a multiple of the sub-buffer). Returns 0 or -1. */
int tee_perf_region_create(struct tee_perf_region *region, uint64_t ring_bytes, uint64_t control,
			   struct tee_perf_error *err);
/* The same in a file, created or taken over (shared_file.h), `bytes` long (0: a default), for process_max processes in
 * all. path must outlive the region. */
int tee_perf_region_create_shared(struct tee_perf_region *region, const char *path, uint64_t bytes,
				  unsigned process_max, uint64_t ring_bytes, uint64_t control,
				  struct tee_perf_error *err);
/* The same on a system that has memory for it only in files (libos.h), for process_max processes at once, in a file of
 * our own in /dev/shm. */
int tee_perf_region_create_named(struct tee_perf_region *region, unsigned process_max, uint64_t ring_bytes,
				 uint64_t control, struct tee_perf_error *err);
/* For one process that is ours: no program finds it. */
int tee_perf_region_create_private(struct tee_perf_region *region, uint64_t control, struct tee_perf_error *err);
/* A file that was created is removed; in any other no program finds a log from here on. */
void tee_perf_region_destroy(struct tee_perf_region *region);

/* Maps the segment of process entry `index`, at a multiple of the sub-buffer size; NULL on failure. */
struct tee_perf_log_segment *tee_perf_region_map(struct tee_perf_region *region, unsigned index,
						 struct tee_perf_error *err);
/* Whether the process has said what its functions are called, without mapping its segment. */
bool tee_perf_region_has_modules(const struct tee_perf_region *region, unsigned index);
/* Unmaps it, gives its memory back, and frees the entry for another process. */
void tee_perf_region_release(struct tee_perf_region *region, unsigned index, struct tee_perf_log_segment *segment);

static inline uint64_t region_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline void region_store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Bytes that this process may map, RLIM_INFINITY without a limit. */
uint64_t tee_perf_address_space(void);

#endif
