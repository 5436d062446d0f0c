/* SPDX-License-Identifier: MIT */
#include "announce.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_THREADS = 32, MAX_EVENTS = 1 << 15, MAX_COUNTS = 32 };

struct event {
	char kind;          /* e: enter, l: leave, t: tail, j: landed, x: at the thread's end */
	unsigned char lost; /* of leave: no hook runs there */
	unsigned node;
	const char *name;
	const void *cfa;
};

struct thread {
	long tid;
	unsigned count;
	_Bool ends;
	struct event events[MAX_EVENTS];
};

static struct thread threads[MAX_THREADS];
static struct {
	const char *name, *caller;
	unsigned long calls;
} counts[MAX_COUNTS];
static atomic_uint thread_count, count_count;
static _Thread_local struct thread *self;

static unsigned add(struct event event)
{
	int saved = errno;

	if (!self) {
		unsigned number = atomic_fetch_add(&thread_count, 1);
		if (number >= MAX_THREADS)
			abort();
		self = &threads[number];
		self->tid = syscall(SYS_gettid);
	}
	if (self->count >= MAX_EVENTS)
		abort();
	self->events[self->count] = event;
	errno = saved;
	return self->count++;
}

unsigned announce_enter(const char *name, const void *cfa)
{
	return add((struct event){ .kind = 'e', .name = name, .cfa = cfa });
}

void announce_leave(const unsigned *node)
{
	add((struct event){ .kind = 'l', .node = *node, .lost = self->ends });
}

void announce_tail(unsigned node)
{
	add((struct event){ .kind = 't', .node = node });
}

void announce_landed(unsigned node)
{
	add((struct event){ .kind = 'j', .node = node });
}

void announce_thread_ends(void)
{
	self->ends = 1;
}

void announce_thread_ended(void)
{
	self->ends = 0;
	add((struct event){ .kind = 'x' });
}

void announce_count(const char *name, unsigned long calls, const char *caller)
{
	unsigned number = atomic_fetch_add(&count_count, 1);

	if (number >= MAX_COUNTS)
		abort();
	counts[number].name = name;
	counts[number].calls = calls;
	counts[number].caller = caller;
}

static void print_event(FILE *out, unsigned number, const struct event *event)
{
	if (event->kind == 'e')
		fprintf(out, "e\t%u\t%lx\t%s\n", number, (unsigned long)event->cfa, event->name);
	else
		fprintf(out, "%c\t%u\t%d\n", event->kind, event->node, event->lost);
}

/* The last of this image to run: static objects and destructor functions come before it. */
__attribute__((destructor(101))) void announce_dump(void)
{
	const char *path = getenv("MATRIX_TREE");
	FILE *out = path ? fopen(path, "w") : NULL;

	if (!out)
		return;
	for (unsigned i = 0; i < count_count; i++)
		fprintf(out, "count\t%s\t%lu\t%s\n", counts[i].name, counts[i].calls,
			counts[i].caller ? counts[i].caller : "");
	for (unsigned t = 0; t < thread_count; t++) {
		fprintf(out, "thread\t%ld\n", threads[t].tid);
		for (unsigned i = 0; i < threads[t].count; i++)
			print_event(out, i, &threads[t].events[i]);
	}
	fprintf(out, "end\n");
	fclose(out);
}
