/* SPDX-License-Identifier: MIT */
/* tee-perf.data: a sequence of framed, checksummed sections (docs/DATA-FORMAT.md). */
#ifndef TEE_PERF_FORMAT_DATA_FILE_H
#define TEE_PERF_FORMAT_DATA_FILE_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEE_PERF_DATA_VERSION 1u

enum tee_perf_section_type {
	TEE_PERF_SECTION_START = 1,      /* JSON: what is known when the recording starts */
	TEE_PERF_SECTION_PROCESS = 2,    /* struct tee_perf_process_info */
	TEE_PERF_SECTION_MODULE = 3,     /* struct tee_perf_module_info: an image, its map entries, its strings */
	TEE_PERF_SECTION_THREAD = 4,     /* struct tee_perf_thread_info */
	TEE_PERF_SECTION_EVENTS = 5,     /* struct tee_perf_events_info + encoded records of one thread */
	TEE_PERF_SECTION_GAPS = 6,       /* pairs of times between which the clock was not published */
	TEE_PERF_SECTION_TSC = 7,        /* pairs (TSC ticks, nanoseconds since the recording's start) */
	TEE_PERF_SECTION_PROFILE = 8,    /* the analyzer's model (--keep profile) */
	TEE_PERF_SECTION_END = 9,        /* JSON: the summary; its absence means a truncated file */
	TEE_PERF_SECTION_TEXT = 10,      /* struct tee_perf_text_info: code whose functions records name by address */
	TEE_PERF_SECTION_FUNCTIONS = 11, /* struct tee_perf_functions_info: the functions of such an image */
};

/* ---- writing: used by one thread at a time */
struct tee_perf_writer;

/* Creates path with mode 0600, exclusively, never through a symbolic link; an earlier regular file
 * of that name is renamed to path.old, and the path.old of before kept as path.old.0 (or a higher number)
 * until the file is closed. A symbolic link or anything else that is no regular file is
 * refused. Writes the file header. */
struct tee_perf_writer *tee_perf_writer_create(const char *path, struct tee_perf_error *err);
/* A process that may exceed its file size limit (RLIMIT_FSIZE) ignores SIGXFSZ, or it dies here.
 * Appends a section; compresses the payload with zstd at `level` (INT_MIN: not at all; stored raw as well
 * where compression does not help). On an error (disk full) the file is cut back to the
 * last whole section and later calls may succeed again. Returns 0 or -1. */
int tee_perf_writer_section(struct tee_perf_writer *writer, enum tee_perf_section_type type, const void *payload,
			    size_t size, int level, struct tee_perf_error *err);
uint64_t tee_perf_writer_bytes(const struct tee_perf_writer *writer); /* written so far */
/* There was nothing to write: removes the file, gives an earlier one its name back, and the path.old of before as well,
 * frees. */
void tee_perf_writer_abandon(struct tee_perf_writer *writer);
/* Closes and frees. Returns -1 when the file system reports a late error. */
int tee_perf_writer_close(struct tee_perf_writer *writer, struct tee_perf_error *err);

/* ---- reading: with read() in blocks; memory bounded by the largest section (limit 64 MiB, 1 GiB for PROFILE) */
struct tee_perf_reader;

struct tee_perf_section {
	enum tee_perf_section_type type;
	uint64_t offset;     /* of its frame in the file */
	const void *payload; /* valid until the next call */
	size_t size;
	size_t stored_size; /* bytes in the file */
};

struct tee_perf_reader *tee_perf_reader_open(const char *path, struct tee_perf_error *err);
/* 1: a section of one of the types above, others are passed over; 0: the end; -1: error. What is damaged is passed over
 * as well: tee_perf_reader_damage then tells so. A file that ends within a section, or without the section END, is at
 * its end: tee_perf_reader_truncated then tells so. */
int tee_perf_reader_next(struct tee_perf_reader *reader, struct tee_perf_section *section, struct tee_perf_error *err);

/* What was passed over so far. */
struct tee_perf_damage {
	uint64_t places, bytes;
	uint64_t may_hold_events; /* sections passed over that were EVENTS, or whose type nobody knows */
	uint64_t first_offset;    /* in the file, of the first place */
	const char *first_name;   /* of the section there; NULL: unknown */
	char what[80];            /* is wrong there */
	uint64_t end;             /* in the file, of the last place */
};

const struct tee_perf_damage *tee_perf_reader_damage(const struct tee_perf_reader *reader);
/* NULL, or a sentence saying where the file was cut and what is missing. */
const char *tee_perf_reader_truncated(const struct tee_perf_reader *reader);
void tee_perf_reader_rewind(struct tee_perf_reader *reader);
void tee_perf_reader_close(struct tee_perf_reader *reader);

#endif
