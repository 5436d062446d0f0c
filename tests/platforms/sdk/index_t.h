/* SPDX-License-Identifier: MIT */
/* Stands for what the SDK's edger8r makes of examples/sgx-sdk/enclave/index.edl, trusted side. */
#ifndef INDEX_T_H
#define INDEX_T_H

#include <stdint.h>

void ecall_fill(uint32_t count, uint64_t seed);
uint32_t ecall_sort(void);
uint32_t ecall_search(const uint64_t *keys, uint32_t count);
int tee_perf_ecall_attach(void *header, void *segment, uint64_t segment_bytes, void *process, uint64_t slots);
int ocall_progress(uint32_t done);

#endif
