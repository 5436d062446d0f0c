/* SPDX-License-Identifier: MIT */
/* Text on its way into XML: decoding that cannot fail, widths, numbers for people. */
#ifndef TEE_PERF_FLAMEGRAPH_TEXT_H
#define TEE_PERF_FLAMEGRAPH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the code point at *text (NUL-terminated, not at its end) and moves *text behind it. What XML 1.0 forbids or
 * a label must not contain comes out as something that can be shown: a control character as its picture (U+2400 and
 * on), an invalid byte, a direction override or a noncharacter as U+FFFD. */
uint32_t flame_decode(const char **text);

/* How many columns of a monospaced font a code point takes at most: 0, 1 or 2. Scripts that such fonts lack count as
 * 2, since their glyphs come from another, wider font. */
unsigned flame_columns(uint32_t code_point);

/* How many bytes of text fit into `columns`. Where not all does, *cut is set, one column is left for an ellipsis, and
 * the place is between two code points, never before a combining mark. */
size_t flame_fit(const char *text, unsigned columns, bool *cut);

/* Each writes at most 32 bytes with the NUL. */
void flame_format_count(char *out, uint64_t count);                  /* 1,234 */
void flame_format_percent(char *out, uint64_t part, uint64_t whole); /* 4.56 % */

#endif
