/* SPDX-License-Identifier: MIT */
/* Functions that records name by address (sections TEXT and FUNCTIONS); internal to analyzer/. */
#ifndef TEE_PERF_ANALYZER_TEXTS_H
#define TEE_PERF_ANALYZER_TEXTS_H

#include "analyzer/symbols.h"

struct tee_perf_texts {
	struct tee_perf_text *texts;
	struct tee_perf_text_file *files;
	uint32_t text_count, text_capacity, file_count, file_capacity;
};

/* An image of gcc's, which has hooks. */
struct tee_perf_text_image_info {
	uint32_t process;
	const char *path, *build_id;
	uint64_t begin, load_bias, load_ns;
	size_t functions; /* that are known of its file */
};
uint32_t tee_perf_texts_count(const struct tee_perf_texts *texts);
struct tee_perf_text_image_info tee_perf_texts_at(const struct tee_perf_texts *texts, uint32_t number);

void tee_perf_texts_free(struct tee_perf_texts *texts);

/* What the texts of exactly this process say of an address, its low 32 bits, at a time: linkage_name NULL when no
 * function is known there; module "" when no text lies there either. */
struct tee_perf_symbol tee_perf_text_lookup(const struct tee_perf_model *model, uint32_t process, uint32_t address,
					    uint64_t time_ns);

#endif
