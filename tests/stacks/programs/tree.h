/* SPDX-License-Identifier: MIT */
/* Programs that know their own tree: each function says when it is entered and left, and at the end each distinct stack
 * is printed with how often it was entered: "tree main;f;g 3". Frames of another stack are under "other". */
#ifndef TREE_H
#define TREE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SILENT __attribute__((no_instrument_function, noinline))
#define KEPT   __attribute__((noinline))

struct tree_stack {
	const char *names[64];
	int depth;
};

static struct tree_stack tree_own;
static struct tree_stack *tree_now = &tree_own; /* one thread at a time */
static struct {
	char path[512];
	unsigned long count;
} tree_paths[256];

static SILENT void tree_enter(const char *name)
{
	char path[512] = "";

	tree_now->names[tree_now->depth++] = name;
	for (int i = 0; i < tree_now->depth; i++) {
		strcat(path, i > 0 ? ";" : "");
		strcat(path, tree_now->names[i]);
	}
	int i = 0;
	while (tree_paths[i].count != 0 && strcmp(tree_paths[i].path, path) != 0)
		i++;
	strcpy(tree_paths[i].path, path);
	tree_paths[i].count++;
}

static SILENT void tree_leave(void)
{
	tree_now->depth--;
}

/* Makes another stack the current one, and returns the one before. */
static SILENT struct tree_stack *tree_switch(struct tree_stack *to)
{
	struct tree_stack *before = tree_now;

	if (to != &tree_own && to->depth == 0)
		to->names[to->depth++] = "other";
	tree_now = to;
	return before;
}

static SILENT void tree_print(void)
{
	for (int i = 0; tree_paths[i].count != 0; i++)
		printf("tree %s %lu\n", tree_paths[i].path, tree_paths[i].count);
	fflush(stdout);
}

#define ENTER() tree_enter(__func__)
#define LEAVE() tree_leave()

static KEPT void leaf(void)
{
	ENTER();
	LEAVE();
}

#endif
