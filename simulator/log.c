/* SPDX-License-Identifier: MIT */
/* The log: the recorder's, found as the hosted runtime finds it, or one of our own. */
#define _GNU_SOURCE
#include "simulator/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OUR_RING_BYTES   (1u << 20)
#define OUR_MODULE_BYTES (1u << 20)

static void *map_at(uint64_t address, size_t size, int fd, uint64_t offset)
{
	void *got = mmap((void *)address, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd, (off_t)offset);

	return got == MAP_FAILED ? NULL : got;
}

/* ---- the recorder's */

/* "<path>:<nonce in hexadecimal>" */
static int open_named(const char *value, uint64_t *nonce)
{
	char path[PATH_MAX];
	const char *colon = strrchr(value, ':');

	if (colon == NULL || colon == value || (size_t)(colon - value) >= sizeof path)
		return -1;
	memcpy(path, value, (size_t)(colon - value));
	path[colon - value] = '\0';
	*nonce = strtoull(colon + 1, NULL, 16);
	return open(path, O_RDWR | O_CLOEXEC);
}

static bool header_usable(const struct tee_perf_log_header *header, uint64_t nonce, uint64_t *process_max)
{
	*process_max = header->process_max;
	return header->magic == TEE_PERF_LOG_MAGIC && header->version == TEE_PERF_LOG_VERSION &&
	       header->nonce == nonce && *process_max <= TEE_PERF_PROCESS_MAX;
}

