/* SPDX-License-Identifier: MIT */
/* Calls hooks as compiled code does (hook.S), for code that is not compiled by tee-perf-cc: the calibration. The
 * caller is built without a red zone. */
#ifndef TEE_PERF_RUNTIME_HOOK_CALL_H
#define TEE_PERF_RUNTIME_HOOK_CALL_H

/* As compiler-pass/hooks.c writes it, the look at whether anybody records included. The CFA is that of a function
 * without a frame. */
static const unsigned arch_recording = 0xffffffff;
#define ARCH_HOOK(name, a, entry)                                                                                      \
	__asm__ volatile("cmpl %%esp, %0\n\t"                                                                          \
			 "jb 1f\n\t"                                                                                   \
			 "leaq %1, %%r10\n\t"                                                                          \
			 "leaq 8(%%rsp), %%" a "\n\t"                                                                  \
			 "call *" name "@GOTPCREL(%%rip)\n"                                                            \
			 "1:"                                                                                          \
			 :                                                                                             \
			 : "m"(arch_recording), "m"(*(const char *)entry)                                              \
			 : a, "r10", "r11", "memory", "cc")

static inline void arch_hook_call(const void *entry, const void *cfa)
{
	(void)cfa;
	ARCH_HOOK("tee_perf_call_fast", "rax", entry);
}

static inline void arch_hook_return(const void *entry, const void *cfa)
{
	(void)cfa;
	ARCH_HOOK("tee_perf_return_fast", "rcx", entry);
}

/* A step of code that leaves the processor little room: three additions beside each that the next step waits for. In
 * fixed registers: which ones a compiler took changed what was measured. */
static inline long arch_full_step(long x)
{
	__asm__ volatile("addq $1, %0\n\t"
			 "leaq 1(%0), %%rax\n\t"
			 "leaq 2(%0), %%rdx\n\t"
			 "leaq 3(%0), %%r8"
			 : "+r"(x)
			 :
			 : "rax", "rdx", "r8", "cc");
	return x;
}

#endif
