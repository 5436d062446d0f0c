/* SPDX-License-Identifier: MIT */
/* A file that appears whole or not at all. */
#ifndef TEE_PERF_CLI_OUTPUT_H
#define TEE_PERF_CLI_OUTPUT_H

#include "util/error.h"

#include <stdio.h>

struct tee_perf_output {
	FILE *file;
	const char *path; /* borrowed */
	char *temporary;  /* NULL: standard output */
};

/* path "-" is standard output. A path that exists and is no regular file (a symbolic link, a directory) is refused.
 * 0 or -1. */
int tee_perf_output_open(struct tee_perf_output *output, const char *path, struct tee_perf_error *err);
/* With err still empty: puts the file in its place. Else removes what was written. Returns -1 if err is filled. */
int tee_perf_output_close(struct tee_perf_output *output, struct tee_perf_error *err);

#endif
