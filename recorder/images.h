/* SPDX-License-Identifier: MIT */
/* Files whose functions have to be looked up by address: those that gcc instrumented, what they may call, and those in
 * which a walked stack has frames. */
#ifndef TEE_PERF_RECORDER_IMAGES_H
#define TEE_PERF_RECORDER_IMAGES_H

#include "recorder/symtab.h"
#include "runtime/log_layout.h"

struct tee_perf_drain;
struct tee_perf_process;

struct tee_perf_image_file {
	char *path, *build_id;
	struct tee_perf_symtab *symtab; /* NULL: why says why */
	const char *why;                /* functions have no names; as tee_perf_symtab_open says it; NULL: they have */
	bool has_hooks;                 /* of gcc's: all of its functions may be named */
	bool exports;                   /* what it exports may be named */
};

struct tee_perf_images {
	struct tee_perf_image_file *file;
	size_t count, capacity;
	unsigned forgotten; /* images with hooks that no memory was found for */
};

/* The file, opened. NULL: out of memory. Valid until the next call. */
struct tee_perf_image_file *tee_perf_images_file(struct tee_perf_images *images, const char *path,
						 const char *build_id);

/* What a record of type TEXT or SYMBOLS says, of header->bytes, copied out of the module area; points into it. False:
 * its lengths contradict each other. */
bool tee_perf_images_parse(const struct tee_perf_process *process, const uint8_t *record, char build_id[129],
			   struct tee_perf_text_info *info);
/* A record of type TEXT or SYMBOLS, of header->bytes, copied out of the module area. */
void tee_perf_images_text(struct tee_perf_drain *drain, const struct tee_perf_process *process, const uint8_t *record);

/* After the drain has ended: the functions that records may name by address go into the file. Files with hooks that
 * cannot be read are named on stderr, and get a reason (why). */
void tee_perf_images_finish(struct tee_perf_drain *drain);
/* Whether functions of the file that records name have no names: why says why. After tee_perf_images_finish. */
bool tee_perf_images_unnamed(const struct tee_perf_image_file *file);
void tee_perf_images_free(struct tee_perf_images *images);

/* bytes as hexadecimal text, at most 64 of them. */
void tee_perf_build_id_text(const uint8_t *id, uint64_t bytes, char out[129]);

#endif
