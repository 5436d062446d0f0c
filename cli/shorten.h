/* SPDX-License-Identifier: MIT */
#ifndef TEE_PERF_CLI_SHORTEN_H
#define TEE_PERF_CLI_SHORTEN_H

#include <stddef.h>

/* A name of at most max bytes (at least 16), for people: first std::string has its name, then what stands in brackets
 * becomes "...", the innermost first, at last the middle. malloc'ed; NULL: out of memory. */
char *tee_perf_shorten(const char *name, size_t max);

/* A path without "folder/.." as far as that is easy: compilers name their headers so. malloc'ed; NULL: out of memory.
 */
char *tee_perf_tidy_path(const char *path);

#endif
