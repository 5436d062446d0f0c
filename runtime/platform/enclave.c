/* SPDX-License-Identifier: MIT */
#include "runtime/platform/enclave.h"

#include "runtime/platform/all_mapped.h"

#include "arch.h"

#define IMAGE_MAX 8
#ifndef TEE_PERF_ENCLAVE_PAUSES
#define TEE_PERF_ENCLAVE_PAUSES 20000u /* of a round of waiting: some tenths of a millisecond to some milliseconds */
#endif

static struct tee_perf_thread threads[TEE_PERF_ENCLAVE_THREADS];
static volatile uintptr_t key_of_slot[TEE_PERF_ENCLAVE_THREADS];

static const struct tee_perf_image *images[IMAGE_MAX];
static unsigned image_count;

/* ---- names */

struct area {
	uint64_t *words;
	uint64_t used, limit; /* bytes */
};

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

static void append(struct area *area, const void *data, uint64_t bytes)
{
	const uint8_t *from = data;

	for (uint64_t i = 0; i < bytes; i += 8) {
		uint64_t word = 0;
		for (unsigned k = 0; k < 8 && i + k < bytes; k++)
			word |= (uint64_t)from[i + k] << 8 * k;
		host_write(area->words + area->used / 8, word);
		area->used += 8;
	}
}

/* Addresses go out without their upper halves: no more of them is in the records. */
static void append_image(struct area *area, uint64_t module, const struct tee_perf_image *image,
			 const uint64_t *host_path)
{
	uint64_t map_bytes = (uintptr_t)image->map_end - (uintptr_t)image->map_begin;
	uint64_t strings_bytes = (uint64_t)(image->strings_end - image->strings_begin);
	struct tee_perf_module_header header = { .type = TEE_PERF_MODULE_LOAD,
						 .module = module,
						 .clock = host_time(tee_perf_state.host),
						 .map_begin = (uint32_t)(uintptr_t)image->map_begin,
						 .map_bytes = map_bytes,
						 .strings_begin = (uint32_t)(uintptr_t)image->strings_begin,
						 .strings_bytes = strings_bytes,
						 .path_bytes = TEE_PERF_ENCLAVE_PATH_BYTES };

	header.bytes = sizeof header + padded(map_bytes) + padded(strings_bytes) + TEE_PERF_ENCLAVE_PATH_BYTES;
	if (header.bytes > area->limit - area->used)
		return;
	append(area, &header, sizeof header);
	append(area, image->map_begin, map_bytes);
	append(area, image->strings_begin, strings_bytes);
	for (unsigned i = 0; i < TEE_PERF_ENCLAVE_PATH_BYTES / 8; i++) {
		uint64_t word = host_path != NULL ? host_read(&host_path[i]) : 0;
		append(area, &word, 8);
	}
}

void tee_perf_enclave_tell_names(const uint64_t *host_path)
{
	struct tee_perf_log_segment *segment = tee_perf_state.segment;
	struct area area = { .words = (uint64_t *)(segment + 1),
			     .limit = tee_perf_state.slots - (uintptr_t)(segment + 1) };

	for (unsigned i = 0; i < image_count; i++)
		append_image(&area, i, images[i], host_path);
	host_write(&segment->module_written, area.used);
}

/* ---- attaching */

/* Thread-local memory may be fresh at each root ECALL; the ring is that of the thread (TCS). */
static struct tee_perf_thread *thread_again(void)
{
	uintptr_t key = tee_perf_enclave_thread_key();

	for (uint32_t slot = 0; slot < TEE_PERF_ENCLAVE_THREADS; slot++) {
		bool given_back = tee_perf_state.slot_free[slot / 64] >> slot % 64 & 1;
		if (key_of_slot[slot] == key && threads[slot].live && !given_back)
			return &threads[slot];
	}
	return NULL;
}

bool tee_perf_enclave_attach(const struct tee_perf_offer *offer)
{
	tee_perf_state.thread_again = thread_again;
	return tee_perf_attach_offer(offer, tee_perf_enclave_outside, threads, TEE_PERF_ENCLAVE_THREADS);
}

/* Called by constructors, before the first ECALL and so before any log is attached. */
__attribute__((visibility("default"))) void tee_perf_image_register(const struct tee_perf_image *image)
{
	if (image->abi_version == TEE_PERF_ABI_VERSION && image_count < IMAGE_MAX)
		images[image_count++] = image;
	else
		((struct tee_perf_image *)image)->recording = 0;
}

/* The enclave ends as a whole. */
__attribute__((visibility("default"))) void tee_perf_image_unregister(const struct tee_perf_image *image)
{
	(void)image;
}

/* ---- the five things */

void tee_perf_platform_thread(struct tee_perf_thread *thread, uintptr_t cfa)
{
	thread->tid = thread->slot + 1;
	tee_perf_enclave_stack(cfa, &thread->stack_lo, &thread->stack_hi);
	key_of_slot[thread->slot] = tee_perf_enclave_thread_key();
}

/* One round of TEE_PERF_WAIT_LIMIT, whatever the host does. There is no clock to measure it by. */
unsigned tee_perf_platform_wait(struct tee_perf_thread *thread, uint64_t seen, uint64_t wake_at, uint64_t *slept_ns)
{
	(void)wake_at;
	(void)slept_ns;
	for (unsigned i = 0; i < TEE_PERF_ENCLAVE_PAUSES && host_read(thread->reader) == seen; i++)
		arch_pause();
	return 1;
}
