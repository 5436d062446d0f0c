/* SPDX-License-Identifier: MIT */
/* Processes that count for themselves. Each prints, with one write, a line for each of its functions when it says so:
 * "calls <pid> <function> <count>". */
#ifndef COUNT_H
#define COUNT_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SILENT __attribute__((no_instrument_function, noinline))
#define KEPT   __attribute__((noinline))

static struct {
	const char *name;
	unsigned long count;
} counts[64];

static SILENT void count(const char *name)
{
	for (int i = 0; i < 64; i++) {
		if (counts[i].name == NULL)
			counts[i].name = name;
		if (strcmp(counts[i].name, name) == 0) {
			counts[i].count++;
			return;
		}
	}
}

/* In a forked child: what it does is its own. */
static SILENT void count_afresh(void)
{
	memset(counts, 0, sizeof counts);
}

static SILENT void say(void)
{
	char text[4096];
	size_t used = 0;

	for (int i = 0; i < 64 && counts[i].name != NULL; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "calls %d %s %lu\n", (int)getpid(),
					 counts[i].name, counts[i].count);
	if (write(1, text, used) != (ssize_t)used)
		_exit(99);
}

#define COUNT() count(__func__)

static KEPT void leaf(void)
{
	COUNT();
}

#endif
