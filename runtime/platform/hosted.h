/* SPDX-License-Identifier: MIT */
#ifndef TEE_PERF_RUNTIME_HOSTED_H
#define TEE_PERF_RUNTIME_HOSTED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "runtime/platform.h"

#include <link.h>

/* Reads the environment and attaches, once. Images may register before our constructor ran. */
void tee_perf_hosted_start(void) TEE_PERF_HIDDEN;

/* The log, and what of it this process has mapped. */
struct tee_perf_hosted_log {
	char path[256];
	uint64_t nonce;
	bool any_nonce; /* none was given: a device, whose log is whatever is there */
	uintptr_t header, segment;
	size_t segment_bytes;
	uint64_t segment_stride; /* in the file */
	bool accessible;         /* the segment is so from the start */
	uint64_t process_index_plus_1;
};
#define TEE_PERF_HOSTED_HEADER_BYTES                                                                                   \
	(TEE_PERF_TABLE_OFFSET + TEE_PERF_PROCESS_MAX * sizeof(struct tee_perf_log_process))

/* Checks the header, claims an entry of the process table, maps its segment; fills in both structures. False: nothing
 * is attached. */
bool tee_perf_hosted_map_log(int fd, struct tee_perf_hosted_log *log,
			     struct tee_perf_attachment *attachment) TEE_PERF_HIDDEN;

/* mmap, without libc; NULL: failed. */
void *tee_perf_hosted_map(void *at, size_t size, int protection, int flags, int fd, uint64_t offset) TEE_PERF_HIDDEN;

/* The calling thread has got its ring: writes which stacks it has besides its own. */
void tee_perf_hosted_stacks_attached(struct tee_perf_thread *thread) TEE_PERF_HIDDEN;

/* Whether another runtime of this process has attached; it is told that there are two. The word that tells programs
 * apart, for the process entry's flags. */
bool tee_perf_hosted_is_second(struct tee_perf_log_process *table, uint64_t process_max) TEE_PERF_HIDDEN;
uint64_t tee_perf_hosted_program_id(void) TEE_PERF_HIDDEN;

void tee_perf_hosted_nap(long ns) TEE_PERF_HIDDEN;

/* The calling thread ends: writes so, and its name. */
void tee_perf_hosted_write_end(void) TEE_PERF_HIDDEN;

/* The calling thread is about to run on the stack [lo, hi). */
void tee_perf_hosted_announce(uintptr_t lo, uintptr_t hi) TEE_PERF_HIDDEN;

/* The calling thread's own functions have ended, all of them. */
void tee_perf_hosted_stacks_left(void) TEE_PERF_HIDDEN;

/* A sanitizer's functions that ours stand before; NULL: there are none. */
struct tee_perf_hosted_next {
	void (*start_switch)(void **save, const void *bottom, size_t size);
	void (*finish_switch)(void *save, const void **bottom, size_t *size);
};
extern struct tee_perf_hosted_next tee_perf_hosted_next TEE_PERF_HIDDEN;

/* Writes all images that are registered into the module area of the segment just attached. */
void tee_perf_hosted_modules_attached(void) TEE_PERF_HIDDEN;

/* The same, of images that gcc compiled (gcc.c). */
void tee_perf_hosted_texts_attached(void) TEE_PERF_HIDDEN;

/* Whether an image that is recorded has part of these addresses, in the low 32 bits: its map; the code of one that gcc
 * instrumented. */
bool tee_perf_hosted_map_taken(uint32_t begin, uint32_t bytes) TEE_PERF_HIDDEN;
bool tee_perf_hosted_text_taken(uint32_t begin, uint32_t bytes) TEE_PERF_HIDDEN;

/* Waits until the host has published another time than the one before. */
void tee_perf_hosted_wait_for_clock(void) TEE_PERF_HIDDEN;

/* The build-id of a loaded image; NULL: it has none. */
const uint8_t *tee_perf_hosted_build_id(const struct dl_phdr_info *info, size_t *bytes) TEE_PERF_HIDDEN;

/* Appends a record of type TEXT or SYMBOLS to the module area; fills in the header's sizes. path "": the executable. */
void tee_perf_hosted_append_text(struct tee_perf_module_header *header, const char *path,
				 const uint8_t *build_id) TEE_PERF_HIDDEN;

/* Whole pages of [begin, end) go back to the system. */
void tee_perf_hosted_give_back(uintptr_t begin, uintptr_t end) TEE_PERF_HIDDEN;

/* The module area ends room bytes behind what is written now; the rest is given back. */
void tee_perf_hosted_limit_modules(uint64_t room) TEE_PERF_HIDDEN;

/* Maps size bytes of the file at a multiple of TEE_PERF_SUBBUF_BYTES that the system chooses, accessible at once. NULL:
 * it cannot be. offset is at least TEE_PERF_SUBBUF_BYTES. */
void *tee_perf_hosted_map_anywhere(int fd, uint64_t offset, uint64_t size) TEE_PERF_HIDDEN;

/* The same where all mappings of a file lie as they do in the file at path, whose begin is mapped at header. NULL: they
 * do not. */
void *tee_perf_hosted_map_within(const char *path, uintptr_t header, int fd, uint64_t offset,
				 uint64_t size) TEE_PERF_HIDDEN;

#endif
