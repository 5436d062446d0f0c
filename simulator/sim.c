/* SPDX-License-Identifier: MIT */
/* Starting and ending the trusted part. */
#define _GNU_SOURCE
#include "simulator/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define FIRST_ADDRESS    UINT64_C(0x200000000000) /* of the shared memory: nobody else is there */
#define ADDRESS_DISTANCE (2 * SIM_LOG_DISTANCE)
#define ADDRESSES        16
#define CALLS            500
#define TRANSPORT_MAX    2000                /* cycles */
#define PATIENCE         UINT64_C(300000000) /* cycles: a tenth of a second */

static __thread char message[512];

int sim_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return -1;
}

const char *tee_perf_sim_error(void)
{
	return message;
}

/* ---- shared memory */

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + SIM_PAGE - 1) & ~(uint64_t)(SIM_PAGE - 1);
}

static int map_shared_memory(struct tee_perf_sim *sim)
{
	struct tee_perf_sim_config *config = &sim->config;
	void *got = MAP_FAILED;

	config->marshal_bytes = page_up(config->marshal_bytes);
	config->shared_bytes = page_up(config->shared_bytes);
	uint64_t bytes = sim_marshal_offset() + config->threads * config->marshal_bytes + config->shared_bytes;
	sim->boot_fd = memfd_create("tee-perf-sim", MFD_CLOEXEC);
	if (sim->boot_fd < 0 || ftruncate(sim->boot_fd, (off_t)bytes) != 0)
		return sim_fail("cannot make shared memory: %s", strerror(errno));
	for (unsigned i = 0; i < ADDRESSES && got == MAP_FAILED; i++) {
		sim->address = FIRST_ADDRESS + i * ADDRESS_DISTANCE;
		got = mmap((void *)sim->address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
			   sim->boot_fd, 0);
	}
	if (got == MAP_FAILED)
		return sim_fail("cannot map shared memory: %s", strerror(errno));
	sim->boot = got;
	sim->boot->address = sim->address;
	sim->boot->bytes = bytes;
	return 0;
}

static void fill_boot(struct tee_perf_sim *sim)
{
	const struct tee_perf_sim_config *config = &sim->config;
	struct sim_boot *boot = sim->boot;

	boot->host_pid = (uint64_t)getpid();
	boot->threads = config->threads;
	boot->stack_bytes = config->stack_bytes;
	boot->heap_bytes = config->heap_bytes;
	boot->marshal_bytes = config->marshal_bytes;
	boot->shared_bytes = config->shared_bytes;
	boot->tsc_forbidden = config->tsc_forbidden;
	boot->exits_per_second = config->aex_hz;
	boot->epc_pages = config->epc_pages;
	boot->wait_pauses = config->wait_pauses;
	boot->wait_rounds = config->wait_rounds;
	if (sim->log.fd >= 0) {
		boot->log_header = (uint64_t)sim->log.header;
		boot->log_process = (uint64_t)sim->log.process;
		boot->log_segment = (uint64_t)sim->log.segment;
		boot->log_segment_offset = sim->log.segment_offset;
		boot->log_module_bytes = sim->log.module_bytes;
		boot->log_slot_bytes = sim->log.slot_bytes;
	}
	for (unsigned i = 0; i < config->threads; i++) {
		sim->tcs[i].channel = (struct sim_channel *)(sim->address + sim_channel_offset()) + i;
		sim->tcs[i].marshal = (char *)(sim->address + sim_marshal_offset() + i * config->marshal_bytes);
		pthread_mutex_init(&sim->tcs[i].lock, NULL);
	}
}

/* ---- starting */

static int fail_to_start(struct tee_perf_sim *sim)
{
	static const char *const text[] = {
		[SIM_OK] = "the trusted process ended at once; is it forbidden here to execute a memfd?",
		[SIM_ERROR_MAP] = "memory cannot be mapped",
		[SIM_ERROR_FORMAT] =
		    "it is no shared object for this machine with an entry (-shared -e tee_perf_sim_enter)",
		[SIM_ERROR_NEEDED] = "it needs another shared object; link it without a C library (-nostdlib)",
		[SIM_ERROR_UNDEFINED] = "it has an undefined symbol (link with -Wl,-z,defs)",
		[SIM_ERROR_RELOCATION] = "it has a relocation that the loader does not know",
		[SIM_ERROR_THREAD] = "its threads cannot be started",
		[SIM_ERROR_SECCOMP] = "this system has no seccomp filters",
		[SIM_ERROR_TSC] = "this system cannot forbid the time-stamp counter",
		[SIM_ERROR_TIMER] = "its timer cannot be started",
		[SIM_ERROR_LOG] = "the log cannot be mapped",
	};
	uint64_t error = sim_load(&sim->boot->error), detail = sim->boot->detail;

	if (error >= sizeof text / sizeof *text)
		error = SIM_OK;
	if (error == SIM_OK)
		return sim_fail("%s: %s (wait status 0x%x)", sim->path, text[error],
				(unsigned)atomic_load(&sim->exit_status));
	return sim_fail("%s: %s (%llu)", sim->path, text[error], (unsigned long long)detail);
}

