/* SPDX-License-Identifier: MIT */
/* From a tree of frames to a self-contained interactive SVG. Knows nothing of logs or models. */
#ifndef TEE_PERF_FLAMEGRAPH_H
#define TEE_PERF_FLAMEGRAPH_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct tee_perf_flame; /* a tree; names are copied and interned */

struct tee_perf_flame *tee_perf_flame_new(void); /* NULL: out of memory */
void tee_perf_flame_free(struct tee_perf_flame *flame);

/* Node ids. The root exists. */
typedef uint32_t tee_perf_flame_node;
#define TEE_PERF_FLAME_ROOT 0u
#define TEE_PERF_FLAME_NONE UINT32_MAX /* out of memory */

/* Finds or creates the child of parent for the frame (name, module, file, line). Frames are merged by
 * identity, not by text: two functions of one name in two modules stay two frames. Any bytes will do as a name; NULL
 * is "". Of a node NONE the child is NONE, and writing will fail: errors need no check in between. */
tee_perf_flame_node tee_perf_flame_child(struct tee_perf_flame *flame, tee_perf_flame_node parent, const char *name,
					 const char *module, const char *file, uint32_t line);
/* Adds to the node's own (self) value and calls. */
void tee_perf_flame_add(struct tee_perf_flame *flame, tee_perf_flame_node node, uint64_t self, uint64_t calls);

/* What a width means: a node's self and all below it, as nanoseconds or as samples; or the calls in place of self. */
enum tee_perf_flame_unit { TEE_PERF_FLAME_NS, TEE_PERF_FLAME_CALLS, TEE_PERF_FLAME_SAMPLES };

struct tee_perf_flame_options {
	const char *title;    /* NULL: "Flame graph" */
	const char *subtitle; /* NULL: none; the writer appends the total and what was hidden */
	double width_px;      /* of the picture until a browser fits it to its window; 0: 1200 */
	double min_width_px;  /* frames narrower than this are hidden, and counted in the subtitle; 0: 0.1 */
	bool icicle;          /* root on top */
	bool reverse;         /* merge from the leaf: callers on top of the called; widths of the first row are self */
	enum tee_perf_flame_unit unit;
	uint32_t max_depth; /* rows of frames at most; 0: 512 */
};

/* Writes the SVG. Height is bounded: deep stacks are cut, and the subtitle says how many frames. Flushes out, does not
 * close it. Fails with class RESOURCE when memory ran out (here or while the tree was built) or the values add up to
 * 2^64 and more, SYSTEM when out cannot be written, USAGE for a width that is none. */
int tee_perf_flame_write(const struct tee_perf_flame *flame, const struct tee_perf_flame_options *options, FILE *out,
			 struct tee_perf_error *err);

#endif
