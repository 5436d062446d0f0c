/* SPDX-License-Identifier: MIT */
/* Switches by hand. The argument says how the stacks are told: "told" (tee_perf_stack), "fibers" (what libraries tell
 * AddressSanitizer), "untold". Each fiber switches to the other at several depths. */
#include "tree.h"

#include <stdint.h>
#include <sys/mman.h>
#include <tee-perf.h>

#define STACK 65536
#define APART ((size_t)64 << 20) /* more than the distance rule asks for */

void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size) __attribute__((weak));
void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *size) __attribute__((weak));

struct fiber {
	void *stack_pointer;
	char *memory;
	struct tree_stack tree;
};

static struct fiber fibers[2], thread_itself;
static const void *own_bottom;
static size_t own_size;
static char *left; /* an address on the stack that was left last */
static char how;
static int over;

/* Saves what a function must keep, and goes on where the other one did this. */
void hand_over(void **save, void *to);
__asm__(".text\n"
	".globl hand_over\n"
	"hand_over:\n"
	"	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n"
	"	ret\n");

static SILENT void announce(const struct fiber *to)
{
	if (how == 't' && to->memory != NULL)
		tee_perf_stack(to->memory, to->memory + STACK);
	if (how == 'f')
		__sanitizer_start_switch_fiber(&(void *){ 0 }, to->memory != NULL ? to->memory : own_bottom,
					       to->memory != NULL ? STACK : own_size);
}

static SILENT void arrived(void)
{
	const void *bottom = NULL;
	size_t size = 0;

	if (how != 'f')
		return;
	__sanitizer_finish_switch_fiber(NULL, &bottom, &size);
	/* Without a recorder nobody knows. */
	if (getenv("TEE_PERF_LOG") != NULL && (left < (char *)bottom || left >= (char *)bottom + size))
		abort();
	if (own_size == 0) {
		own_bottom = bottom;
		own_size = size;
	}
}

KEPT static void change(struct fiber *from, struct fiber *to)
{
	ENTER();
	announce(to);
	tree_switch(to == &thread_itself ? &tree_own : &to->tree);
	left = __builtin_frame_address(0);
	hand_over(&from->stack_pointer, to->stack_pointer);
	tree_switch(from == &thread_itself ? &tree_own : &from->tree);
	arrived();
	LEAVE();
}

KEPT static void descend(int depth, int self)
{
	ENTER();
	if (depth == 0)
		change(&fibers[self], &fibers[!self]);
	else
		descend(depth - 1, self);
	leaf();
	LEAVE();
}

KEPT static void fiber_main(int self)
{
	ENTER();
	for (int i = 0; i < 6; i++)
		descend(self == 0 ? i : 5 - i, self);
	over++;
	change(&fibers[self], over == 2 ? &thread_itself : &fibers[!self]);
	abort();
}

static SILENT void entry_0(void)
{
	arrived();
	fiber_main(0);
}

static SILENT void entry_1(void)
{
	arrived();
	fiber_main(1);
}

static SILENT void prepare(struct fiber *fiber, char *memory, void (*entry)(void))
{
	void **top = (void **)(memory + STACK);

	memset(fiber, 0, sizeof *fiber);
	*--top = NULL; /* where entry would return to */
	*--top = (void *)(uintptr_t)entry;
	fiber->stack_pointer = top - 6;
	fiber->memory = memory;
}

KEPT static void both_orders(char *memory, int first)
{
	ENTER();
	over = 0;
	prepare(&fibers[0], memory, entry_0);
	prepare(&fibers[1], memory + (how == 'u' ? APART : STACK), entry_1);
	change(&thread_itself, &fibers[first]);
	leaf();
	LEAVE();
	for (int i = 0; i < 2; i++)
		tee_perf_stack_forget(fibers[i].memory);
}

int main(int argc, char **argv)
{
	char *memory =
	    mmap(NULL, 3 * APART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	how = argc > 1 ? argv[1][0] : 't';
	ENTER();
	both_orders(memory + APART, 0);
	both_orders(memory + APART, 1);
	LEAVE();
	tree_print();
	return 0;
}
