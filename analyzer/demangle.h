/* SPDX-License-Identifier: MIT */
/* Linkage names (C++, Rust, D) as their authors wrote them. */
#ifndef TEE_PERF_ANALYZER_DEMANGLE_H
#define TEE_PERF_ANALYZER_DEMANGLE_H

/* The demangled name, malloc'ed; NULL: it is not mangled, longer than 8 KiB (the demangler recurses), or there is no
 * memory. */
char *tee_perf_demangle(const char *name);

#endif
