/* SPDX-License-Identifier: MIT */
#include "flamegraph/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The last stack: its text, and for each of its frames where the text ends and the node. Files are mostly sorted, so
 * most of a line is the line before. */
struct folded {
	struct tee_perf_flame *flame;
	const char *name;
	uint64_t line;
	char *last;
	size_t last_capacity, last_size;
	struct prefix {
		size_t end; /* bytes of `last`, without the `;` */
		tee_perf_flame_node node;
	} * prefixes;
	size_t prefix_count, prefix_capacity;
};

static int bad(const struct folded *folded, struct tee_perf_error *err, const char *what)
{
	return tee_perf_fail(err, TEE_PERF_INPUT, "%s:%llu: %s; a line is `frame;frame;frame count`", folded->name,
			     (unsigned long long)folded->line, what);
}

static int no_memory(const struct folded *folded, struct tee_perf_error *err)
{
	return tee_perf_fail(err, TEE_PERF_RESOURCE, "%s:%llu: out of memory", folded->name,
			     (unsigned long long)folded->line);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool all_blank(const char *line, size_t size)
{
	while (size > 0 && is_blank(line[size - 1]))
		size--;
	return size == 0;
}

/* Splits a line into stack and count: *size becomes the stack's. */
static int parse_count(const struct folded *folded, const char *line, size_t *size, uint64_t *count,
		       struct tee_perf_error *err)
{
	size_t end = *size, begin;
	while (end > 0 && is_blank(line[end - 1]))
		end--;
	for (begin = end; begin > 0 && !is_blank(line[begin - 1]); begin--)
		;
	*count = 0;
	for (size_t i = begin; i < end; i++) {
		if (line[i] < '0' || line[i] > '9')
			return bad(folded, err, begin == 0 ? "no count" : "the count is not a whole number");
		if (__builtin_mul_overflow(*count, 10u, count) ||
		    __builtin_add_overflow(*count, (uint64_t)(line[i] - '0'), count))
			return bad(folded, err, "the count is above 2^64 - 1");
	}
	while (begin > 0 && is_blank(line[begin - 1]))
		begin--;
	if (begin == 0)
		return bad(folded, err, "no stack before the count");
	*size = begin;
	return 0;
}

/* Drops the prefixes that the new stack does not share. Gives where its first new frame begins. */
static size_t keep_shared(struct folded *folded, const char *stack, size_t size)
{
	size_t shared = 0, most = size < folded->last_size ? size : folded->last_size;
	while (shared < most && stack[shared] == folded->last[shared])
		shared++;
	while (folded->prefix_count > 0) {
		size_t end = folded->prefixes[folded->prefix_count - 1].end;
		if (end <= shared && (end == size || stack[end] == ';'))
			return end == size ? size : end + 1;
		folded->prefix_count--;
	}
	return 0;
}

static int push_prefix(struct folded *folded, size_t end, tee_perf_flame_node node)
{
	if (folded->prefix_count == folded->prefix_capacity) {
		size_t wanted = folded->prefix_capacity ? folded->prefix_capacity * 2 : 64;
		struct prefix *grown = realloc(folded->prefixes, wanted * sizeof *grown);
		if (grown == NULL)
			return -1;
		folded->prefixes = grown;
		folded->prefix_capacity = wanted;
	}
	folded->prefixes[folded->prefix_count++] = (struct prefix){ .end = end, .node = node };
	return 0;
}

/* Copies the stack to folded->last and gives the node of its leaf there; NONE out of memory. The line may be changed.
 */
static tee_perf_flame_node find_leaf(struct folded *folded, char *stack, size_t size)
{
	size_t begin = keep_shared(folded, stack, size);
	if (size + 1 > folded->last_capacity) {
		char *grown = realloc(folded->last, (size + 1) * 2);
		if (grown == NULL)
			return TEE_PERF_FLAME_NONE;
		folded->last = grown;
		folded->last_capacity = (size + 1) * 2;
	}
	memcpy(folded->last, stack, size);
	folded->last_size = size;
	tee_perf_flame_node node = TEE_PERF_FLAME_ROOT;
	if (folded->prefix_count > 0)
		node = folded->prefixes[folded->prefix_count - 1].node;
	while (folded->prefix_count == 0 || folded->prefixes[folded->prefix_count - 1].end < size) {
		char *semicolon = memchr(stack + begin, ';', size - begin);
		size_t end = semicolon != NULL ? (size_t)(semicolon - stack) : size;
		stack[end] = '\0';
		node = tee_perf_flame_child(folded->flame, node, stack + begin, NULL, NULL, 0);
		if (node == TEE_PERF_FLAME_NONE || push_prefix(folded, end, node) != 0)
			return TEE_PERF_FLAME_NONE;
		begin = end + 1;
	}
	return node;
}

/* line: `size` bytes and a writable one behind them. */
static int take_line(struct folded *folded, char *line, size_t size, struct tee_perf_error *err)
{
	uint64_t count;
	if (folded->line == 1 && size >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
		line += 3;
		size -= 3;
	}
	while (size > 0 && (line[size - 1] == '\n' || line[size - 1] == '\r'))
		size--;
	if (line[0] == '#' || all_blank(line, size))
		return 0;
	if (memchr(line, '\0', size) != NULL)
		return bad(folded, err, "a NUL byte");
	if (parse_count(folded, line, &size, &count, err) != 0)
		return -1;
	tee_perf_flame_node node = find_leaf(folded, line, size);
	if (node == TEE_PERF_FLAME_NONE)
		return no_memory(folded, err);
	tee_perf_flame_add(folded->flame, node, count, 0);
	return 0;
}

int tee_perf_flame_read_folded(struct tee_perf_flame *flame, FILE *in, const char *name, struct tee_perf_error *err)
{
	struct folded folded = { .flame = flame, .name = name };
	char *line = NULL;
	size_t capacity = 0;
	ssize_t size;
	int status = 0;
	errno = 0;
	while (status == 0 && (size = getline(&line, &capacity, in)) >= 0) {
		folded.line++;
		status = take_line(&folded, line, (size_t)size, err);
	}
	if (status == 0 && ferror(in))
		status = tee_perf_fail_errno(err, "cannot read %s", name);
	else if (status == 0 && !feof(in))
		status = no_memory(&folded, err);
	free(line);
	free(folded.last);
	free(folded.prefixes);
	return status;
}
