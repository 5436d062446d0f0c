/* SPDX-License-Identifier: MIT */
/* The strict simulator, trusted side. Compile and link without a C library:
 *
 *   tee-perf-cc -O2 -fPIC -ffreestanding -ftls-model=initial-exec -ftee-perf-runtime=none -nostdlib -shared
 *               -Wl,-z,defs -Wl,-Bsymbolic -Wl,-e,tee_perf_sim_enter -Wl,--build-id
 *               -o enclave.so enclave.c -ltee-perf-sim-trusted
 *
 * Any system call but exit_group kills the process, and so does the time-stamp counter where the configuration says so.
 */
#ifndef TEE_PERF_SIM_TRUSTED_H
#define TEE_PERF_SIM_TRUSTED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An ECALL. data: a private copy, in enclave memory, of what the host passed; bytes as the host said, at most the size
 * of the marshalling buffer; copied back to the host afterwards. */
typedef int64_t tee_perf_sim_ecall_fn(void *data, size_t bytes);

/* The enclave's table: TEE_PERF_SIM_ECALLS(first, second) once in the trusted part; their numbers are 0, 1 ... */
struct tee_perf_sim_table {
	size_t count;
	tee_perf_sim_ecall_fn *const *entry;
};
extern const struct tee_perf_sim_table tee_perf_sim_table;
#define TEE_PERF_SIM_ECALLS(...)                                                                                       \
	static tee_perf_sim_ecall_fn *const tee_perf_sim_entries[] = { __VA_ARGS__ };                                  \
	const struct tee_perf_sim_table tee_perf_sim_table = {                                                         \
		sizeof tee_perf_sim_entries / sizeof *tee_perf_sim_entries, tee_perf_sim_entries                       \
	}

/* Calls the host. data: bytes bytes, copied out and, after the call, copied back; may be NULL. *result may be NULL; it
 * and data are the host's word and must be checked. Returns 0; -1: the host has no handler; -2: too many bytes;
 * -3: the host did not answer within the bound (tee_perf_sim_config.wait_rounds). */
int tee_perf_sim_ocall(unsigned number, void *data, size_t bytes, int64_t *result);

/* Memory that both sides see. Only aligned 8-byte accesses are safe on the hardware that this stands for. */
void *tee_perf_sim_shared_memory(size_t *bytes);
/* The enclave's heap: one block, zeroed. */
void *tee_perf_sim_heap(size_t *bytes);
/* Says that [begin, begin + bytes) of the enclave is about to be used: pages that are not inside cost a load, and an
 * eviction where the page cache is full. Nothing else is accounted (docs/SIMULATOR.md). */
void tee_perf_sim_touch(const void *begin, size_t bytes);
/* Wholly outside, wholly inside the enclave's memory, without wrapping around. */
int tee_perf_sim_is_outside(const void *begin, size_t bytes);
int tee_perf_sim_is_inside(const void *begin, size_t bytes);
/* Number of the calling thread of the enclave. */
unsigned tee_perf_sim_thread_number(void);

#ifdef __cplusplus
}
#endif
#endif