static int wait_until_ready(struct tee_perf_sim *sim)
{
	for (unsigned i = 0; i < sim->config.threads; i++) {
		if (sim_await(sim, &sim->tcs[i]) != SIM_READY)
			return fail_to_start(sim);
		pthread_mutex_lock(&sim->tcs[i].lock);
		sim->tcs[i].pid = (int)sim->boot->pid[i];
		pthread_mutex_unlock(&sim->tcs[i].lock);
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* What a call takes without any cost injected: the median of some that the enclave refuses. One that takes longer than
 * TRANSPORT_MAX shows that another process had the processor; if there are only such, nothing is known. */
static void measure_transport(struct tee_perf_sim *sim)
{
	const struct tee_perf_sim_config wanted = sim->config;
	uint64_t took[CALLS], first = __rdtsc();
	unsigned count = 0;

	sim->config.ecall_cycles = sim->config.eenter_cycles = sim->config.eexit_cycles = 0;
	while (count < CALLS && __rdtsc() - first < PATIENCE) {
		uint64_t began = __rdtsc();
		if (tee_perf_sim_ecall(sim, UINT32_MAX, NULL, 0, NULL) != TEE_PERF_SIM_NO_ENTRY)
			break;
		took[count] = __rdtsc() - began;
		count += took[count] <= TRANSPORT_MAX;
	}
	sim->config = wanted;
	qsort(took, count, sizeof *took, compare);
	sim->transport_cycles = count != 0 ? took[count / 2] : 0;
	atomic_store(&sim->count.ecalls, 0);
}

static int attach(struct tee_perf_sim *sim)
{
	uint64_t *word = sim->tcs[0].channel->enclave_word;

	if (sim->log.fd < 0)
		return 0;
	if (sim_log_introduce(sim) != 0)
		return -1;
	sim_store(&word[0], (uint64_t)sim->log.header);
	sim_store(&word[1], (uint64_t)sim->log.segment);
	sim_store(&word[2], sim->log.segment_bytes);
	sim_store(&word[3], (uint64_t)sim->log.process);
	sim_store(&word[4], sim->log.slots);
	int status = sim_converse(sim, &sim->tcs[0], SIM_ATTACH);
	if (status != TEE_PERF_SIM_OK)
		return sim_fail("%s: it does not accept the log", sim->path);
	return sim->log.ours ? sim_host_start(sim) : 0;
}

static int start(struct tee_perf_sim *sim)
{
	struct tee_perf_sim_machine machine;

	tee_perf_sim_probe(&machine);
	if (!machine.tsc)
		sim->config.tsc_forbidden = 0;
	sim->image_fd = open(sim->path, O_RDONLY | O_CLOEXEC);
	if (sim->image_fd < 0)
		return sim_fail("cannot read %s: %s", sim->path, strerror(errno));
	if (map_shared_memory(sim) != 0 || sim_log_open(sim) != 0)
		return -1;
	fill_boot(sim);
	if (sim_keeper_start(sim) != 0 || wait_until_ready(sim) != 0)
		return -1;
	measure_transport(sim);
	if (sim_converse(sim, &sim->tcs[0], SIM_INIT) != TEE_PERF_SIM_OK)
		return sim_fail("%s: its constructors do not return", sim->path);
	return attach(sim);
}

struct tee_perf_sim *tee_perf_sim_start(const char *path, const struct tee_perf_sim_config *config)
{
	const char *file = secure_getenv("TEE_PERF_SIM_CONFIG");
	struct tee_perf_sim *sim = calloc(1, sizeof *sim);

	if (sim == NULL) {
		sim_fail("out of memory");
		return NULL;
	}
	sim->path = path;
	sim->image_fd = sim->boot_fd = sim->log.fd = -1;
	atomic_store(&sim->exit_status, -1);
	pthread_mutex_init(&sim->lock, NULL);
	tee_perf_sim_config_init(&sim->config);
	if (config != NULL)
		sim->config = *config;
	if ((config == NULL && file != NULL && tee_perf_sim_config_read(&sim->config, file) != 0) || start(sim) != 0) {
		tee_perf_sim_stop(sim);
		return NULL;
	}
	return sim;
}

/* ---- ending */

int tee_perf_sim_stop(struct tee_perf_sim *sim)
{
	for (unsigned i = 0; i < sim->config.threads && sim->keeper_runs; i++) {
		sim_keeper_inside(sim, &sim->tcs[i]);
		sim_store(&sim->tcs[i].channel->to_enclave, ++sim->tcs[i].turn << 8 | SIM_QUIT);
	}
	sim_keeper_end(sim);
	sim_host_end(sim);
	sim_log_close(&sim->log);
	int status = atomic_load(&sim->exit_status);
	if (sim->boot != NULL)
		munmap(sim->boot, sim->boot->bytes);
	if (sim->boot_fd >= 0)
		close(sim->boot_fd);
	if (sim->image_fd >= 0)
		close(sim->image_fd);
	free(sim);
	return status;
}

/* ---- what is known of it */

void *tee_perf_sim_shared(struct tee_perf_sim *sim, size_t *bytes)
{
	*bytes = sim->config.shared_bytes;
	return (char *)sim->address + sim_shared_offset(sim->boot);
}

int tee_perf_sim_exit_status(struct tee_perf_sim *sim)
{
	return atomic_load(&sim->dead) ? atomic_load(&sim->exit_status) : -1;
}

int tee_perf_sim_pid(struct tee_perf_sim *sim)
{
	return (int)sim->boot->pid[0];
}

void tee_perf_sim_range(struct tee_perf_sim *sim, uint64_t *begin, uint64_t *bytes)
{
	*begin = sim->boot->base;
	*bytes = sim->boot->size;
}

void tee_perf_sim_counts(struct tee_perf_sim *sim, struct tee_perf_sim_counts *counts)
{
	*counts = (struct tee_perf_sim_counts){
		.ecalls = atomic_load(&sim->count.ecalls),
		.ocalls = atomic_load(&sim->count.ocalls),
		.aex = atomic_load(&sim->count.aex),
		.epc_loads = atomic_load(&sim->count.loads),
		.epc_evictions = atomic_load(&sim->count.evictions),
		.spent_cycles = atomic_load(&sim->count.spent),
		.transport_cycles = sim->transport_cycles,
	};
}
