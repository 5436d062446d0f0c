/* SPDX-License-Identifier: MIT */
/* The calling-context tree of one thread: a node per distinct stack, and what single calls left per function.
 * Nodes are numbered in the order of their creation, so a parent's number is below its children's. */
#ifndef TEE_PERF_ANALYZER_CCT_H
#define TEE_PERF_ANALYZER_CCT_H

#include "analyzer/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits for hostile input: a node takes some 70 bytes. What exceeds them lands in "[out of memory]", which every tree
 * has, and its root, whatever the limit. */
#define TEE_PERF_NODES_MAX     (UINT32_C(1) << 24) /* of all threads of a model */
#define TEE_PERF_FUNCTIONS_MAX (UINT32_C(1) << 22) /* of one thread */

/* Frames that are no functions. Their functions have these numbers in every tree. */
enum tee_perf_pseudo {
	TEE_PERF_PSEUDO_THREAD,     /* the root: outside of every instrumented function */
	TEE_PERF_PSEUDO_LOST,       /* below an unconfirmed frame after lost records */
	TEE_PERF_PSEUDO_PAUSED,     /* below an unconfirmed frame after recording was switched off and on */
	TEE_PERF_PSEUDO_UNRESOLVED, /* time in which the clock was not published */
	TEE_PERF_PSEUDO_STACK,      /* root of an announced stack other than the thread's first */
	TEE_PERF_PSEUDO_GUESSED,    /* root of a stack that was guessed from a distant CFA */
	TEE_PERF_PSEUDO_MEMORY,     /* calls that found no room in the model */
	TEE_PERF_PSEUDO_COUNT
};

/* Name of a pseudo frame, in brackets. */
const char *tee_perf_pseudo_name(enum tee_perf_pseudo pseudo);

/* Half a cache line: all that a call touches. Hints say which node the next call will probably enter: `child`
 * after a call of this node, `next` after a return from it (the sibling that followed it last time). A hint is a
 * guess: it holds if the entry agrees. Entries of map entries are multiples of 16, those of pseudo frames are not. */
struct tee_perf_node {
	uint32_t entry;
	uint32_t child, next;
	uint32_t function; /* index into functions */
	uint64_t calls;
	uint64_t self_ns;
};

struct tee_perf_node_slot {
	uint64_t key;  /* parent << 32 | entry */
	uint32_t node; /* 0: free (the root is nobody's child) */
};

struct tee_perf_function {
	uint32_t entry;
	bool stale;        /* its module is gone and the address is in use by another */
	uint64_t first_ns; /* when it was first called: decides between modules that had the address in turn */
	uint64_t sum_ns;   /* of timed_count durations above zero */
	uint64_t timed_count;
	uint64_t min_ns, max_ns;    /* of these */
	uint64_t unwound_count;     /* ended without a return of their own: exception, longjmp, exit of the thread */
	uint64_t unconfirmed_count; /* open across lost records or a pause: their durations are not counted */
	uint64_t open_count;        /* open at the end of the recording */
	struct tee_perf_histogram durations;
};

struct tee_perf_cct {
	struct tee_perf_node *nodes; /* 0 is the root */
	uint32_t *parents;
	uint32_t count, capacity;
	struct tee_perf_node_slot *slots; /* open addressing; a power of two */
	uint32_t slot_mask;
	struct tee_perf_function *functions; /* the first TEE_PERF_PSEUDO_COUNT are pseudo */
	uint32_t function_count, function_capacity;
	uint32_t *function_slots; /* function index + 1, 0 free */
	uint32_t function_mask;
	uint32_t overflow;   /* node of TEE_PERF_PSEUDO_MEMORY, made with the tree */
	bool functions_full; /* one found no room: nothing tells of which module the calls of "[out of memory]" are */
	uint32_t *shared_count; /* nodes of all trees that share a limit */
};

/* shared_count is the model's count of nodes, and must outlive the tree. 0, or -1 out of memory. */
int tee_perf_cct_init(struct tee_perf_cct *cct, uint32_t *shared_count);
/* From now on the tree's nodes count there, and no longer where they did. */
void tee_perf_cct_count_in(struct tee_perf_cct *cct, uint32_t *shared_count);
void tee_perf_cct_free(struct tee_perf_cct *cct);

/* Finds or creates the child of parent for a map entry; the node of "[out of memory]" when there is no room. May move
 * nodes. time_ns: the time of the call. */
uint32_t tee_perf_cct_child(struct tee_perf_cct *cct, uint32_t parent, uint32_t entry, uint64_t time_ns);
uint32_t tee_perf_cct_pseudo_child(struct tee_perf_cct *cct, uint32_t parent, enum tee_perf_pseudo pseudo);

/* Finds or creates the function of an entry; TEE_PERF_PSEUDO_MEMORY when there is no room. */
uint32_t tee_perf_cct_function(struct tee_perf_cct *cct, uint32_t entry, uint64_t time_ns);

/* Finds or creates the child of parent for a function number. */
uint32_t tee_perf_cct_attach(struct tee_perf_cct *cct, uint32_t parent, uint32_t function);

/* Appends a function whose addresses another module has taken. TEE_PERF_PSEUDO_MEMORY when there is no room. */
uint32_t tee_perf_cct_stale_function(struct tee_perf_cct *cct, uint32_t entry, uint64_t time_ns);

/* Appends a node as it stands in a profile. parent < count, function < function_count, no such child yet.
 * Returns its number, 0 when there is no room. */
uint32_t tee_perf_cct_append(struct tee_perf_cct *cct, uint32_t parent, uint32_t function);

/* The addresses begin .. begin + size - 1 belong to another module from now on: later calls of them get functions
 * and nodes of their own. 0, or -1 out of memory. */
int tee_perf_cct_retire(struct tee_perf_cct *cct, uint32_t begin, uint32_t size);

static inline bool tee_perf_is_pseudo(uint32_t function)
{
	return function < TEE_PERF_PSEUDO_COUNT;
}

#endif
