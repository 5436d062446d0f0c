/* SPDX-License-Identifier: MIT */
#ifndef TEE_PERF_RECORDER_CORES_H
#define TEE_PERF_RECORDER_CORES_H

/* Cores that this process may use: by affinity and by the quota of its cgroup, rounded down, at least 1. */
unsigned tee_perf_cores(void);

#endif
