/* SPDX-License-Identifier: MIT */
/* However a shared file is divided, nothing lies beyond its part, and what the runtime asks of sizes holds. */
#include "recorder/shared_file.h"

#include <stdio.h>

static int check(uint64_t bytes, unsigned processes, uint64_t ring)
{
	struct tee_perf_layout layout = { 0 };
	struct tee_perf_error err = { 0 };

	if (tee_perf_shared_layout(&layout, bytes, processes, ring, &err) != 0)
		return 0; /* too small; that it is so is for others to say */
	uint64_t used = TEE_PERF_SLOTS_OFFSET(layout.module_bytes) + layout.slot_max * TEE_PERF_SLOT_BYTES(ring);
	if (layout.slot_max >= 1 && layout.slot_max <= TEE_PERF_SLOT_MAX && layout.process_max == processes &&
	    used <= layout.segment_bytes && TEE_PERF_SEGMENTS_OFFSET + processes * layout.segment_bytes <= bytes &&
	    layout.module_bytes >= TEE_PERF_SUBBUF_BYTES && layout.module_bytes % TEE_PERF_SUBBUF_BYTES == 0 &&
	    layout.segment_bytes % TEE_PERF_SUBBUF_BYTES == 0)
		return 1;
	printf("%llu bytes for %u processes with rings of %llu: %llu slots, segments of %llu, modules of %llu\n",
	       (unsigned long long)bytes, processes, (unsigned long long)ring, (unsigned long long)layout.slot_max,
	       (unsigned long long)layout.segment_bytes, (unsigned long long)layout.module_bytes);
	return -1;
}

int main(void)
{
	unsigned laid_out = 0;

	for (unsigned processes = 1; processes <= TEE_PERF_PROCESS_MAX; processes += processes / 3 + 1)
		for (uint64_t bytes = 1 << 20; bytes <= UINT64_C(1) << 40; bytes += bytes / 5 + 1)
			for (uint64_t ring = TEE_PERF_RING_BYTES_MIN; ring <= TEE_PERF_RING_BYTES_MAX; ring *= 2) {
				int result = check(bytes, processes, ring);
				if (result < 0)
					return 1;
				laid_out += (unsigned)result;
			}
	/* What docs/PLATFORMS.md says of the defaults. */
	struct tee_perf_layout layout;
	struct tee_perf_error err = { 0 };
	if (tee_perf_shared_layout(&layout, UINT64_C(1) << 30, 16, 1 << 20, &err) != 0 || layout.slot_max != 54)
		return 2;
	return laid_out > 1000 ? 0 : 3;
}
