/* SPDX-License-Identifier: MIT */
/* The tree behind flamegraph.h, for the other files of this folder. A node's parent always has the smaller id, so
 * every pass over the tree is a loop over an array, in one direction or the other: depth costs no stack. */
#ifndef TEE_PERF_FLAMEGRAPH_TREE_H
#define TEE_PERF_FLAMEGRAPH_TREE_H

#include "flamegraph/flamegraph.h"

/* An identity: two frames are the same exactly if these four are. Strings are offsets into tee_perf_flame.text. */
struct flame_frame {
	uint32_t name, module, file, line;
};

struct flame_node {
	uint32_t parent; /* of the root: 0 */
	uint32_t frame;  /* index into frames; of the root: 0, a frame without a name */
	uint64_t self, calls;
};

/* Open addressing, a power of two of slots; a slot holds index + 1, 0 is free. */
struct flame_table {
	uint32_t *slots;
	size_t slot_count, used;
};

struct tee_perf_flame {
	uint64_t seed; /* of the hashes: what a log calls its functions must not choose who collides */
	char *text;    /* interned strings, each NUL-terminated; offset 0 is "" */
	size_t text_size, text_capacity;
	struct flame_table strings, identities, children;
	struct flame_frame *frames;
	size_t frame_count, frame_capacity;
	struct flame_node *nodes;
	size_t node_count, node_capacity;
	uint32_t *string_offsets; /* of string i */
	size_t string_count, string_capacity;
	uint64_t self_sum, calls_sum;
	bool out_of_memory, overflow; /* what writing will complain about */
};

static inline const char *flame_text(const struct tee_perf_flame *flame, uint32_t offset)
{
	return flame->text + offset;
}

#endif