static long claim_process(const struct sim_log *log, uint64_t process_max)
{
	struct tee_perf_log_process *table = (void *)((char *)log->header + TEE_PERF_TABLE_OFFSET);

	for (uint64_t i = 0; i < process_max; i++) {
		uint64_t expected = TEE_PERF_PROCESS_FREE;
		if (__atomic_compare_exchange_n(&table[i].state, &expected, TEE_PERF_PROCESS_CLAIMED, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return (long)i;
	}
	__atomic_fetch_add(&log->header->refused_count, 1, __ATOMIC_RELAXED);
	return -1;
}

/* Takes a place in the recorder's log. False: none is to be had, and the enclave runs unrecorded. */
static bool take_place(struct tee_perf_sim *sim, struct sim_log *log, uint64_t nonce)
{
	uint64_t process_max, address = sim->address + SIM_LOG_DISTANCE;

	log->header = map_at(address, TEE_PERF_SEGMENTS_OFFSET, log->fd, 0);
	if (log->header == NULL || !header_usable(log->header, nonce, &process_max))
		return false;
	log->module_bytes = log->header->module_bytes;
	log->slot_bytes = TEE_PERF_SLOT_BYTES(log->header->ring_bytes);
	log->slots = sim->config.threads < log->header->slot_max ? sim->config.threads : log->header->slot_max;
	log->segment_bytes = TEE_PERF_SLOTS_OFFSET(log->module_bytes) + log->slots * log->slot_bytes;
	long entry = claim_process(log, process_max);
	if (entry < 0)
		return false;
	log->process = (struct tee_perf_log_process *)((char *)log->header + TEE_PERF_TABLE_OFFSET) + entry;
	log->segment_offset = TEE_PERF_SEGMENTS_OFFSET + (uint64_t)entry * log->header->segment_bytes;
	log->segment = map_at(address + TEE_PERF_SEGMENTS_OFFSET, TEE_PERF_SLOTS_OFFSET(log->module_bytes), log->fd,
			      log->segment_offset);
	if (log->segment == NULL)
		sim_store(&log->process->state, TEE_PERF_PROCESS_FREE);
	return log->segment != NULL;
}

/* ---- our own: room for one process, which is this enclave */

static int make_log(struct tee_perf_sim *sim, struct sim_log *log)
{
	uint64_t address = sim->address + SIM_LOG_DISTANCE;

	log->ours = true;
	log->module_bytes = OUR_MODULE_BYTES;
	log->slot_bytes = TEE_PERF_SLOT_BYTES((uint64_t)OUR_RING_BYTES);
	log->slots = sim->config.threads;
	log->segment_offset = TEE_PERF_SEGMENTS_OFFSET;
	log->segment_bytes = TEE_PERF_SLOTS_OFFSET(log->module_bytes) + log->slots * log->slot_bytes;
	log->fd = memfd_create("tee-perf-sim-log", MFD_CLOEXEC);
	if (log->fd < 0 || ftruncate(log->fd, (off_t)(TEE_PERF_SEGMENTS_OFFSET + log->segment_bytes)) != 0 ||
	    (log->header = map_at(address, TEE_PERF_SEGMENTS_OFFSET, log->fd, 0)) == NULL ||
	    (log->segment =
		 map_at(address + TEE_PERF_SEGMENTS_OFFSET, log->segment_bytes, log->fd, log->segment_offset)) == NULL)
		return sim_fail("cannot make a log: %s", strerror(errno));
	*log->header = (struct tee_perf_log_header){
		.magic = TEE_PERF_LOG_MAGIC,
		.version = TEE_PERF_LOG_VERSION,
		.process_max = 1,
		.slot_max = log->slots,
		.ring_bytes = OUR_RING_BYTES,
		.segment_bytes = log->segment_bytes,
		.module_bytes = log->module_bytes,
		.control = TEE_PERF_CONTROL_ON | sim->config.host_full << TEE_PERF_CONTROL_FULL_SHIFT,
		.clock = 1,
	};
	log->process = (struct tee_perf_log_process *)((char *)log->header + TEE_PERF_TABLE_OFFSET);
	log->process->state = TEE_PERF_PROCESS_CLAIMED;
	return 0;
}

int sim_log_open(struct tee_perf_sim *sim)
{
	const char *value = secure_getenv("TEE_PERF_LOG");
	uint64_t nonce = 0;

	sim->log.fd = -1;
	if (value != NULL && (sim->log.fd = open_named(value, &nonce)) >= 0) {
		if (!take_place(sim, &sim->log, nonce))
			sim_log_close(&sim->log);
		return 0;
	}
	return sim->config.host == TEE_PERF_SIM_HOST_NONE ? 0 : make_log(sim, &sim->log);
}

/* For reports. Where there is no room they do without. */
static void tell_costs(const struct tee_perf_sim *sim)
{
	const struct sim_log *log = &sim->log;
	uint64_t used = log->segment->module_written;
	struct tee_perf_module_header record = { .bytes = sizeof record,
						 .type = TEE_PERF_MODULE_CROSSING,
						 .map_begin = sim->config.ecall_cycles,
						 .strings_begin = sim->config.ocall_cycles };

	if (used > log->module_bytes || sizeof record > log->module_bytes - used)
		return;
	memcpy((char *)(log->segment + 1) + used, &record, sizeof record);
	sim_store(&log->segment->module_written, used + sizeof record);
}

int sim_log_introduce(struct tee_perf_sim *sim)
{
	struct sim_log *log = &sim->log;
	struct tee_perf_log_process *process = log->process;
	char path[PATH_MAX];

	if (log->fd < 0)
		return 0;
	sim_store(&log->segment->module_written, 0);
	if (sim_image_describe(sim->image_fd, realpath(sim->path, path) != NULL ? path : sim->path, sim->boot->bias,
			       log->segment, log->module_bytes,
			       sim_load(&log->header->clock) & TEE_PERF_TIME_MASK) != 0)
		return -1;
	tell_costs(sim);
	sim_store(&process->pid, (uint64_t)sim->tcs[0].pid);
	sim_store(&process->parent, 0);
	sim_store(&process->parent_generation, 0);
	sim_store(&process->slot_count, 0);
	sim_store(&process->unserved, 0);
	sim_store(&process->flags, sim->config.tsc_forbidden ? TEE_PERF_PROCESS_HOST_CLOCK : 0);
	sim_store(&process->state, TEE_PERF_PROCESS_LIVE);
	return 0;
}

void sim_log_close(struct sim_log *log)
{
	if (log->fd < 0)
		return;
	if (log->segment != NULL)
		munmap(log->segment, log->ours ? log->segment_bytes : TEE_PERF_SLOTS_OFFSET(log->module_bytes));
	if (log->header != NULL)
		munmap(log->header, TEE_PERF_SEGMENTS_OFFSET);
	close(log->fd);
	*log = (struct sim_log){ .fd = -1 };
}
