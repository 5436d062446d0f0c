/* SPDX-License-Identifier: MIT */
/* What a call's two hooks cost on this machine, now, with this period: measured with the real hooks, ring and drain. */
#ifndef TEE_PERF_RECORDER_CALIBRATE_H
#define TEE_PERF_RECORDER_CALIBRATE_H

#include "recorder/record.h"

#define TEE_PERF_CALIBRATED_LENGTHS 3

/* Nanoseconds of one call and its return. 0: not measured. */
struct tee_perf_hook_cost {
	double inside_ns; /* added between the two readings of the clock: counts for the called function; a mean */
	struct tee_perf_hook_inside {
		double seen_ns, added_ns;      /* between the two readings; by the hooks, of these */
	} inside[TEE_PERF_CALIBRATED_LENGTHS]; /* short calls first */
	double outside_ns;                     /* the rest: counts for its caller */
};

struct tee_perf_hook_costs {
	struct tee_perf_hook_cost host, tsc;
};

/* Takes some milliseconds. A failure leaves zeros: a report then has no column `probe`. */
void tee_perf_calibrate_hooks(const struct tee_perf_record_options *options, bool tsc_usable,
			      struct tee_perf_hook_costs *costs);

#endif
