/* SPDX-License-Identifier: MIT */
/* Contexts: two on adjacent stacks of 64 KiB in both orders, one that is resumed more than once, one that setcontext
 * starts, one that another thread made, one on an array of main's, and handlers on a signal stack that leave into a
 * context by siglongjmp. */
#define _GNU_SOURCE
#include "tree.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK 65536

struct fiber {
	ucontext_t context;
	struct tree_stack tree;
};

static ucontext_t back;
static struct fiber low, high, fresh, other;
static sigjmp_buf signal_target;
static struct tree_stack handlers, *interrupted;

KEPT static void swap(struct fiber *from, struct fiber *to)
{
	ENTER();
	tree_switch(to == NULL ? &tree_own : &to->tree);
	swapcontext(from == NULL ? &back : &from->context, to == NULL ? &back : &to->context);
	tree_switch(from == NULL ? &tree_own : &from->tree);
	LEAVE();
}

KEPT static void step(int depth, struct fiber *from, struct fiber *to)
{
	ENTER();
	if (depth > 0)
		step(depth - 1, from, to);
	else
		swap(from, to);
	leaf();
	LEAVE();
}

KEPT static void runs_low(void)
{
	ENTER();
	for (int i = 0; i < 5; i++)
		step(i, &low, &high);
	LEAVE();
	tree_switch(&tree_own);
}

KEPT static void runs_high(void)
{
	ENTER();
	for (int i = 0; i < 5; i++)
		step(4 - i, &high, &low);
	swap(&high, &low);
	LEAVE();
}

static SILENT void make(struct fiber *fiber, void *memory, void (*run)(void))
{
	memset(&fiber->tree, 0, sizeof fiber->tree);
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = memory;
	fiber->context.uc_stack.ss_size = STACK;
	fiber->context.uc_link = &back;
	makecontext(&fiber->context, run, 0);
}

KEPT static void adjacent(char *memory, int low_first)
{
	ENTER();
	make(&low, memory, runs_low);
	make(&high, memory + STACK, runs_high);
	swap(NULL, low_first ? &low : &high);
	leaf();
	LEAVE();
}

/* setcontext to what swapcontext saved, three times: each time this function goes on from there. */
KEPT static void repeats(void)
{
	static volatile int times;

	ENTER();
	volatile int depth = tree_now->depth;
	getcontext(&back);
	tree_now->depth = depth;
	leaf();
	if (++times % 4 != 0)
		setcontext(&back);
	LEAVE();
}

KEPT static void runs_fresh(void)
{
	ENTER();
	leaf();
	LEAVE();
	tree_switch(&tree_own);
}

/* On a stack that nothing but setcontext leads to; its end leads back here. */
KEPT static void starts(char *memory)
{
	static volatile int started;

	ENTER();
	volatile int depth = tree_now->depth;
	make(&fresh, memory, runs_fresh);
	started = 0;
	getcontext(&back);
	tree_now->depth = depth;
	if (!started) {
		started = 1;
		tree_switch(&fresh.tree);
		setcontext(&fresh.context);
	}
	leaf();
	LEAVE();
}

KEPT static void in_other(void)
{
	ENTER();
	leaf();
	swap(&other, NULL);
	leaf();
	LEAVE();
	tree_switch(&tree_own);
}

static SILENT void *maker(void *memory)
{
	make(&other, memory, in_other);
	return NULL;
}

KEPT static void made_elsewhere(char *memory)
{
	pthread_t thread;

	ENTER();
	pthread_create(&thread, NULL, maker, memory);
	pthread_join(thread, NULL);
	swap(NULL, &other);
	swap(NULL, &other);
	leaf();
	LEAVE();
}

KEPT static void on_signal(int depth)
{
	if (depth > 5)
		interrupted = tree_switch(&handlers);
	ENTER();
	if (depth == 0)
		siglongjmp(signal_target, 1);
	on_signal(depth > 5 ? 2 : depth - 1);
	LEAVE();
}

KEPT static void is_interrupted(void)
{
	ENTER();
	volatile int depth = tree_now->depth, times = 0;
	if (sigsetjmp(signal_target, 1) != 0) {
		tree_switch(interrupted);
		handlers.depth = 0;
		tree_now->depth = depth;
	}
	leaf();
	if (times++ < 3)
		kill(getpid(), SIGUSR1);
	swap(&other, NULL);
	leaf();
	LEAVE();
	tree_switch(&tree_own);
}

KEPT static void interrupted_context(char *memory)
{
	stack_t alternate = { .ss_sp = memory, .ss_size = STACK };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	ENTER();
	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	make(&other, memory + STACK, is_interrupted);
	swap(NULL, &other);
	leaf();
	swap(NULL, &other);
	LEAVE();
}

int main(void)
{
	char array[STACK] __attribute__((aligned(16)));
	char *memory = mmap(NULL, 3 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ENTER();
	for (int i = 0; i < 3; i++) {
		adjacent(memory, 1);
		adjacent(memory, 0);
		repeats();
		starts(memory + 2 * STACK);
		made_elsewhere(memory);
		interrupted_context(memory);
		made_elsewhere(array);
	}
	LEAVE();
	tree_print();
	return 0;
}
