/* SPDX-License-Identifier: MIT */
/* The writer thread: takes blocks of encoded records and other sections from a bounded queue and writes them. The drain
 * never blocks on it: it polls for a free block. Blocks are compressed by the drain while it has nothing to read, as
 * its core is its own and the writer's is the program's; the writer thread does what the drain cannot. */
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
	struct tee_perf_packer *packer;   /* EVENTS: NULL until it is being compressed */
	bool packed;                      /* EVENTS: all of it is */
	size_t used;
	uint8_t header[TEE_PERF_EVENTS_HEADER]; /* in front of the records, as in the file */
	uint8_t bytes[];
};

struct tee_perf_writer_thread;

/* slice: bytes that the drain compresses each time it calls tee_perf_writer_pack; 0: it does not. */
struct tee_perf_writer_thread *tee_perf_writer_thread_start(struct tee_perf_writer *file, size_t slice,
							    struct tee_perf_error *err);

/* An empty block, or NULL when all are on their way to the disk. */
struct tee_perf_block *tee_perf_writer_block(struct tee_perf_writer_thread *writer);
/* Nothing is queued: all blocks are with the drain. */
bool tee_perf_writer_idle(struct tee_perf_writer_thread *writer);
void tee_perf_writer_push(struct tee_perf_writer_thread *writer, struct tee_perf_block *block);
/* Compresses a slice of the oldest block that is not compressed. False: there was nothing to do. */
bool tee_perf_writer_pack(struct tee_perf_writer_thread *writer);
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
/* The same once everything that is queued was written, or could not be. */
void tee_perf_writer_wait(struct tee_perf_writer_thread *writer, struct tee_perf_writer_status *status);

/* Writes what is queued and ends the thread. */
void tee_perf_writer_thread_stop(struct tee_perf_writer_thread *writer, struct tee_perf_writer_status *status);

#endif
