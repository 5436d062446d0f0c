/* SPDX-License-Identifier: MIT */
/* The proxies, the same for each SDK but for its types (HANDLE, STATUS). No include guard: index_u.h has it. */
#include <stddef.h>

void ocall_progress(uint32_t done);

STATUS ecall_fill(HANDLE eid, uint32_t count, uint64_t seed);
STATUS ecall_sort(HANDLE eid, uint32_t *retval);
STATUS ecall_search(HANDLE eid, uint32_t *retval, const uint64_t *keys, uint32_t count);
STATUS tee_perf_ecall_attach(HANDLE eid, int *retval, void *header, void *segment, uint64_t segment_bytes,
			     void *process, uint64_t slots);
