/* SPDX-License-Identifier: MIT */
/* The hooks' fast path once more, for code that tee-perf-cc compiles: the function of hook.c in a calling convention that
 * costs the instrumented function no spills. In: r10 the map entry, A the CFA, where A is rax at calls and rcx
 * at returns. Changed: r10, r11, A, flags; everything else, vector registers included, is kept (the C code below is
 * built with general registers only). The stack need not be aligned.
 *
 * Built twice: into the runtime, and, hidden, into libtee-perf-hooks.a, of which each image gets a copy: a direct call costs
 * one nanosecond less than one through the GOT, on any function. */

	.section .note.GNU-stack, "", @progbits
	.text
#ifdef TEE_PERF_IMAGE_HOOKS
	.hidden tee_perf_call_fast, tee_perf_call_inlined_fast, tee_perf_return_fast, tee_perf_resync_fast
#endif

/* struct tee_perf_thread, struct tee_perf_log_header: hook.c asserts these offsets. */
#define OWNER        0(%r11)
#define CURSOR       8(%r11)
#define CLOCK_WORD   16(%r11)
#define HOST         24(%r11)
#define CONTROL_TSC  32(%r11)
#define CONTROL      256
#define CURSOR_MASK  0x3fff
#define CALL_BIT     61
#define INLINED_BIT  62
#define RESYNC_BIT   63

/* Time is read as late as possible. Word 1 is stored before word 0 and the cursor before the owner is cleared: x86-64
 * keeps the order of stores. Word 1 may be stored before the time is looked at: the place is ours, and a record
 * without word 0 is none. */
.macro HOOK name, kind, bit, second_bit, a
	.globl \name
	.type \name, @function
	.p2align 6
\name:
	.cfi_startproc
	movq	tee_perf_self@GOTTPOFF(%rip), %r11
	movq	%fs:(%r11), %r11
	cmpq	$0, OWNER
	jne	1f
	movq	%\a, OWNER
	movl	%r10d, %r10d
	shlq	$32, %\a
	orq	%r10, %\a
	movq	CURSOR, %r10
	testl	$CURSOR_MASK, %r10d
	jz	2f
	movq	%\a, 8(%r10)
	movq	CLOCK_WORD, %\a
	movq	(%\a), %\a
	testq	%\a, %\a
	js	3f
	btsq	$\bit, %\a
	.ifnb \second_bit
	btsq	$\second_bit, %\a
	.endif
	movq	%\a, (%r10)
	addq	$16, %r10
	movq	%r10, CURSOR
	movq	$0, OWNER
	ret
1:	/* No ring yet, or the hook of an interrupted function is at work. */
	movq	tee_perf_busy@GOTPCREL(%rip), %r11
	jmp	5f
3:	movq	HOST, %\a
	movq	CONTROL(%\a), %\a
	cmpq	CONTROL_TSC, %\a
	jne	4f
	movl	$\kind, %r10d
	jmp	tee_perf_put_ticks
4:	movq	8(%r10), %\a
2:	/* A is word 1: the entry in its low half. The owner is the CFA. */
	.ifc \a, rax
	movl	%eax, %r10d
	.else
	movl	%ecx, %r10d
	.endif
	movq	OWNER, %\a
	movq	tee_perf_slow@GOTPCREL(%rip), %r11
5:	pushq	$\kind
	.cfi_adjust_cfa_offset 8
	pushq	%\a
	.cfi_adjust_cfa_offset 8
	jmp	call_c
	.cfi_adjust_cfa_offset -16
	.cfi_endproc
	.size \name, . - \name
.endm

/* Calls the C function r11(kind, entry, cfa); on the stack the CFA, the kind, our return address. */
	.type call_c, @function
call_c:
	.cfi_startproc
	.cfi_def_cfa_offset 24
	pushq	%rbp
	.cfi_def_cfa_offset 32
	.cfi_offset rbp, -32
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rsp
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r9
	cld
	movq	16(%rbp), %rdi
	movl	%r10d, %esi
	movq	8(%rbp), %rdx
	call	*%r11
	popq	%r9
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	movq	%rbp, %rsp
	popq	%rbp
	.cfi_def_cfa rsp, 24
	addq	$16, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size call_c, . - call_c

	HOOK	tee_perf_call_fast, 1, CALL_BIT, , rax
	HOOK	tee_perf_call_inlined_fast, 2, INLINED_BIT, , rax
	HOOK	tee_perf_return_fast, 3, CALL_BIT, INLINED_BIT, rcx
	HOOK	tee_perf_resync_fast, 4, RESYNC_BIT, , rax
