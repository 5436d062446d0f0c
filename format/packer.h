/* SPDX-License-Identifier: MIT */
/* A section's payload compressed a little at a time, by a thread that has something else to do in between. */
#ifndef TEE_PERF_FORMAT_PACKER_H
#define TEE_PERF_FORMAT_PACKER_H

#include "format/data_file.h"

struct tee_perf_packer;

struct tee_perf_packer *tee_perf_packer_new(void); /* NULL: out of memory */
void tee_perf_packer_free(struct tee_perf_packer *packer);

/* A new payload of size bytes, which stay where they are until it is written. level: zstd's, INT_MIN: as it is. */
void tee_perf_packer_start(struct tee_perf_packer *packer, const void *payload, size_t size, int level);
/* Compresses at most `bytes` more of it; each step is a zstd block, so many small ones compress less. True: the payload
 * is done, or will not get smaller (or memory ran out): it is then stored as it is. */
bool tee_perf_packer_step(struct tee_perf_packer *packer, size_t bytes);

/* Appends a section, done by the packer, to the file; as tee_perf_writer_section. */
int tee_perf_writer_packed(struct tee_perf_writer *writer, enum tee_perf_section_type type,
			   const struct tee_perf_packer *packer, struct tee_perf_error *err);

/* For tee_perf_writer_packed. *stored stays the packer's or the payload's owner's. */
struct tee_perf_frame;
void tee_perf_packer_result(const struct tee_perf_packer *packer, struct tee_perf_frame *frame, const void **stored);

#endif
