/* SPDX-License-Identifier: MIT */
/* Takes the runtime through all that it does to host memory, for a tool that lists every access. One thread unless said
 * otherwise; the host's own part is played in between. */
#define _GNU_SOURCE
#include "tests/runtime/accesses.h"

#include "runtime/offer.h"
#include "runtime/platform/local.h"
#include "runtime/thread.h"

#include "hook_call.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RING         (4u * TEE_PERF_SUBBUF_BYTES)
#define MODULE_BYTES TEE_PERF_SUBBUF_BYTES
#define ON(policy)   (TEE_PERF_CONTROL_ON | (uint64_t)(policy) << TEE_PERF_CONTROL_FULL_SHIFT)
#define TSC          ((uint64_t)TEE_PERF_CLOCK_TSC << TEE_PERF_CONTROL_CLOCK_SHIFT)

static struct tee_perf_map_entry entry __attribute__((aligned(16)));
static struct tee_perf_log_header *header;
static struct tee_perf_log_segment *segment;
static struct tee_perf_thread threads[2] __attribute__((aligned(128)));
static uint64_t next;
static unsigned tick = 1; /* of the host's clock, at each event */

static bool anywhere(uintptr_t begin, uint64_t size)
{
	(void)begin;
	(void)size;
	return true;
}

