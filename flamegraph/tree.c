/* SPDX-License-Identifier: MIT */
#include "flamegraph/tree.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_SLOT_COUNT 1024

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_bytes(uint64_t seed, const char *bytes, size_t size)
{
	uint64_t hash = seed ^ size;
	uint64_t word;
	for (; size > 8; bytes += 8, size -= 8) {
		memcpy(&word, bytes, 8);
		hash = mix(hash, word ^ seed);
	}
	word = 0;
	memcpy(&word, bytes, size);
	return mix(hash ^ seed, mix(word, hash));
}

/* Makes room for one more element; -1 out of memory, or more elements than a 32-bit index can name. */
static int reserve(void **array, size_t *capacity, size_t count, size_t element_size)
{
	if (count < *capacity)
		return 0;
	size_t wanted = *capacity ? *capacity * 2 : 256;
	if (count >= UINT32_MAX - 1)
		return -1;
	void *grown = realloc(*array, wanted * element_size);
	if (grown == NULL)
		return -1;
	*array = grown;
	*capacity = wanted;
	return 0;
}

typedef uint64_t (*hash_of)(const struct tee_perf_flame *flame, uint32_t index);

/* Keeps the table at most half full; index -> hash is asked again when it grows. */
static int table_reserve(const struct tee_perf_flame *flame, struct flame_table *table, hash_of hash)
{
	if ((table->used + 1) * 2 <= table->slot_count)
		return 0;
	size_t slot_count = table->slot_count ? table->slot_count * 2 : FIRST_SLOT_COUNT;
	uint32_t *slots = calloc(slot_count, sizeof *slots);
	if (slots == NULL)
		return -1;
	for (uint32_t index = 0; index < table->used; index++) {
		size_t slot = hash(flame, index) & (slot_count - 1);
		while (slots[slot] != 0)
			slot = (slot + 1) & (slot_count - 1);
		slots[slot] = index + 1;
	}
	free(table->slots);
	table->slots = slots;
	table->slot_count = slot_count;
	return 0;
}

/* ---- strings */

static uint64_t string_hash(const struct tee_perf_flame *flame, uint32_t index)
{
	const char *string = flame_text(flame, flame->string_offsets[index]);
	return hash_bytes(flame->seed, string, strlen(string));
}

static int text_append(struct tee_perf_flame *flame, const char *string, size_t size)
{
	if (size > UINT32_MAX - flame->text_size)
		return -1;
	if (flame->text_size + size > flame->text_capacity) {
		size_t wanted = (flame->text_size + size) * 2;
		char *grown = realloc(flame->text, wanted);
		if (grown == NULL)
			return -1;
		flame->text = grown;
		flame->text_capacity = wanted;
	}
	memcpy(flame->text + flame->text_size, string, size);
	flame->text_size += size;
	return 0;
}

/* Gives the string's offset; -1 out of memory. */
static int intern(struct tee_perf_flame *flame, const char *string, uint32_t *offset)
{
	*offset = 0;
	if (string == NULL || *string == '\0')
		return 0;
	if (table_reserve(flame, &flame->strings, string_hash) != 0)
		return -1;
	struct flame_table *table = &flame->strings;
	size_t length = strlen(string), mask = table->slot_count - 1;
	size_t slot = hash_bytes(flame->seed, string, length) & mask;
	for (; table->slots[slot] != 0; slot = (slot + 1) & mask) {
		*offset = flame->string_offsets[table->slots[slot] - 1];
		if (strcmp(flame_text(flame, *offset), string) == 0)
			return 0;
	}
	if (reserve((void **)&flame->string_offsets, &flame->string_capacity, flame->string_count,
		    sizeof *flame->string_offsets) != 0)
		return -1;
	*offset = (uint32_t)flame->text_size;
	if (text_append(flame, string, length + 1) != 0)
		return -1;
	flame->string_offsets[flame->string_count++] = *offset;
	table->slots[slot] = (uint32_t)++table->used;
	return 0;
}

/* ---- frames */

static uint64_t frame_hash_of(const struct tee_perf_flame *flame, const struct flame_frame *frame)
{
	uint64_t names = (uint64_t)frame->name << 32 | frame->module;
	uint64_t place = (uint64_t)frame->file << 32 | frame->line;
	return mix(mix(names, flame->seed), place);
}

static uint64_t frame_hash(const struct tee_perf_flame *flame, uint32_t index)
{
	return frame_hash_of(flame, &flame->frames[index]);
}

