/* SPDX-License-Identifier: MIT */
/* What the hooks themselves take, by the recorder's calibration. */
#ifndef TEE_PERF_ANALYZER_PROBE_H
#define TEE_PERF_ANALYZER_PROBE_H

#include <stdint.h>

#define TEE_PERF_PROBE_LENGTHS 8

/* Estimated time of the two hooks of one call with one clock, in nanoseconds: a part of it falls into the callee's own
 * time, and depends on how long that is; the rest into the caller's. */
struct tee_perf_hook_times {
	unsigned length_count; /* 0: nothing is known, nothing is taken off */
	struct tee_perf_hook_length {
		double seen_ns;   /* what a call's own time appears to be, rising; beyond the ends the nearest holds */
		double inside_ns; /* of these */
	} length[TEE_PERF_PROBE_LENGTHS];
	double outside_ns;
};

struct tee_perf_probe {
	struct tee_perf_hook_times host, tsc;
	double tsc_share; /* of the records, 0 to 1 */
};

/* The hooks' part of a function's own time self_ns, during which it was called `calls` times and made `made` calls. */
double tee_perf_probe_ns(const struct tee_perf_probe *probe, uint64_t self_ns, uint64_t calls, uint64_t made);

#endif
