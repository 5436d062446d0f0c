/* SPDX-License-Identifier: MIT */
/* For programs that are built with tee-perf-cc: switch recording on and off, and set named marks.
 * Without a recorder, and in a program without hooks, all of it does nothing.
 *
 *   tee_perf_off();            what this process does from here on is not recorded
 *   tee_perf_on();             from here on it is again
 *   TEE_PERF_MARK("loaded");   a point in time with a name (a string literal), see the table `marks`
 *   TEE_PERF_OCALL int host_time(void);   a function that leaves the enclave (docs/TRANSITIONS.md)
 *
 * A program that changes stacks by assembly of its own tells which memory is one, in the thread that will run on it,
 * before it does; again is cheap. Signal stacks and those of swapcontext are known, and what libraries of fibers tell
 * AddressSanitizer (__sanitizer_start_switch_fiber) is heard.
 *
 *   tee_perf_stack(lo, hi);        [lo, hi) is a stack
 *   tee_perf_stack_forget(lo);     it is none any more: what is open on it will not return
 */
#ifndef TEE_PERF_H
#define TEE_PERF_H

#ifdef __cplusplus
extern "C" {
#endif

/* Before a function's declaration: it is an edge of the enclave, whatever its name. Calls of an OCALL are recorded
 * where they are made; other compilers ignore it. */
#if defined(__clang__) && __clang_major__ >= 18
#define TEE_PERF_OCALL __attribute__((annotate("tee-perf:ocall")))
#define TEE_PERF_ECALL __attribute__((annotate("tee-perf:ecall")))
#elif defined(__clang__) /* which forgets annotations of what is only declared */
#define TEE_PERF_EDGE_(word)                                                                                           \
	_Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunknown-assumption\"")                  \
	    __attribute__((assume(word))) _Pragma("clang diagnostic pop")
#define TEE_PERF_OCALL TEE_PERF_EDGE_("tee-perf:ocall")
#define TEE_PERF_ECALL TEE_PERF_EDGE_("tee-perf:ecall")
#else
#define TEE_PERF_OCALL
#define TEE_PERF_ECALL
#endif

struct tee_perf_map_entry;
extern void tee_perf_runtime_on(void) __attribute__((weak));
extern void tee_perf_runtime_off(void) __attribute__((weak));
extern void tee_perf_runtime_stack(const void *lo, const void *hi) __attribute__((weak));
extern void tee_perf_runtime_stack_forget(const void *lo) __attribute__((weak));
extern void tee_perf_runtime_mark(const struct tee_perf_map_entry *entry) __attribute__((weak));

static inline void tee_perf_on(void)
{
	if (tee_perf_runtime_on)
		tee_perf_runtime_on();
}

static inline void tee_perf_off(void)
{
	if (tee_perf_runtime_off)
		tee_perf_runtime_off();
}

static inline void tee_perf_stack(const void *lo, const void *hi)
{
	if (tee_perf_runtime_stack)
		tee_perf_runtime_stack(lo, hi);
}

static inline void tee_perf_stack_forget(const void *lo)
{
	if (tee_perf_runtime_stack_forget)
		tee_perf_runtime_stack_forget(lo);
}

/* The mark is an entry of the image's map, as a function is (kind 4). */
#define TEE_PERF_MARK(name)                                                                                            \
	do {                                                                                                           \
		const struct tee_perf_map_entry *tee_perf_entry_;                                                      \
		__asm__(".pushsection tee_perf_str,\"a\",@progbits\n\t"                                                \
			"7771: .asciz " TEE_PERF_QUOTE_(                                                               \
			    name) "\n\t"                                                                               \
				  ".popsection\n\t"                                                                    \
				  ".pushsection tee_perf_map,\"aw\",@progbits\n\t"                                     \
				  ".balign 16\n\t"                                                                     \
				  "7772: .long 7771b - .\n\t.long 0\n\t.long " TEE_PERF_STRING_(                       \
				      __LINE__) "\n\t"                                                                 \
						".short 4\n\t.short 0\n\t"                                             \
						".popsection\n\t" TEE_PERF_ADDRESS_                                    \
			: "=r"(tee_perf_entry_));                                                                      \
		if (tee_perf_runtime_mark)                                                                             \
			tee_perf_runtime_mark(tee_perf_entry_);                                                        \
	} while (0)

#define TEE_PERF_QUOTE_(name) "\"" name "\""
#define TEE_PERF_STRING__(x)  #x
#define TEE_PERF_STRING_(x)   TEE_PERF_STRING__(x)
#if defined(__x86_64__)
#define TEE_PERF_ADDRESS_ "lea 7772b(%%rip), %0"
#elif defined(__aarch64__)
#define TEE_PERF_ADDRESS_ "adrp %0, 7772b\n\tadd %0, %0, :lo12:7772b"
#elif defined(__riscv)
#define TEE_PERF_ADDRESS_ "lla %0, 7772b"
#endif

#ifdef __cplusplus
}
#endif
#endif
