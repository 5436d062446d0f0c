/* SPDX-License-Identifier: MIT */
#include "runtime/offer.h"

bool tee_perf_ranges_apart(uint64_t begin, uint64_t size, uint64_t other, uint64_t other_size)
{
	uint64_t end, other_end;

	if (__builtin_add_overflow(begin, size, &end) || __builtin_add_overflow(other, other_size, &other_end))
		return false;
	return end <= other || other_end <= begin;
}

/* The header as it was when it was read: what is checked is what is used. */
static bool copy_header(const struct tee_perf_log_header *host, struct tee_perf_attachment *attachment)
{
	uint64_t magic = host_read(&host->magic), version = host_read(&host->version);
	uint64_t process_max = host_read(&host->process_max), slot_max = host_read(&host->slot_max);
	uint64_t segment_bytes = host_read(&host->segment_bytes);

	attachment->ring_bytes = host_read(&host->ring_bytes);
	attachment->module_bytes = host_read(&host->module_bytes);
	attachment->slot_count = (uint32_t)slot_max;
	return magic == TEE_PERF_LOG_MAGIC && version == TEE_PERF_LOG_VERSION &&
	       tee_perf_sizes_sane(process_max, slot_max, attachment->ring_bytes, segment_bytes,
				   attachment->module_bytes);
}

static bool addresses_sane(const struct tee_perf_offer *offer, bool (*outside)(uintptr_t begin, uint64_t size))
{
	if (offer->header == 0 || offer->header % 64 != 0 ||
	    !outside(offer->header, sizeof(struct tee_perf_log_header)))
		return false;
	if (offer->segment == 0 || offer->segment % TEE_PERF_SUBBUF_BYTES != 0 ||
	    !outside(offer->segment, offer->segment_bytes))
		return false;
	return offer->process == 0 ||
	       (offer->process % 64 == 0 && outside(offer->process, sizeof(struct tee_perf_log_process)));
}

/* A host may enter the enclave through several threads at once and offer a different log to each: one of them is taken,
 * as a whole. Sizes of the one with addresses of the other would put rings anywhere. Nobody waits. */
static bool take(const struct tee_perf_attachment *attachment)
{
	static bool taking;

	if (__atomic_exchange_n(&taking, true, __ATOMIC_ACQUIRE))
		return false;
	bool first = tee_perf_state.host == NULL;
	if (first)
		tee_perf_attach(attachment);
	__atomic_store_n(&taking, false, __ATOMIC_RELEASE);
	return first;
}

bool tee_perf_attach_offer(const struct tee_perf_offer *offer, bool (*outside)(uintptr_t begin, uint64_t size),
			   struct tee_perf_thread *threads, uint32_t thread_count)
{
	struct tee_perf_attachment attachment = { .threads = threads, .host_clock_only = true };

	if (tee_perf_state.host != NULL || !addresses_sane(offer, outside))
		return false;
	attachment.host = (struct tee_perf_log_header *)(uintptr_t)offer->header;
	if (!copy_header(attachment.host, &attachment))
		return false;
	if (attachment.slot_count > thread_count)
		attachment.slot_count = thread_count;
	if (attachment.slot_count > offer->slots)
		attachment.slot_count = (uint32_t)offer->slots;
	/* No product can wrap: the sizes are sane. */
	if (attachment.slot_count == 0 ||
	    offer->segment_bytes < TEE_PERF_SLOTS_OFFSET(attachment.module_bytes) +
				       attachment.slot_count * TEE_PERF_SLOT_BYTES(attachment.ring_bytes))
		return false;
	attachment.segment = (struct tee_perf_log_segment *)(uintptr_t)offer->segment;
	attachment.process = (struct tee_perf_log_process *)(uintptr_t)offer->process;
	return take(&attachment);
}
