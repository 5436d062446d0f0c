/* SPDX-License-Identifier: MIT */
/* Entry of the loader, the clone of a thread of the enclave, the jump into it, and the asynchronous exit. */
	.section .note.GNU-stack, "", @progbits
	.text

	.globl _start
_start:
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	andq	$-16, %rsp
	call	loader_main
	hlt

/* void loader_move(stack top, void (*run)(void)) */
	.globl loader_move
loader_move:
	movq	%rdi, %rsp
	xorl	%ebp, %ebp
	call	*%rsi
	hlt

/* long loader_clone(unsigned long flags, void *stack, void (*run)(void *), void *argument) */
	.globl loader_clone
loader_clone:
	movq	%rdx, %r8
	movq	%rcx, %r9
	xorl	%edx, %edx
	xorl	%r10d, %r10d
	movl	$56, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	ret
1:	xorl	%ebp, %ebp
	andq	$-16, %rsp
	movq	%r9, %rdi
	call	*%r8
	hlt

/* void loader_jump(enclave, thread, stack top, entry) */
	.globl loader_jump
loader_jump:
	movq	%rdx, %rsp
	xorl	%ebp, %ebp
	pushq	$0
	jmp	*%rcx

/* An asynchronous exit: a signal that interrupts the enclave anywhere. The handler leaves without rt_sigreturn, which the
 * filter forbids: it restores what the kernel saved by hand. The mask needs no restoring (SA_NODEFER), nor does the
 * signal stack (there is none). The kernel gives the handler fresh vector registers, so those are restored, too. */
#define UC_FLAGS   0
#define GREG(n)    (40 + 8 * (n)) /* struct ucontext: uc_mcontext at 40 */
#define R8         GREG(0)
#define R9         GREG(1)
#define R10        GREG(2)
#define R11        GREG(3)
#define R12        GREG(4)
#define R13        GREG(5)
#define R14        GREG(6)
#define R15        GREG(7)
#define RDI        GREG(8)
#define RSI        GREG(9)
#define RBP        GREG(10)
#define RBX        GREG(11)
#define RDX        GREG(12)
#define RAX        GREG(13)
#define RCX        GREG(14)
#define RSP        GREG(15)
#define RIP        GREG(16)
#define EFLAGS     GREG(17)
#define FPREGS     GREG(23)
#define XFEATURES  472 /* in the software-reserved bytes of the legacy area */
	.globl loader_exit_handler
loader_exit_handler:
	movq	%rdx, %rbx
	movq	%fs:16, %rdi
	andq	$-16, %rsp
	call	loader_exit
	movq	FPREGS(%rbx), %rdi
	testq	%rdi, %rdi
	jz	2f
	testl	$1, UC_FLAGS(%rbx)
	jz	1f
	movl	XFEATURES(%rdi), %eax
	movl	XFEATURES + 4(%rdi), %edx
	xrstor64 (%rdi)
	jmp	2f
1:	fxrstor64 (%rdi)
	/* Below the red zone of what was interrupted: rbx, flags, rip. They lie above the rest of the frame that is
	 * still needed, and become the stack in one instruction, so that a further signal destroys nothing. */
2:	movq	RSP(%rbx), %rcx
	movq	RBX(%rbx), %rax
	movq	%rax, -152(%rcx)
	movq	EFLAGS(%rbx), %rax
	movq	%rax, -144(%rcx)
	movq	RIP(%rbx), %rax
	movq	%rax, -136(%rcx)
	subq	$152, %rcx
	movq	%rcx, RSP(%rbx)
	movq	R8(%rbx), %r8
	movq	R9(%rbx), %r9
	movq	R10(%rbx), %r10
	movq	R11(%rbx), %r11
	movq	R12(%rbx), %r12
	movq	R13(%rbx), %r13
	movq	R14(%rbx), %r14
	movq	R15(%rbx), %r15
	movq	RDI(%rbx), %rdi
	movq	RSI(%rbx), %rsi
	movq	RBP(%rbx), %rbp
	movq	RDX(%rbx), %rdx
	movq	RAX(%rbx), %rax
	movq	RCX(%rbx), %rcx
	movq	RSP(%rbx), %rsp
	popq	%rbx
	popfq
	ret	$128

/* Never used, but the kernel asks for one. */
	.globl loader_restorer
loader_restorer:
	hlt
