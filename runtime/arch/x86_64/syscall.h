/* SPDX-License-Identifier: MIT */
/* Raw system calls for the hosted platform: the program may define its own write, mmap or close, and
 * errno is not ours. Not included by the trusted core. */
#ifndef TEE_PERF_RUNTIME_SYSCALL_H
#define TEE_PERF_RUNTIME_SYSCALL_H

static inline long arch_syscall6(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#endif
