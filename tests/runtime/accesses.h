/* SPDX-License-Identifier: MIT */
/* Where the traced program keeps all host memory, and nothing else. */
#ifndef TEE_PERF_TESTS_ACCESSES_H
#define TEE_PERF_TESTS_ACCESSES_H

#define HOST_BEGIN 0x200000000ull
#define HOST_BYTES 0x010000000ull /* of it a part for each scenario */
#define HOST_PART  0x001000000ull

#endif
