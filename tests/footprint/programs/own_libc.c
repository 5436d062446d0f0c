/* SPDX-License-Identifier: MIT */
/* A program with a malloc, memcpy, memset, memmove and write of its own, all with hooks. A hook that called one of them
 * would call itself. */
#include "../../record/programs/expect.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWN __attribute__((noinline, no_builtin))

static _Alignas(16) char arena[1 << 24];
static size_t used;
static unsigned long mallocs, copies, sets, moves, writes;
static volatile int counting, in_main;
static unsigned long early; /* mallocs before main, for which nobody here asked */

OWN void *malloc(size_t size)
{
	size_t begin = __atomic_fetch_add(&used, (size + 31) & ~(size_t)15, __ATOMIC_RELAXED);

	mallocs += counting;
	early += !in_main;
	*(size_t *)(arena + begin) = size;
	return begin + size + 32 < sizeof arena ? arena + begin + 16 : NULL;
}

OWN void free(void *p)
{
	(void)p;
}

OWN void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	copies += counting;
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

OWN void *memmove(void *to, const void *from, size_t size)
{
	moves += counting;
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

OWN void *memset(void *to, int c, size_t size)
{
	sets += counting;
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = (char)c;
	return to;
}

OWN void *calloc(size_t count, size_t size)
{
	return malloc(count * size); /* the arena is fresh */
}

OWN void *realloc(void *old, size_t size)
{
	void *fresh = malloc(size);

	if (old != NULL && fresh != NULL) {
		size_t before = *(size_t *)((char *)old - 16);
		memcpy(fresh, old, before < size ? before : size);
	}
	return fresh;
}

OWN ssize_t write(int fd, const void *data, size_t size)
{
	long result;

	writes += counting;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_write), "D"(fd), "S"(data), "d"(size)
			 : "rcx", "r11", "memory");
	return result;
}

KEPT static void use(int round)
{
	char *text = malloc(100 + (size_t)round);
	char copy[128];

	memset(text, 'x', 100);
	memcpy(copy, text, 100);
	memmove(copy + 1, copy, 50);
	text = realloc(text, 200);
	free(text);
}

int main(void)
{
	/* All calls of the process are recorded; what starts it up is measured, so that it can be told apart. */
	in_main = counting = 1;
	for (int i = 0; i < 500; i++)
		use(i);
	write(2, "", 0);
	counting = 0;
	expect("use", 500);
	expect("main", 1);
	/* More is right: the C library calls them as well. */
	printf("between malloc %lu %lu\n", mallocs, mallocs + 100);
	printf("between memcpy %lu %lu\n", copies, copies + 1000);
	printf("between memset %lu %lu\n", sets, sets + 1000);
	printf("between memmove %lu %lu\n", moves, moves + 1000);
	printf("between write %lu %lu\n", writes, writes + 100);
	/* Nor did a hook call one of them: that would be a call nobody here asked for. */
	return mallocs != 1000 || copies != 1000 || sets != 500 || moves != 500 || writes != 1 || early != 0;
}
