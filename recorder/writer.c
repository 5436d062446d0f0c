/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/writer.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define WRITER_NICE 5
#define ZSTD_LEVEL  1
/* With more blocks than this in the queue the disk gets them as they are: compressing is what takes long. */
#define HURRY 128

struct tee_perf_writer_thread {
	struct tee_perf_writer *file;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct tee_perf_block *first, **last; /* the queue */
	unsigned queued;
	struct tee_perf_block *free;
	unsigned allocated; /* event blocks */
	cpu_set_t allowed;
	int drain_cpu; /* which the thread keeps off; -1: none yet */
	bool stopping;
	struct tee_perf_writer_status status;
	struct tee_perf_bytes payload; /* scratch of the thread */
};

static void failed(struct tee_perf_writer_thread *writer, const struct tee_perf_block *block,
		   const struct tee_perf_error *err)
{
	pthread_mutex_lock(&writer->lock);
	if (!writer->status.failed)
		memcpy(writer->status.message, err->message, sizeof writer->status.message - 1);
	writer->status.failed = true;
	if (block->type == TEE_PERF_SECTION_EVENTS) {
		writer->status.lost_records += block->info.record_count;
		atomic_fetch_add(&block->chain->lost_records, block->info.record_count);
		atomic_store(&block->chain->broken, true);
	}
	pthread_mutex_unlock(&writer->lock);
}

static void write_block(struct tee_perf_writer_thread *writer, struct tee_perf_block *block, bool hurry)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_bytes *payload = &block->section;
	int level = hurry ? INT_MIN : ZSTD_LEVEL, result = 0;

	if (block->type == TEE_PERF_SECTION_EVENTS) {
		if (block->info.reset)
			atomic_store(&block->chain->broken, false);
		else if (atomic_load(&block->chain->broken))
			result = tee_perf_fail(&err, TEE_PERF_SYSTEM, "a block before it was not written");
		payload = &writer->payload;
		payload->size = 0;
		block->info.encoded = block->bytes;
		block->info.encoded_size = block->used;
		if (result == 0 && tee_perf_events_encode(payload, &block->info) != 0)
			result = tee_perf_fail(&err, TEE_PERF_RESOURCE, "out of memory for a block of events");
	}
	if (result == 0)
		result = tee_perf_writer_section(writer->file, block->type, payload->data, payload->size, level, &err);
	if (result != 0)
		failed(writer, block, &err);
	pthread_mutex_lock(&writer->lock);
	writer->status.file_bytes = tee_perf_writer_bytes(writer->file);
	if (block->type == TEE_PERF_SECTION_EVENTS)
		writer->status.encoded_bytes += block->used;
	pthread_mutex_unlock(&writer->lock);
}

/* Lock held. */
static void recycle(struct tee_perf_writer_thread *writer, struct tee_perf_block *block)
{
	if (block->type != TEE_PERF_SECTION_EVENTS) {
		free(block->section.data);
		free(block);
		return;
	}
	block->next = writer->free;
	writer->free = block;
}

/* The drain publishes the clock and must not share its core, which is where a thread that it wakes would run: better
 * the program waits now and then. Called by the drain; the two cannot be kept apart on one core. */
static void keep_off(struct tee_perf_writer_thread *writer, int cpu)
{
	cpu_set_t others = writer->allowed;

	writer->drain_cpu = cpu;
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	CPU_CLR((unsigned)cpu, &others);
	if (CPU_COUNT(&others) != 0)
		pthread_setaffinity_np(writer->thread, sizeof others, &others);
}

