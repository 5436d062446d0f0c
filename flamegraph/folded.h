/* SPDX-License-Identifier: MIT */
/* Folded stacks, one per line: `main;parse;read 1234`. What stands before the last run of blanks is the stack,
 * outermost frame first, divided by `;`; the count after it is a whole number. Names may contain blanks and end in a
 * number; an empty name (`a;;b 1`) is a frame without a name. Lines end in LF or CRLF; empty lines, and lines that
 * begin with
 * `#`, say nothing; a byte order mark at the start is skipped. */
#ifndef TEE_PERF_FLAMEGRAPH_FOLDED_H
#define TEE_PERF_FLAMEGRAPH_FOLDED_H

#include "flamegraph/flamegraph.h"

/* Adds the stacks of `in` to the tree, the counts to self, line by line: memory grows with the tree and the longest
 * line only. `name` is the file's, for messages. A bad line fails with class INPUT and its number; what stood before it
 * is then in the tree. A read error fails with class SYSTEM. */
int tee_perf_flame_read_folded(struct tee_perf_flame *flame, FILE *in, const char *name, struct tee_perf_error *err);

#endif
