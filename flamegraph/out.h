/* SPDX-License-Identifier: MIT */
/* A buffer in front of a FILE, and the escaping of XML. Errors are kept until the end. */
#ifndef TEE_PERF_FLAMEGRAPH_OUT_H
#define TEE_PERF_FLAMEGRAPH_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flame_out {
	FILE *file;
	size_t used;
	int error; /* errno of the first failed write, 0: none */
	char buffer[1 << 16];
};

void flame_out_bytes(struct flame_out *out, const char *bytes, size_t size);
void flame_out_string(struct flame_out *out, const char *string);
void flame_out_number(struct flame_out *out, uint64_t number);
void flame_out_hundredths(struct flame_out *out, uint64_t hundredths); /* 1234 as 12.34, 1200 as 12 */
/* `size` bytes of text, made presentable (flame_decode) and escaped, for an element or an attribute in "". */
void flame_out_text(struct flame_out *out, const char *text, size_t size);
void flame_out_flush(struct flame_out *out);

#endif
