/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/writer.h"

#include "format/packer.h"

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
#define SLICE_LEVEL -1 /* of small slices: level 1 builds tables for each, and takes twice as long */
#define PACKERS     4  /* blocks that are compressed, or compressed and not yet written */
/* With more blocks than this in the queue the writer thread compresses, too: the drain does not come to it. */
#define HELP 4
/* With more blocks than this in the queue the disk gets them as they are: compressing is what takes long. */
#define HURRY 128

struct tee_perf_writer_thread {
	struct tee_perf_writer *file;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	struct tee_perf_block *first, **last; /* the queue */
	unsigned queued;
	atomic_uint to_pack;                     /* blocks that the drain may compress, or is compressing */
	size_t slice;                            /* bytes that it compresses at a time; 0: it does not */
	struct tee_perf_packer *packer[PACKERS]; /* those that are free, then NULLs */
	pthread_mutex_t packing;                 /* comes before lock; guards `current` and the work of packers */
	struct tee_perf_block *current; /* the drain is compressing it; in the queue or in the writer's hands */
	struct tee_perf_block *free;
	unsigned allocated; /* event blocks */
	cpu_set_t allowed;
	int drain_cpu;       /* which the thread keeps off; -1: none yet */
	bool hasty;          /* writes everything now, whether compressed or not */
	bool busy, stopping; /* busy: a block is in the thread's hands */
	struct tee_perf_writer_status status;
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

/* ---- compressing */

/* Lock held. NULL: all are in use. */
static struct tee_perf_packer *take_packer(struct tee_perf_writer_thread *writer)
{
	struct tee_perf_packer *packer = NULL;

	for (unsigned i = PACKERS; i-- > 0 && packer == NULL;) {
		packer = writer->packer[i];
		writer->packer[i] = NULL;
	}
	return packer;
}

/* Lock held. */
static void return_packer(struct tee_perf_writer_thread *writer, struct tee_perf_packer *packer)
{
	for (unsigned i = 0; i < PACKERS; i++)
		if (writer->packer[i] == NULL) {
			writer->packer[i] = packer;
			return;
		}
}

/* Lock held. */
static void begin_packing(struct tee_perf_writer_thread *writer, struct tee_perf_block *block, int level)
{
	block->packer = take_packer(writer);
	if (block->packer == NULL)
		return;
	tee_perf_events_header(block->header, &block->info);
	tee_perf_packer_start(block->packer, block->header, sizeof block->header + block->used, level);
}

/* For the drain: the oldest block that nobody compresses. */
static struct tee_perf_block *next_to_pack(struct tee_perf_writer_thread *writer)
{
	struct tee_perf_block *block;