/* A fresh log in a part of its own. */
static void attach(uint64_t control, uint32_t slots)
{
	static uintptr_t at = HOST_BEGIN;
	uint64_t bytes = TEE_PERF_SLOTS_OFFSET(MODULE_BYTES) + slots * TEE_PERF_SLOT_BYTES((uint64_t)RING);
	struct tee_perf_log_header content = { .magic = TEE_PERF_LOG_MAGIC,
					       .version = TEE_PERF_LOG_VERSION,
					       .process_max = 1,
					       .slot_max = slots,
					       .ring_bytes = RING,
					       .segment_bytes = bytes,
					       .module_bytes = MODULE_BYTES,
					       .control = control,
					       .clock = 1 };

	if (mmap((void *)at, HOST_PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
	    (void *)at)
		abort();
	tee_perf_local_detach();
	memset(threads, 0, sizeof threads);
	header = (void *)at;
	segment = (void *)(at + TEE_PERF_SUBBUF_BYTES);
	memcpy(header, &content, sizeof content);
	next = 0;
	struct tee_perf_offer offer = { .header = (uint64_t)header,
					.segment = (uint64_t)segment,
					.segment_bytes = bytes,
					.process = (uint64_t)header + TEE_PERF_TABLE_OFFSET,
					.slots = slots };
	if (!tee_perf_attach_offer(&offer, anywhere, threads, 2))
		abort();
	tee_perf_state.foreign_counter = false;
	at += HOST_PART;
}

/* Frees what the thread of slot 0 has finished, unread. */
static unsigned drain(void)
{
	char *ring = (char *)segment + TEE_PERF_SLOTS_OFFSET(MODULE_BYTES) + TEE_PERF_NESTED_BYTES;

	header->clock += 1000;
	for (; next != segment->writer[0]; next++)
		for (unsigned i = 0; i < RING / TEE_PERF_SUBBUF_BYTES; i++) {
			uint64_t *word = (uint64_t *)(ring + i * TEE_PERF_SUBBUF_BYTES);
			if (*word == ((uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | next))
				memset(word, 0, TEE_PERF_SUBBUF_BYTES);
		}
	segment->reader[0] = next;
	return 1;
}

static unsigned in_vain(void)
{
	return 500;
}

static void *cfa_of(unsigned i)
{
	return (void *)(uintptr_t)(0x10000 + 16 * (i % 1000));
}

static void events(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		header->clock += tick;
		switch (i % 8) {
		case 0:
			tee_perf_call_inlined(&entry, cfa_of(i));
			break;
		case 1:
			tee_perf_resync(&entry, cfa_of(i));
			break;
		case 2:
			arch_hook_call(&entry, cfa_of(i));
			break;
		case 3:
			arch_hook_return(&entry, cfa_of(i));
			break;
		case 4:
		case 5:
			tee_perf_call(&entry, cfa_of(i));
			break;
		default:
			tee_perf_return(&entry, cfa_of(i));
		}
	}
}

/* ---- scenarios */

static void rings_that_are_drained(void)
{
	attach(ON(TEE_PERF_FULL_WAIT), 1);
	tee_perf_local_wait = drain;
	events(6500);
	attach(ON(TEE_PERF_FULL_WAIT) | TSC, 1);
	events(2200);
}

static void rings_that_are_full(void)
{
	attach(ON(TEE_PERF_FULL_DROP), 1);
	events(4200);
	drain();
	events(100);
	attach(ON(TEE_PERF_FULL_OVERWRITE), 1);
	events(5200);
	attach(ON(TEE_PERF_FULL_WAIT), 1);
	tee_perf_local_wait = in_vain;
	tick = 0;
	events(4200);
	segment->reader[0]++; /* room for one, but no sign of life: the next wait is none */
	events(1200);
	tick = 1;
	drain();
	events(100);
	tee_perf_now(tee_perf_self);
	tee_perf_local_wait = drain;
}

extern void tee_perf_runtime_on(void), tee_perf_runtime_off(void);
extern void tee_perf_runtime_mark(const struct tee_perf_map_entry *);

static void switching(void)
{
	static const uint64_t control[] = {
		0,      ON(TEE_PERF_FULL_WAIT), ON(TEE_PERF_FULL_DROP) | TSC, ON(TEE_PERF_FULL_OVERWRITE), TSC,
		ON(15), UINT64_MAX >> 1
	};

	attach(ON(TEE_PERF_FULL_WAIT), 1);
	for (unsigned i = 0; i < sizeof control / sizeof *control; i++) {
		events(20);
		header->control = control[i];
		header->clock = TEE_PERF_CLOCK_WORD(header->clock & TEE_PERF_TIME_MASK, control[i]);
		events(20);
		tee_perf_runtime_mark(&entry);
		tee_perf_runtime_off();
		events(20);
		tee_perf_runtime_mark(&entry);
		tee_perf_runtime_on();
		tee_perf_runtime_mark(&entry);
	}
}

static void handlers(void)
{
	attach(ON(TEE_PERF_FULL_WAIT), 1);
	events(10);
	for (unsigned i = 0; i < 2 * TEE_PERF_NESTED_RECORDS; i++) {
		tee_perf_self->owner = 0x90000; /* a hook of a frame above is at work */
		if (i % 2 == 0)
			tee_perf_call(&entry, (void *)0x4000);
		else
			arch_hook_return(&entry, (void *)0x4000);
		tee_perf_self->owner = 0;
		if (i % 100 == 99)
			segment->nested_reader[0] = segment->nested_writer[0];
	}
	tee_perf_local_wait = in_vain;
	for (unsigned i = 0; i < TEE_PERF_NESTED_RECORDS + 10; i++) {
		tee_perf_self->owner = 0x90000;
		tee_perf_call(&entry, (void *)0x4000);
		tee_perf_self->owner = 0;
	}
	tee_perf_local_wait = drain;
	tee_perf_self->owner = 0x10000; /* abandoned */
	events(10);
}

static void *one_thread(void *data)
{
	(void)data;
	events(10);
	tee_perf_thread_detach();
	events(10);
	tee_perf_thread_detach();
	return NULL;
}

static void threads_that_come_and_go(void)
{
	pthread_t thread;

	attach(ON(TEE_PERF_FULL_WAIT), 2);
	events(10);
	for (int i = 0; i < 3; i++) {
		segment->reader[1] = segment->writer[1];
		if (pthread_create(&thread, NULL, one_thread, NULL) != 0)
			abort();
		pthread_join(thread, NULL);
	}
	attach(ON(TEE_PERF_FULL_WAIT), 1);
	events(10);
	if (pthread_create(&thread, NULL, one_thread, NULL) != 0) /* finds no slot */
		abort();
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) { /* enough to find a core that is wrong everywhere */
		attach(ON(TEE_PERF_FULL_WAIT), 1);
		events(1200);
		return 0;
	}
	rings_that_are_drained();
	rings_that_are_full();
	switching();
	handlers();
	threads_that_come_and_go();
	return 0;
}
