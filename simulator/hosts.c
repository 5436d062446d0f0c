/* SPDX-License-Identifier: MIT */
/* The recorder's part in its many moods: what the enclave meets when nobody records it and the configuration names a
 * host. The records are thrown away. */
#define _GNU_SOURCE
#include "simulator/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOTS SIM_THREADS_MAX

struct sim_host {
	struct tee_perf_sim *sim;
	uint64_t next[SLOTS];  /* sub-buffer that is freed next */
	uint64_t index[SLOTS]; /* its place in the ring */
	uint64_t started_ns, freed_ns;
	uint64_t seed;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void publish(struct sim_host *host)
{
	sim_store(&host->sim->log.header->clock, now_ns() - host->started_ns + 1);
}

/* ---- freeing */

static char *ring_of(const struct sim_log *log, unsigned slot)
{
	return (char *)log->segment + TEE_PERF_SLOTS_OFFSET(log->module_bytes) + slot * log->slot_bytes +
	       TEE_PERF_NESTED_BYTES;
}

/* Frees the slot's next sub-buffer, which lies behind the last one or at the ring's start. */
static void free_one(struct sim_host *host, unsigned slot)
{
	const struct sim_log *log = &host->sim->log;
	uint64_t wanted = (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | host->next[slot];
	uint64_t places[] = { host->index[slot], host->index[slot] + 1, 0 };
	uint64_t count = (log->slot_bytes - TEE_PERF_NESTED_BYTES) / TEE_PERF_SUBBUF_BYTES;

	for (unsigned i = 0; i < 3; i++) {
		uint64_t *header = (uint64_t *)(ring_of(log, slot) + places[i] * TEE_PERF_SUBBUF_BYTES);
		if (places[i] >= count || sim_load(header) != wanted)
			continue;
		host->index[slot] = places[i];
		memset(header, 0, TEE_PERF_SUBBUF_BYTES);
		sim_store(&log->segment->reader[slot], ++host->next[slot]);
		return;
	}
}

static bool free_some(struct sim_host *host, unsigned most)
{
	const struct sim_log *log = &host->sim->log;
	bool any = false;

	for (unsigned slot = 0; slot < log->slots; slot++)
		for (unsigned i = 0; i < most && host->next[slot] != sim_load(&log->segment->writer[slot]); i++) {
			free_one(host, slot);
			any = true;
		}
	return any;
}

/* ---- the moods: one step each; how long to sleep afterwards */

static uint64_t honest(struct sim_host *host)
{
	publish(host);
	return free_some(host, 64) ? 0 : 20000;
}

static uint64_t full(struct sim_host *host)
{
	publish(host);
	return 20000;
}

static uint64_t slow(struct sim_host *host)
{
	uint64_t now = now_ns();

	publish(host);
	if (now - host->freed_ns >= host->sim->config.host_slow_us * 1000 && free_some(host, 1))
		host->freed_ns = now;
	return 20000;
}

static uint64_t silent(struct sim_host *host)
{
	(void)host;
	return 1000000;
}

static uint64_t stopped(struct sim_host *host)
{
	uint64_t ms = (now_ns() - host->started_ns) / 1000000 % 1000;

	return ms >= 1000 - host->sim->config.host_stop_ms ? 1000000 : honest(host);
}

/* ---- hostile */

static uint64_t draw(struct sim_host *host)
{
	host->seed ^= host->seed << 13;
	host->seed ^= host->seed >> 7;
	host->seed ^= host->seed << 17;
	return host->seed;
}

/* What an attacker would try: bounds and what lies beside them, the enclave's own addresses, other settings. */
static uint64_t chosen_value(struct sim_host *host, unsigned slot)
{
	const struct tee_perf_sim *sim = host->sim;
	uint64_t writer = sim_load(&sim->log.segment->writer[slot]), r = draw(host);
	const uint64_t value[] = {
		0,
		1,
		UINT64_MAX,
		UINT64_C(1) << 63,
		UINT32_MAX,
		writer,
		writer + 1,
		writer - 1,
		writer + 64,
		writer - 64,
		writer - UINT32_MAX,
		sim->boot->base,
		sim->boot->base + r % sim->boot->size / 8 * 8,
		sim->boot->base - (uint64_t)sim->log.segment,
		(sim->boot->base - (uint64_t)ring_of(&sim->log, slot)) / TEE_PERF_SUBBUF_BYTES,
		TEE_PERF_CONTROL_ON,
		TEE_PERF_CONTROL_ON | (r & 3) << TEE_PERF_CONTROL_FULL_SHIFT,
		TEE_PERF_CONTROL_ON | TEE_PERF_CLOCK_TSC << TEE_PERF_CONTROL_CLOCK_SHIFT,
		TEE_PERF_CONTROL_NEVER | TEE_PERF_CONTROL_ON,
		TEE_PERF_RING_BYTES_MAX,
		r,
		r >> r % 64,
		r & 0xfff,
	};

	return value[draw(host) % (sizeof value / sizeof *value)];
}

/* Any word that the host has: it has all of the log. */
static uint64_t *chosen_word(struct sim_host *host, unsigned slot)
{
	const struct sim_log *log = &host->sim->log;
	struct tee_perf_log_segment *segment = log->segment;
	uint64_t r = draw(host), slot_words = log->slot_bytes / 8;
	uint64_t *word[] = {
		&log->header->control,
		&log->header->clock,
		&segment->reader[slot],
		&segment->nested_reader[slot],
		(uint64_t *)log->header + r % (sizeof *log->header / 8),
		(uint64_t *)log->process + r % (sizeof *log->process / 8),
		&segment->reader[r % SLOTS],
		&segment->writer[r % SLOTS],
		&segment->nested_writer[r % SLOTS],
		&segment->lost[r % SLOTS],
		&segment->extra[r % SLOTS],
		&segment->waited[r % SLOTS],
		&segment->waiting[r % SLOTS],
		(uint64_t *)ring_of(log, slot) + r % (slot_words - TEE_PERF_NESTED_BYTES / 8),
		(uint64_t *)(ring_of(log, slot) - TEE_PERF_NESTED_BYTES) + r % (TEE_PERF_NESTED_BYTES / 8),
		&segment->module_written,
	};

	return word[draw(host) % (sizeof word / sizeof *word)];
}

static uint64_t hostile(struct sim_host *host)
{
	struct tee_perf_sim *sim = host->sim;
	unsigned slot = (unsigned)(draw(host) % sim->log.slots);

	for (unsigned i = 0; i < 16; i++)
		sim_store(chosen_word(host, slot), chosen_value(host, slot));
	/* A state in which the enclave goes on writing follows nearly always: this thread may not run again for long,
	 * and a runtime that is switched off, or off its fast path, is not put to the test. */
	if (draw(host) % 16 != 0)
		sim_store(&sim->log.header->control,
			  TEE_PERF_CONTROL_ON | sim->config.host_full << TEE_PERF_CONTROL_FULL_SHIFT);
	if (draw(host) % 16 != 0)
		sim_store(&sim->log.header->clock, draw(host) & TEE_PERF_TIME_MASK);
	if (draw(host) % 4 == 0)
		sim_store(&sim->log.segment->reader[slot], sim_load(&sim->log.segment->writer[slot]));
	return draw(host) % 64 == 0 ? 1000 : 0;
}

/* ---- the thread */

static uint64_t (*const moods[])(struct sim_host *host) = {
	[TEE_PERF_SIM_HOST_HONEST] = honest,   [TEE_PERF_SIM_HOST_FULL] = full,
	[TEE_PERF_SIM_HOST_SLOW] = slow,       [TEE_PERF_SIM_HOST_SILENT] = silent,
	[TEE_PERF_SIM_HOST_STOPPED] = stopped, [TEE_PERF_SIM_HOST_HOSTILE] = hostile,
};

static void *play(void *data)
{
	struct sim_host *host = data;
	struct sim_log *log = &host->sim->log;

	while (!atomic_load(&log->stop)) {
		struct timespec pause = { .tv_nsec = (long)moods[host->sim->config.host](host) };
		if (pause.tv_nsec != 0)
			nanosleep(&pause, NULL);
	}
	return NULL;
}

int sim_host_start(struct tee_perf_sim *sim)
{
	struct sim_host *host = calloc(1, sizeof *host);

	if (host == NULL)
		return sim_fail("out of memory");
	host->sim = sim;
	host->seed = 88172645463325252u;
	host->started_ns = host->freed_ns = now_ns();
	sim->log.host = host;
	int error = pthread_create(&sim->log.thread, NULL, play, host);
	if (error != 0)
		return sim_fail("cannot start a thread: %s", strerror(error));
	sim->log.thread_runs = true;
	return 0;
}

void sim_host_end(struct tee_perf_sim *sim)
{
	atomic_store(&sim->log.stop, true);
	if (sim->log.thread_runs)
		pthread_join(sim->log.thread, NULL);
	sim->log.thread_runs = false;
	free(sim->log.host);
	sim->log.host = NULL;
}