static void *run(void *data)
{
	struct tee_perf_writer_thread *writer = data;

	/* Being woken must not take the core from the drain: it publishes the clock. */
	setpriority(PRIO_PROCESS, (id_t)gettid(), WRITER_NICE);
	pthread_mutex_lock(&writer->lock);
	for (;;) {
		while (writer->first == NULL && !writer->stopping)
			pthread_cond_wait(&writer->filled, &writer->lock);
		struct tee_perf_block *block = writer->first;
		if (block == NULL)
			break;
		writer->first = block->next;
		if (writer->first == NULL)
			writer->last = &writer->first;
		bool hurry = writer->queued-- > HURRY && !writer->stopping;
		pthread_mutex_unlock(&writer->lock);
		write_block(writer, block, hurry);
		pthread_mutex_lock(&writer->lock);
		recycle(writer, block);
	}
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

struct tee_perf_writer_thread *tee_perf_writer_thread_start(struct tee_perf_writer *file, struct tee_perf_error *err)
{
	struct tee_perf_writer_thread *writer = calloc(1, sizeof *writer);
	if (writer == NULL) {
		tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory");
		return NULL;
	}
	writer->file = file;
	writer->last = &writer->first;
	writer->status.file_bytes = tee_perf_writer_bytes(file);
	writer->drain_cpu = -1;
	if (sched_getaffinity(0, sizeof writer->allowed, &writer->allowed) != 0)
		CPU_ZERO(&writer->allowed);
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->filled, NULL);
	if (pthread_create(&writer->thread, NULL, run, writer) != 0) {
		tee_perf_fail_errno(err, "cannot start the writer thread");
		free(writer);
		return NULL;
	}
	return writer;
}

struct tee_perf_block *tee_perf_writer_block(struct tee_perf_writer_thread *writer)
{
	pthread_mutex_lock(&writer->lock);
	struct tee_perf_block *block = writer->free;
	if (block != NULL) {
		writer->free = block->next;
	} else if (writer->allocated < TEE_PERF_BLOCKS_MAX) {
		block = malloc(sizeof *block + TEE_PERF_BLOCK_BYTES);
		writer->allocated += block != NULL;
	}
	pthread_mutex_unlock(&writer->lock);
	if (block != NULL) {
		memset(block, 0, sizeof *block);
		block->type = TEE_PERF_SECTION_EVENTS;
	}
	return block;
}

bool tee_perf_writer_idle(struct tee_perf_writer_thread *writer)
{
	pthread_mutex_lock(&writer->lock);
	bool idle = writer->first == NULL;
	pthread_mutex_unlock(&writer->lock);
	return idle;
}

void tee_perf_writer_push(struct tee_perf_writer_thread *writer, struct tee_perf_block *block)
{
	int cpu = sched_getcpu();

	if (cpu != writer->drain_cpu)
		keep_off(writer, cpu);
	block->next = NULL;
	pthread_mutex_lock(&writer->lock);
	*writer->last = block;
	writer->last = &block->next;
	writer->queued++;
	pthread_cond_signal(&writer->filled);
	pthread_mutex_unlock(&writer->lock);
}

int tee_perf_writer_push_section(struct tee_perf_writer_thread *writer, enum tee_perf_section_type type,
				 struct tee_perf_bytes payload)
{
	struct tee_perf_block *block = calloc(1, sizeof *block);

	if (block == NULL) {
		free(payload.data);
		return -1;
	}
	block->type = type;
	block->section = payload;
	tee_perf_writer_push(writer, block);
	return 0;
}

void tee_perf_writer_status(struct tee_perf_writer_thread *writer, struct tee_perf_writer_status *status)
{
	pthread_mutex_lock(&writer->lock);
	*status = writer->status;
	pthread_mutex_unlock(&writer->lock);
}

void tee_perf_writer_thread_stop(struct tee_perf_writer_thread *writer, struct tee_perf_writer_status *status)
{
	pthread_mutex_lock(&writer->lock);
	writer->stopping = true;
	pthread_cond_signal(&writer->filled);
	pthread_mutex_unlock(&writer->lock);
	pthread_join(writer->thread, NULL);
	*status = writer->status;
	while (writer->free != NULL) {
		struct tee_perf_block *block = writer->free;
		writer->free = block->next;
		free(block);
	}
	free(writer->payload.data);
	pthread_mutex_destroy(&writer->lock);
	pthread_cond_destroy(&writer->filled);
	free(writer);
}
