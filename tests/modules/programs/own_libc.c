/* SPDX-License-Identifier: MIT */
/* A program whose malloc, free, memcpy, memset and write are its own, with hooks. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEPT __attribute__((noinline))

static char arena[16 << 20] __attribute__((aligned(64)));
static size_t arena_used;
static unsigned long mallocs, memcpys, writes;

KEPT void *malloc(size_t size)
{
	__atomic_fetch_add(&mallocs, 1, __ATOMIC_RELAXED);
	size_t at = __atomic_fetch_add(&arena_used, ((size + 15) & ~(size_t)15) + 16, __ATOMIC_RELAXED);
	if (at + size + 16 > sizeof arena) {
		errno = ENOMEM;
		return NULL;
	}
	*(size_t *)(arena + at) = size;
	return arena + at + 16;
}

KEPT void free(void *p)
{
	__asm__ volatile("" : "+r"(p));
}

KEPT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	__atomic_fetch_add(&memcpys, 1, __ATOMIC_RELAXED);
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

KEPT void *memset(void *to, int c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = (char)c;
	return to;
}

KEPT void *calloc(size_t count, size_t size)
{
	void *p = malloc(count * size);
	return p == NULL ? NULL : memset(p, 0, count * size);
}

KEPT void *realloc(void *old, size_t size)
{
	void *p = malloc(size);
	size_t before = old == NULL ? 0 : *(size_t *)((char *)old - 16);
	return p == NULL || old == NULL ? p : memcpy(p, old, before < size ? before : size);
}

KEPT ssize_t write(int fd, const void *data, size_t size)
{
	__atomic_fetch_add(&writes, 1, __ATOMIC_RELAXED);
	return syscall(SYS_write, fd, data, size);
}

static void *thread(void *unused)
{
	for (int i = 0; i < 1000; i++)
		free(malloc(10));
	return unused;
}

int main(void)
{
	pthread_t threads[4];
	char text[200];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 100; i++)
		memcpy(text + i, "x", 1 + (size_t)(i & 1));
	int length = snprintf(text, sizeof text, "malloc %lu\nmemcpy %lu\nwrite %lu\n", mallocs, memcpys, writes + 1);
	return write(1, text, (size_t)length) == length ? 0 : 1;
}
