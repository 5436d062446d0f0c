/* SPDX-License-Identifier: MIT */
#include "analyzer/cct.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_NODES     64u
#define FIRST_FUNCTIONS 32u
#define NODES_ALWAYS    2u /* the root and "[out of memory]": a thread that begins when the model is full needs them */

#define STALE_ENTRY 15u /* as little a map entry as the pseudo entries below */

static uint32_t pseudo_entry(enum tee_perf_pseudo pseudo)
{
	return (uint32_t)pseudo * 2 + 1;
}

const char *tee_perf_pseudo_name(enum tee_perf_pseudo pseudo)
{
	static const char *const names[TEE_PERF_PSEUDO_COUNT] = {
		[TEE_PERF_PSEUDO_THREAD] = "[not instrumented]", [TEE_PERF_PSEUDO_LOST] = "[after lost records]",
		[TEE_PERF_PSEUDO_PAUSED] = "[after a pause]",    [TEE_PERF_PSEUDO_UNRESOLVED] = "[unresolved]",
		[TEE_PERF_PSEUDO_STACK] = "[other stack]",       [TEE_PERF_PSEUDO_GUESSED] = "[guessed stack]",
		[TEE_PERF_PSEUDO_MEMORY] = "[out of memory]",
	};
	return names[pseudo];
}

