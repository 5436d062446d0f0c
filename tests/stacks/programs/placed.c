/* SPDX-License-Identifier: MIT */
/* A thread whose stack has a signal stack directly below it and, then, directly above it, in one mapping. */
#define _GNU_SOURCE
#include "tree.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#define STACK ((size_t)1 << 18)

static struct tree_stack handlers;

KEPT static void on_signal(int number)
{
	struct tree_stack *before = tree_switch(&handlers);

	(void)number;
	ENTER();
	leaf();
	LEAVE();
	tree_switch(before);
}

KEPT static void deep(int depth)
{
	ENTER();
	if (depth > 0)
		deep(depth - 1);
	pthread_kill(pthread_self(), SIGUSR1);
	leaf();
	LEAVE();
}

KEPT static void *thread(void *memory)
{
	stack_t alternate = { .ss_sp = memory, .ss_size = STACK };

	tree_own.depth = 0;
	ENTER();
	leaf();
	sigaltstack(&alternate, NULL);
	deep(5);
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
	LEAVE();
	return NULL;
}

static SILENT void run(char *stack, char *signal_stack)
{
	pthread_attr_t attributes;
	pthread_t id;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK);
	pthread_create(&id, &attributes, thread, signal_stack);
	pthread_join(id, NULL);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	char *memory = mmap(NULL, 3 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ENTER();
	sigaction(SIGUSR1, &action, NULL);
	run(memory + STACK, memory);
	run(memory + STACK, memory + 2 * STACK);
	tree_print();
	return 0;
}
