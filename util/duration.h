/* SPDX-License-Identifier: MIT */
/* How the whole tool writes a time. */
#ifndef TEE_PERF_UTIL_DURATION_H
#define TEE_PERF_UTIL_DURATION_H

#define TEE_PERF_DURATION_BYTES 32

/* Three significant digits with their unit: "0 ns", "7.61 ns", "8.39 ms", "12.3 s", "4,321 s". ns: nanoseconds. Rounds
 * half up, as the flame graph's script does. Returns out. */
char *tee_perf_duration_text(char out[TEE_PERF_DURATION_BYTES], double ns);

#endif