static uint32_t hash(uint64_t key)
{
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint64_t node_key(uint32_t parent, uint32_t entry)
{
	return (uint64_t)parent << 32 | entry;
}

/* The slot that holds the key, or the free one where it belongs. */
static struct tee_perf_node_slot *find_slot(const struct tee_perf_cct *cct, uint64_t key)
{
	uint32_t place = hash(key) & cct->slot_mask;
	while (cct->slots[place].node != 0 && cct->slots[place].key != key)
		place = (place + 1) & cct->slot_mask;
	return &cct->slots[place];
}

/* Fills a table of at least twice `capacity` slots from the nodes. */
static int rehash_nodes(struct tee_perf_cct *cct, uint32_t capacity)
{
	struct tee_perf_node_slot *slots = calloc((size_t)capacity * 2, sizeof *slots);
	if (slots == NULL)
		return -1;
	free(cct->slots);
	cct->slots = slots;
	cct->slot_mask = capacity * 2 - 1;
	for (uint32_t node = 1; node < cct->count; node++) {
		if (cct->nodes[node].entry == STALE_ENTRY)
			continue;
		uint64_t key = node_key(cct->parents[node], cct->nodes[node].entry);
		*find_slot(cct, key) = (struct tee_perf_node_slot){ key, node };
	}
	return 0;
}

static int grow_nodes(struct tee_perf_cct *cct)
{
	if (cct->capacity >= TEE_PERF_NODES_MAX)
		return -1;
	uint32_t capacity = cct->capacity == 0 ? FIRST_NODES : cct->capacity * 2;
	struct tee_perf_node *nodes = aligned_alloc(64, capacity * sizeof *nodes);
	uint32_t *parents = malloc(capacity * sizeof *parents);
	if (nodes == NULL || parents == NULL || rehash_nodes(cct, capacity) != 0) {
		free(nodes);
		free(parents);
		return -1;
	}
	if (cct->count != 0) {
		memcpy(nodes, cct->nodes, cct->count * sizeof *nodes);
		memcpy(parents, cct->parents, cct->count * sizeof *parents);
	}
	free(cct->nodes);
	free(cct->parents);
	cct->nodes = nodes;
	cct->parents = parents;
	cct->capacity = capacity;
	return 0;
}

static int add_node(struct tee_perf_cct *cct, uint32_t parent, uint32_t entry, uint32_t function)
{
	if (*cct->shared_count >= TEE_PERF_NODES_MAX && cct->count >= NODES_ALWAYS)
		return -1;
	if (cct->count == cct->capacity && grow_nodes(cct) != 0)
		return -1;
	cct->nodes[cct->count] = (struct tee_perf_node){ .entry = entry, .function = function };
	cct->parents[cct->count] = parent;
	cct->count++;
	++*cct->shared_count;
	return 0;
}

static uint32_t *find_function_slot(const struct tee_perf_cct *cct, uint32_t entry)
{
	uint32_t place = hash(entry) & cct->function_mask;
	while (cct->function_slots[place] != 0 && cct->functions[cct->function_slots[place] - 1].entry != entry)
		place = (place + 1) & cct->function_mask;
	return &cct->function_slots[place];
}

static int rehash_functions(struct tee_perf_cct *cct, uint32_t capacity)
{
	uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
	if (slots == NULL)
		return -1;
	free(cct->function_slots);
	cct->function_slots = slots;
	cct->function_mask = capacity * 2 - 1;
	for (uint32_t i = 0; i < cct->function_count; i++)
		if (!cct->functions[i].stale)
			*find_function_slot(cct, cct->functions[i].entry) = i + 1;
	return 0;
}

static int grow_functions(struct tee_perf_cct *cct)
{
	if (cct->function_capacity >= TEE_PERF_FUNCTIONS_MAX)
		return -1;
	uint32_t capacity = cct->function_capacity == 0 ? FIRST_FUNCTIONS : cct->function_capacity * 2;
	struct tee_perf_function *functions = realloc(cct->functions, capacity * sizeof *functions);
	if (functions == NULL)
		return -1;
	cct->functions = functions;
	if (rehash_functions(cct, capacity) != 0)
		return -1;
	cct->function_capacity = capacity;
	return 0;
}

static int add_function(struct tee_perf_cct *cct, uint32_t entry, uint64_t time_ns)
{
	if (cct->function_count == cct->function_capacity && grow_functions(cct) != 0) {
		cct->functions_full = true;
		return -1;
	}
	cct->functions[cct->function_count] =
	    (struct tee_perf_function){ .entry = entry, .first_ns = time_ns, .min_ns = UINT64_MAX };
	cct->function_count++;
	return 0;
}

uint32_t tee_perf_cct_stale_function(struct tee_perf_cct *cct, uint32_t entry, uint64_t time_ns)
{
	if (add_function(cct, entry, time_ns) != 0)
		return TEE_PERF_PSEUDO_MEMORY;
	cct->functions[cct->function_count - 1].stale = true;
	return cct->function_count - 1;
}

uint32_t tee_perf_cct_function(struct tee_perf_cct *cct, uint32_t entry, uint64_t time_ns)
{
	uint32_t found = *find_function_slot(cct, entry);
	if (found != 0)
		return found - 1;
	if (add_function(cct, entry, time_ns) != 0)
		return TEE_PERF_PSEUDO_MEMORY;
	*find_function_slot(cct, entry) = cct->function_count;
	return cct->function_count - 1;
}

int tee_perf_cct_init(struct tee_perf_cct *cct, uint32_t *shared_count)
{
	*cct = (struct tee_perf_cct){ .shared_count = shared_count };
	if (grow_functions(cct) != 0)
		goto fail;
	for (unsigned i = 0; i < TEE_PERF_PSEUDO_COUNT; i++)
		if (tee_perf_cct_function(cct, pseudo_entry(i), 0) != i)
			goto fail;
	if (add_node(cct, 0, pseudo_entry(TEE_PERF_PSEUDO_THREAD), TEE_PERF_PSEUDO_THREAD) != 0)
		goto fail;
	cct->overflow = tee_perf_cct_append(cct, 0, TEE_PERF_PSEUDO_MEMORY);
	if (cct->overflow != 0)
		return 0;
fail:
	tee_perf_cct_free(cct);
	return -1;
}

void tee_perf_cct_count_in(struct tee_perf_cct *cct, uint32_t *shared_count)
{
	*cct->shared_count -= cct->count;
	*shared_count += cct->count;
	cct->shared_count = shared_count;
}

void tee_perf_cct_free(struct tee_perf_cct *cct)
{
	for (uint32_t i = 0; i < cct->function_count; i++)
		tee_perf_histogram_clear(&cct->functions[i].durations);
	if (cct->shared_count != NULL)
		*cct->shared_count -= cct->count;
	free(cct->nodes);
	free(cct->parents);
	free(cct->slots);
	free(cct->functions);
	free(cct->function_slots);
	*cct = (struct tee_perf_cct){ 0 };
}

uint32_t tee_perf_cct_append(struct tee_perf_cct *cct, uint32_t parent, uint32_t function)
{
	uint32_t entry = cct->functions[function].entry;
	if (add_node(cct, parent, entry, function) != 0)
		return 0;
	uint32_t node = cct->count - 1;
	if (cct->functions[function].stale) {
		cct->nodes[node].entry = STALE_ENTRY;
	} else {
		uint64_t key = node_key(parent, entry);
		*find_slot(cct, key) = (struct tee_perf_node_slot){ key, node };
	}
	return node;
}

uint32_t tee_perf_cct_child(struct tee_perf_cct *cct, uint32_t parent, uint32_t entry, uint64_t time_ns)
{
	if (entry < 16) /* a record that names no function may not reach a pseudo frame */
		entry = 0;
	const struct tee_perf_node_slot *slot = find_slot(cct, node_key(parent, entry));
	if (slot->node != 0)
		return slot->node;
	return tee_perf_cct_attach(cct, parent, tee_perf_cct_function(cct, entry, time_ns));
}

uint32_t tee_perf_cct_attach(struct tee_perf_cct *cct, uint32_t parent, uint32_t function)
{
	if (parent == cct->overflow || function == TEE_PERF_PSEUDO_MEMORY)
		return cct->overflow;
	if (!cct->functions[function].stale) {
		const struct tee_perf_node_slot *slot =
		    find_slot(cct, node_key(parent, cct->functions[function].entry));
		if (slot->node != 0)
			return slot->node;
	}
	uint32_t node = tee_perf_cct_append(cct, parent, function);
	return node != 0 ? node : cct->overflow;
}

uint32_t tee_perf_cct_pseudo_child(struct tee_perf_cct *cct, uint32_t parent, enum tee_perf_pseudo pseudo)
{
	return tee_perf_cct_attach(cct, parent, pseudo);
}

int tee_perf_cct_retire(struct tee_perf_cct *cct, uint32_t begin, uint32_t size)
{
	for (uint32_t i = TEE_PERF_PSEUDO_COUNT; i < cct->function_count; i++)
		if (cct->functions[i].entry - begin < size)
			cct->functions[i].stale = true;
	for (uint32_t i = 0; i < cct->count; i++) {
		struct tee_perf_node *node = &cct->nodes[i];
		if (cct->functions[node->function].stale)
			node->entry = STALE_ENTRY;
	}
	if (rehash_functions(cct, cct->function_capacity) != 0)
		return -1;
	return rehash_nodes(cct, cct->capacity);
}