	pthread_mutex_lock(&writer->lock);
	for (block = writer->first; block != NULL; block = block->next)
		if (block->type == TEE_PERF_SECTION_EVENTS && block->packer == NULL)
			break;
	if (block != NULL)
		begin_packing(writer, block, SLICE_LEVEL);
	pthread_mutex_unlock(&writer->lock);
	return block != NULL && block->packer != NULL ? block : NULL;
}

bool tee_perf_writer_pack(struct tee_perf_writer_thread *writer)
{
	if (writer->slice == 0 || atomic_load_explicit(&writer->to_pack, memory_order_relaxed) == 0)
		return false;
	if (pthread_mutex_trylock(&writer->packing) != 0)
		return false; /* the writer thread is at it */
	if (writer->current == NULL)
		writer->current = next_to_pack(writer);
	struct tee_perf_block *block = writer->current;
	if (block != NULL && tee_perf_packer_step(block->packer, writer->slice)) {
		writer->current = NULL;
		atomic_fetch_sub(&writer->to_pack, 1);
		pthread_mutex_lock(&writer->lock);
		block->packed = true;
		pthread_cond_signal(&writer->filled);
		pthread_mutex_unlock(&writer->lock);
	}
	pthread_mutex_unlock(&writer->packing);
	return block != NULL;
}

/* For the writer thread: compresses what the drain has not of a block that has left the queue. */
static void finish_packing(struct tee_perf_writer_thread *writer, struct tee_perf_block *block)
{
	pthread_mutex_lock(&writer->packing);
	if (!block->packed) {
		atomic_fetch_sub(&writer->to_pack, 1);
		if (writer->current == block)
			writer->current = NULL;
		tee_perf_packer_step(block->packer, SIZE_MAX);
	}
	pthread_mutex_unlock(&writer->packing);
}

/* ---- writing */

static int write_events(struct tee_perf_writer_thread *writer, struct tee_perf_block *block, struct tee_perf_error *err)
{
	finish_packing(writer, block);
	if (block->info.reset)
		atomic_store(&block->chain->broken, false);
	else if (atomic_load(&block->chain->broken))
		return tee_perf_fail(err, TEE_PERF_SYSTEM, "a block before it was not written");
	return tee_perf_writer_packed(writer->file, block->type, block->packer, err);
}

static void write_block(struct tee_perf_writer_thread *writer, struct tee_perf_block *block, bool hurry)
{
	struct tee_perf_error err = { 0 };
	bool events = block->type == TEE_PERF_SECTION_EVENTS;
	int result = events ? write_events(writer, block, &err)
			    : tee_perf_writer_section(writer->file, block->type, block->section.data,
						      block->section.size, hurry ? INT_MIN : ZSTD_LEVEL, &err);

	if (result != 0)
		failed(writer, block, &err);
	pthread_mutex_lock(&writer->lock);
	writer->status.file_bytes = tee_perf_writer_bytes(writer->file);
	if (events)
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
	return_packer(writer, block->packer);
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

/* Lock held. Whether the first block can be written, or must be compressed here. */
static bool ready(const struct tee_perf_writer_thread *writer)
{
	const struct tee_perf_block *first = writer->first;

	return writer->stopping || (first != NULL && (first->type != TEE_PERF_SECTION_EVENTS || first->packed ||
						      writer->hasty || writer->slice == 0 || writer->queued > HELP));
}

/* Lock held. A packer is free for the first block if it has none yet: they are given out in order. */
static struct tee_perf_block *take_first(struct tee_perf_writer_thread *writer, int level)
{
	struct tee_perf_block *block = writer->first;

	if (block == NULL)
		return NULL;
	writer->first = block->next;
	if (writer->first == NULL)
		writer->last = &writer->first;
	writer->queued--;
	writer->busy = true;
	if (block->type == TEE_PERF_SECTION_EVENTS && block->packer == NULL)
		begin_packing(writer, block, level);
	return block;
}

static void *run(void *data)
{
	struct tee_perf_writer_thread *writer = data;

	/* Being woken must not take the core from the drain: it publishes the clock. */
	setpriority(PRIO_PROCESS, (id_t)gettid(), WRITER_NICE);
	pthread_mutex_lock(&writer->lock);
	for (;;) {
		while (!ready(writer))
			pthread_cond_wait(&writer->filled, &writer->lock);
		bool hurry = writer->queued > HURRY && !writer->stopping;
		struct tee_perf_block *block = take_first(writer, hurry ? INT_MIN : ZSTD_LEVEL);
		if (block == NULL)
			break;
		pthread_mutex_unlock(&writer->lock);
		write_block(writer, block, hurry);
		pthread_mutex_lock(&writer->lock);
		recycle(writer, block);
		writer->busy = false;
		if (writer->first == NULL)
			pthread_cond_signal(&writer->emptied);
	}
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

static void free_writer(struct tee_perf_writer_thread *writer)
{
	if (writer == NULL)
		return;
	while (writer->free != NULL) {
		struct tee_perf_block *block = writer->free;
		writer->free = block->next;
		free(block);
	}
	for (unsigned i = 0; i < PACKERS; i++)
		tee_perf_packer_free(writer->packer[i]);
	pthread_mutex_destroy(&writer->packing);
	pthread_mutex_destroy(&writer->lock);
	pthread_cond_destroy(&writer->filled);
	pthread_cond_destroy(&writer->emptied);
	free(writer);
}

static struct tee_perf_writer_thread *new_writer(struct tee_perf_writer *file, size_t slice)
{
	struct tee_perf_writer_thread *writer = calloc(1, sizeof *writer);

	if (writer == NULL)
		return NULL;
	pthread_mutex_init(&writer->packing, NULL);
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->filled, NULL);
	pthread_cond_init(&writer->emptied, NULL);
	writer->file = file;
	writer->slice = slice;
	writer->last = &writer->first;
	writer->status.file_bytes = tee_perf_writer_bytes(file);
	writer->drain_cpu = -1;
	if (sched_getaffinity(0, sizeof writer->allowed, &writer->allowed) != 0)
		CPU_ZERO(&writer->allowed);
	for (unsigned i = 0; i < PACKERS; i++)
		if ((writer->packer[i] = tee_perf_packer_new()) == NULL) {
			free_writer(writer);
			return NULL;
		}
	return writer;
}

struct tee_perf_writer_thread *tee_perf_writer_thread_start(struct tee_perf_writer *file, size_t slice,
							    struct tee_perf_error *err)
{
	struct tee_perf_writer_thread *writer = new_writer(file, slice);

	if (writer == NULL) {
		tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory");
		return NULL;
	}
	if (pthread_create(&writer->thread, NULL, run, writer) != 0) {
		tee_perf_fail_errno(err, "cannot start the writer thread");
		free_writer(writer);
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
	if (block->type == TEE_PERF_SECTION_EVENTS)
		atomic_fetch_add(&writer->to_pack, 1);
	if (ready(writer))
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

void tee_perf_writer_wait(struct tee_perf_writer_thread *writer, struct tee_perf_writer_status *status)
{
	pthread_mutex_lock(&writer->lock);
	writer->hasty = true;
	pthread_cond_signal(&writer->filled);
	while (writer->first != NULL || writer->busy)
		pthread_cond_wait(&writer->emptied, &writer->lock);
	writer->hasty = false;
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
	free_writer(writer);
}
