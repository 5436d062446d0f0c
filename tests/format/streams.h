/* SPDX-License-Identifier: MIT */
/* Record streams for the tests of the codec. */
#ifndef TEE_PERF_TESTS_FORMAT_STREAMS_H
#define TEE_PERF_TESTS_FORMAT_STREAMS_H

#include "runtime/log_layout.h"

#include <stddef.h>

struct stream_kind {
	const char *name;
	/* Fills records with count records; the same ones each time. */
	void (*fill)(struct tee_perf_record *records, size_t count);
	double max_bytes; /* per record that the encoded stream may take */
};

extern const struct stream_kind stream_kinds[];
extern const size_t stream_kind_count;

/* A reproducible sequence. */
uint64_t random64(void);
void random_seed(uint64_t seed);

#endif
