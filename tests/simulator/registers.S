/* SPDX-License-Identifier: MIT */
/* uint64_t registers_survive(uint64_t rounds): fills general registers, vector registers, the red zone and the carry flag,
 * waits in a loop that touches rcx only, and compares. Returns how many rounds found something changed: an asynchronous
 * exit must leave no trace. */
	.section .note.GNU-stack, "", @progbits
	.text
	.globl registers_survive
	.hidden registers_survive
	.type registers_survive, @function
#define PATTERN(n) (0x0102030405060708 * (n))
registers_survive:
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	pushq	$0		/* wrong rounds */
	pushq	%rdi		/* rounds left */
1:	movabsq	$PATTERN(1), %rax
	movabsq	$PATTERN(2), %rbx
	movabsq	$PATTERN(3), %rdx
	movabsq	$PATTERN(4), %rsi
	movabsq	$PATTERN(5), %rdi
	movabsq	$PATTERN(6), %rbp
	movabsq	$PATTERN(7), %r8
	movabsq	$PATTERN(8), %r9
	movabsq	$PATTERN(9), %r10
	movabsq	$PATTERN(10), %r11
	movabsq	$PATTERN(11), %r12
	movabsq	$PATTERN(12), %r13
	movabsq	$PATTERN(13), %r14
	movabsq	$PATTERN(14), %r15
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7
	movq	%rax, %xmm\n
	.endr
	.irp n, 8, 9, 10, 11, 12, 13, 14, 15
	movq	%rbx, %xmm\n
	.endr
	.irp n, 8, 16, 64, 120, 128
	movq	%rdx, -\n(%rsp)
	.endr
	movl	$2000, %ecx
	stc
2:	leal	-1(%ecx), %ecx
	jrcxz	3f
	jmp	2b
3:	jnc	4f
	/* Sum up what differs; only rcx and flags are free. */
	movabsq	$PATTERN(1), %rcx
	cmpq	%rcx, %rax
	jne	4f
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7
	movq	%xmm\n, %rcx
	cmpq	%rcx, %rax
	jne	4f
	.endr
	.irp n, 8, 9, 10, 11, 12, 13, 14, 15
	movq	%xmm\n, %rcx
	cmpq	%rcx, %rbx
	jne	4f
	.endr
	.irp n, 8, 16, 64, 120, 128
	cmpq	%rdx, -\n(%rsp)
	jne	4f
	.endr
	.macro same register, number
	movabsq	$PATTERN(\number), %rcx
	cmpq	%rcx, %\register
	jne	4f
	.endm
	same rbx, 2
	same rdx, 3
	same rsi, 4
	same rdi, 5
	same rbp, 6
	same r8, 7
	same r9, 8
	same r10, 9
	same r11, 10
	same r12, 11
	same r13, 12
	same r14, 13
	same r15, 14
	jmp	5f
4:	incq	8(%rsp)
5:	decq	(%rsp)
	jnz	1b
	popq	%rax
	popq	%rax
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret
	.size registers_survive, . - registers_survive
