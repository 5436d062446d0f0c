/* SPDX-License-Identifier: MIT */
/* The fast path of the feed against the general one, on any bytes. */
#ifndef TEE_PERF_TESTS_FEED_COMPARE_H
#define TEE_PERF_TESTS_FEED_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes the bytes for a stream of records, four bytes each, and feeds it at once, in pieces, and by the path that is
 * taken when single calls are wanted. True: all three left the same model, whose times and calls add up. */
bool feed_compare(const uint8_t *bytes, size_t size);

#endif
