/* SPDX-License-Identifier: MIT */
/* Calls hooks as compiled code does (hook.S), for code that is not compiled by tee-perf-cc: the calibration. The
 * caller is built without a red zone. */
#ifndef TEE_PERF_RUNTIME_HOOK_CALL_H
#define TEE_PERF_RUNTIME_HOOK_CALL_H

static inline void arch_hook_call(const void *entry, const void *cfa)
{
	register const void *r10 __asm__("r10") = entry;
	register const void *rax __asm__("rax") = cfa;
	__asm__ volatile("call tee_perf_call_fast" : "+r"(r10), "+r"(rax) : : "r11", "memory", "cc");
}

static inline void arch_hook_return(const void *entry, const void *cfa)
{
	register const void *r10 __asm__("r10") = entry;
	register const void *rcx __asm__("rcx") = cfa;
	__asm__ volatile("call tee_perf_return_fast" : "+r"(r10), "+r"(rcx) : : "r11", "memory", "cc");
}

#endif
