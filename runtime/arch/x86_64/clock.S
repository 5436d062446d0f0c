/* SPDX-License-Identifier: MIT */
/* The clock file: the one place of a clock instruction (DESIGN 8, rule 1). Legal outside of enclaves, on SGX2
 * and in confidential VMs; executed only when the control word selects it. Built twice, as hook.S is. */

	.section .note.GNU-stack, "", @progbits
	.text
	.hidden tee_perf_put_ticks

/* uint64_t tee_perf_clock_ticks(void) */
	.globl tee_perf_clock_ticks
	.hidden tee_perf_clock_ticks
	.type tee_perf_clock_ticks, @function
	.p2align 4
tee_perf_clock_ticks:
	.cfi_startproc
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	ret
	.cfi_endproc
	.size tee_perf_clock_ticks, . - tee_perf_clock_ticks

/* The end of hook.S's fast path with the time-stamp counter in place of the host word. In: r11 the thread, r10 the kind;
 * word 1 is written. Changed: r10, r11, flags. */
	.globl tee_perf_put_ticks
	.type tee_perf_put_ticks, @function
	.p2align 6
tee_perf_put_ticks:
	.cfi_startproc
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	8(%r11), %rdx
	/* 61 bits of time, the kind above them. */
	shlq	$3, %rax
	shrdq	$3, %r10, %rax
	movq	%rax, (%rdx)
	addq	$16, %rdx
	movq	%rdx, 8(%r11)
	movq	$0, (%r11)
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size tee_perf_put_ticks, . - tee_perf_put_ticks