static int frame_find(struct tee_perf_flame *flame, const struct flame_frame *wanted, uint32_t *index)
{
	if (table_reserve(flame, &flame->identities, frame_hash) != 0)
		return -1;
	struct flame_table *table = &flame->identities;
	size_t mask = table->slot_count - 1, slot = frame_hash_of(flame, wanted) & mask;
	for (; table->slots[slot] != 0; slot = (slot + 1) & mask) {
		*index = table->slots[slot] - 1;
		if (memcmp(&flame->frames[*index], wanted, sizeof *wanted) == 0)
			return 0;
	}
	if (reserve((void **)&flame->frames, &flame->frame_capacity, flame->frame_count, sizeof *flame->frames) != 0)
		return -1;
	*index = (uint32_t)flame->frame_count;
	flame->frames[flame->frame_count++] = *wanted;
	table->slots[slot] = (uint32_t)++table->used;
	return 0;
}

/* ---- nodes */

static uint64_t child_hash_of(const struct tee_perf_flame *flame, uint32_t parent, uint32_t frame)
{
	return mix((uint64_t)parent << 32 | frame, flame->seed);
}

static uint64_t child_hash(const struct tee_perf_flame *flame, uint32_t index)
{
	return child_hash_of(flame, flame->nodes[index].parent, flame->nodes[index].frame);
}

static int child_find(struct tee_perf_flame *flame, uint32_t parent, uint32_t frame, uint32_t *index)
{
	if (table_reserve(flame, &flame->children, child_hash) != 0)
		return -1;
	struct flame_table *table = &flame->children;
	size_t mask = table->slot_count - 1, slot = child_hash_of(flame, parent, frame) & mask;
	for (; table->slots[slot] != 0; slot = (slot + 1) & mask) {
		*index = table->slots[slot] - 1;
		if (flame->nodes[*index].parent == parent && flame->nodes[*index].frame == frame && *index != 0)
			return 0;
	}
	if (reserve((void **)&flame->nodes, &flame->node_capacity, flame->node_count, sizeof *flame->nodes) != 0)
		return -1;
	*index = (uint32_t)flame->node_count;
	flame->nodes[flame->node_count++] = (struct flame_node){ .parent = parent, .frame = frame };
	table->slots[slot] = (uint32_t)++table->used;
	return 0;
}

tee_perf_flame_node tee_perf_flame_child(struct tee_perf_flame *flame, tee_perf_flame_node parent, const char *name,
					 const char *module, const char *file, uint32_t line)
{
	struct flame_frame wanted = { .line = line };
	uint32_t frame, node;
	if (parent == TEE_PERF_FLAME_NONE)
		return TEE_PERF_FLAME_NONE;
	if (intern(flame, name, &wanted.name) != 0 || intern(flame, module, &wanted.module) != 0 ||
	    intern(flame, file, &wanted.file) != 0 || frame_find(flame, &wanted, &frame) != 0 ||
	    child_find(flame, parent, frame, &node) != 0) {
		flame->out_of_memory = true;
		return TEE_PERF_FLAME_NONE;
	}
	return node;
}

void tee_perf_flame_add(struct tee_perf_flame *flame, tee_perf_flame_node node, uint64_t self, uint64_t calls)
{
	if (node == TEE_PERF_FLAME_NONE)
		return;
	/* As long as the sums fit, every total does. */
	if (__builtin_add_overflow(flame->self_sum, self, &flame->self_sum) ||
	    __builtin_add_overflow(flame->calls_sum, calls, &flame->calls_sum))
		flame->overflow = true;
	flame->nodes[node].self += self;
	flame->nodes[node].calls += calls;
}

/* ---- life */

static uint64_t new_seed(void)
{
	struct timespec now;
	static int here;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return mix((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec, (uint64_t)(uintptr_t)&here);
}

struct tee_perf_flame *tee_perf_flame_new(void)
{
	struct tee_perf_flame *flame = calloc(1, sizeof *flame);
	uint32_t frame, root;
	if (flame == NULL)
		return NULL;
	flame->seed = new_seed();
	if (text_append(flame, "", 1) != 0 || frame_find(flame, &(struct flame_frame){ 0 }, &frame) != 0 ||
	    child_find(flame, 0, frame, &root) != 0) {
		tee_perf_flame_free(flame);
		return NULL;
	}
	return flame;
}

void tee_perf_flame_free(struct tee_perf_flame *flame)
{
	if (flame == NULL)
		return;
	free(flame->text);
	free(flame->strings.slots);
	free(flame->identities.slots);
	free(flame->children.slots);
	free(flame->string_offsets);
	free(flame->frames);
	free(flame->nodes);
	free(flame);
}
