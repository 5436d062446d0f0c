/* SPDX-License-Identifier: MIT */
/* What the trusted core needs of the instruction set. A port is one more folder. */
#ifndef TEE_PERF_RUNTIME_ARCH_H
#define TEE_PERF_RUNTIME_ARCH_H

#define ARCH_MACHINE 62 /* EM_X86_64: in the log, which processor's counter is meant */

static inline void arch_pause(void)
{
	__builtin_ia32_pause();
}

/* Keeps the vector registers, which hook.S leaves alone, while the platform calls code that is not ours. (What it calls
 * is built for the baseline, so the upper halves of wider registers stay as they are.) */
struct arch_vectors {
	char area[512];
} __attribute__((aligned(16)));

static inline void arch_vectors_save(struct arch_vectors *vectors)
{
	__asm__ volatile("fxsave64 %0" : "=m"(*vectors));
}
static inline void arch_vectors_restore(const struct arch_vectors *vectors)
{
	__asm__ volatile("fxrstor64 %0" : : "m"(*vectors));
}

#endif
