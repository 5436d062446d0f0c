/* SPDX-License-Identifier: MIT */
/* The writer thread: takes blocks of encoded records and other sections from a bounded queue,
 * compresses, writes. The drain never blocks on it: it polls for a free block. */
#ifndef TEE_PERF_RECORDER_WRITER_H
#define TEE_PERF_RECORDER_WRITER_H

#include "format/data_file.h"
#include "format/sections.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define TEE_PERF_BLOCK_BYTES (256u << 10)
#define TEE_PERF_BLOCKS_MAX  256u /* 64 MiB */

/* Shared between a stream and the writer: blocks of one thread build on each other. */
struct tee_perf_chain {
	atomic_bool broken; /* a block was not written: those behind it are useless until one starts afresh */
	_Atomic uint64_t lost_records; /* in blocks not written */
};

struct tee_perf_block {
	struct tee_perf_block *next;
	struct tee_perf_chain *chain; /* EVENTS */
	enum tee_perf_section_type type;
	struct tee_perf_events_info info; /* EVENTS: without the pointer to the bytes */
	struct tee_perf_bytes section;    /* other types: the payload, owned by the block */
	size_t used;
	uint8_t bytes[];
};

struct tee_perf_writer_thread;

struct tee_perf_writer_thread *tee_perf_writer_thread_start(struct tee_perf_writer *file, struct tee_perf_error *err);

/* An empty block, or NULL when all are on their way to the disk. */
struct tee_perf_block *tee_perf_writer_block(struct tee_perf_writer_thread *writer);
/* Nothing is queued: all blocks are with the drain. */
bool tee_perf_writer_idle(struct tee_perf_writer_thread *writer);
void tee_perf_writer_push(struct tee_perf_writer_thread *writer, struct tee_perf_block *block);
/* Any other section; takes over payload's bytes. -1: out of memory. */
int tee_perf_writer_push_section(struct tee_perf_writer_thread *writer, enum tee_perf_section_type type,
				 struct tee_perf_bytes payload);

struct tee_perf_writer_status {
	uint64_t file_bytes;    /* written so far */
	uint64_t encoded_bytes; /* of records, before compression */
	uint64_t lost_records;  /* in blocks that could not be written */
	bool failed;            /* the file system refuses; `message` says why */
	char message[256];
};
void tee_perf_writer_status(struct tee_perf_writer_thread *writer, struct tee_perf_writer_status *status);

/* Writes what is queued and ends the thread. */
void tee_perf_writer_thread_stop(struct tee_perf_writer_thread *writer, struct tee_perf_writer_status *status);

#endif
