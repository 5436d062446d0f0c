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

void tee_perf_texts_free(struct tee_perf_texts *texts);

/* What the texts of exactly this process say of an address, its low 32 bits, at a time: linkage_name NULL when no
 * function is known there; module "" when no text lies there either. */
struct tee_perf_symbol tee_perf_text_lookup(const struct tee_perf_model *model, uint32_t process, uint32_t address,
					    uint64_t time_ns);

#endif
