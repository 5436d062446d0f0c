/* SPDX-License-Identifier: MIT */
/* What goes through the marshalling buffer: both sides of the stand-in for the edger8r tool. */
#ifndef SDK_CALLS_H
#define SDK_CALLS_H

#include <stdint.h>

#define SEARCH_MAX 100

enum { ECALL_FILL, ECALL_SORT, ECALL_SEARCH, ECALL_ATTACH };
enum { OCALL_PROGRESS };

struct fill {
	uint64_t count, seed;
};
struct search {
	uint64_t count, key[SEARCH_MAX];
};
struct attach {
	uint64_t header, segment, segment_bytes, process, slots;
};

#endif
