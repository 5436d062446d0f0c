/* SPDX-License-Identifier: MIT */
/* Ways of an exception, and of a thread's end, through functions of all kinds: some announce themselves, and so have a
 * clean-up; the others have only what the case is about, and their callers announce them. */
#include "cpp_program.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

struct other {
	int code;
};

/* Announces a function that is called in its scope, however it ends. */
class around
{
	unsigned node;

      public:
	UNSEEN __attribute__((always_inline)) explicit around(const char *name) : node(announce_enter(name, nullptr))
	{
	}
	UNSEEN __attribute__((always_inline)) ~around()
	{
		announce_leave(&node);
	}
};

KEPT static int leaf(int x)
{
	ENTER;
	return x + 1;
}

KEPT static void through(int depth)
{
	ENTER;
	if (depth == 0)
		throw failure{ 5 };
	through(depth - 1);
	leaf(depth);
}

KEPT static int compare(const void *a, const void *b)
{
	ENTER;
	return *(const int *)a - *(const int *)b;
}

static UNSEEN int sorts()
{
	int numbers[] = { 3, 2, 1 };

	qsort(numbers, 3, sizeof *numbers, compare);
	return numbers[0];
}

/* ---- functions with hooks and without by turns */

KEPT static void mixed_inner(int depth)
{
	ENTER;
	plain_cleans(through, depth, sorts);
	leaf(depth);
}

KEPT static void mixed_middle(int depth)
{
	ENTER;
	plain_passes(mixed_inner, depth);
	leaf(depth);
}

KEPT static void mixed_outer(int depth)
{
	ENTER;
	plain_cleans(mixed_middle, depth, sorts);
	leaf(depth);
}

KEPT static int mixed()
{
	ENTER;
	int result = plain_catches(mixed_outer, 2) + sorts();

	try {
		plain_passes(mixed_outer, 1);
	} catch (const failure &caught) {
		result += leaf(caught.code) + sorts();
	}
	return result;
}

/* ---- functions without a clean-up of their own */

KEPT static int only_calls(int depth)
{
	through(depth);
	return leaf(depth) + 1;
}

KEPT static int catches_other(int depth)
{
	try {
		through(depth);
	} catch (const other &caught) {
		return leaf(caught.code) + 1;
	}
	return leaf(depth) + 1;
}

KEPT static int catches_two(int depth)
{
	try {
		if (depth < 0)
			throw other{ depth };
		return catches_other(depth) + 1;
	} catch (const other &caught) {
		return leaf(caught.code) + 1;
	} catch (const int &caught) {
		return leaf(caught) + 2;
	}
}

KEPT static int rethrows(int depth)
{
	try {
		through(depth);
	} catch (const failure &caught) {
		leaf(caught.code);
		throw;
	}
	return leaf(depth) + 1;
}

#pragma clang diagnostic ignored "-Wdynamic-exception-spec"
#pragma clang diagnostic ignored "-Wdeprecated"
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

KEPT static int specified(int depth) throw(failure)
{
	through(depth);
	return leaf(depth) + 1;
}

KEPT static int specified_other(int depth) throw(other)
{
	through(depth);
	return leaf(depth) + 1;
}

/* What specified_other does not allow becomes what it does. */
KEPT static void on_unexpected()
{
	ENTER;
	leaf(4);
	throw other{ 6 };
}

KEPT static int calls_within(const char *name, int (*function)(int), int depth)
{
	ENTER;
	try {
		around one(name);
		return function(depth);
	} catch (const failure &caught) {
		return leaf(caught.code) + sorts();
	} catch (const other &caught) {
		return leaf(caught.code) + 10;
	}
}

KEPT static int calls_two(int depth)
{
	ENTER;
	try {
		around one("catches_two");
		around two("catches_other");
		return catches_two(depth);
	} catch (const failure &caught) {
		return leaf(caught.code);
	}
}

/* ---- tail calls */

KEPT static void only_tail(int depth)
{
	ENTER_TAIL;
	TAIL;
	through(depth);
}

KEPT static void tail_of_tail(int depth)
{
	ENTER_TAIL;
	if (depth == 7) {
		TAIL;
		through(0);
		return;
	}
	TAIL;
	only_tail(depth);
}

KEPT static int calls_tails(int depth)
{
	ENTER;
	try {
		tail_of_tail(depth);
	} catch (const failure &caught) {
		return leaf(caught.code);
	}
	return 0;
}

/* ---- function-try-blocks; a handler of a constructor's must not look at the object */

static unsigned tried_node;

KEPT static int tried(int depth)
try {
	tried_node = announce_enter("tried", ANNOUNCE_CFA);
	through(depth);
	announce_leave(&tried_node);
	return 0;
} catch (const failure &caught) {
	int result = leaf(caught.code);
	announce_leave(&tried_node);
	return result;
}

struct opening {
	UNSEEN __attribute__((always_inline)) explicit opening(const void *cfa)
	{
		tried_node = announce_enter("attempt::attempt", cfa);
	}
};

struct part {
	KEPT explicit part(int depth)
	{
		ENTER_AS("part::part");
		if (depth >= 0)
			through(depth);
	}
	KEPT ~part()
	{
		ENTER_AS("part::~part");
		leaf(3);
	}
};

struct attempt : opening {
	part first, second;
	KEPT attempt(int a, int b)
	try : opening(ANNOUNCE_CFA), first(a), second(b) {
		leaf(8);
		announce_leave(&tried_node);
	} catch (const failure &caught) {
		leaf(caught.code);
		announce_leave(&tried_node); /* and on it goes, as it always does */
	}
	UNSEEN __attribute__((always_inline)) ~attempt()
	{
	}
};

KEPT static int attempts(int a, int b)
{
	ENTER;
	try {
		attempt one(a, b);
		return leaf(1);
	} catch (const failure &caught) {
		return leaf(caught.code) + sorts();
	}
}

void unwinding_case()
{
	ENTER;
	std::set_unexpected(on_unexpected);
	printf("mixed %d\n", mixed());
	for (int depth = 0; depth < 3; depth++) {
		printf("without clean-up %d %d", calls_within("only_calls", only_calls, depth),
		       calls_within("catches_other", catches_other, depth));
		printf(" %d %d", calls_within("rethrows", rethrows, depth), calls_two(depth));
		printf(" specified %d %d\n", calls_within("specified", specified, depth),
		       calls_within("specified_other", specified_other, depth));
	}
	printf("tails %d %d tried %d\n", calls_tails(2), calls_tails(7), tried(1));
	printf("attempts %d %d %d\n", attempts(-1, -1), attempts(1, -1), attempts(-1, 0));
}

/* ---- the end of a thread, which unwinds its stack as well */

static sem_t ready;

KEPT static void waits_below(int depth)
{
	ENTER;
	if (depth == 0) {
		sem_post(&ready);
		for (;;)
			pause();
	}
	waits_below(depth - 1);
	leaf(depth);
}

KEPT static void exits_below(int depth)
{
	ENTER;
	if (depth == 0)
		pthread_exit(nullptr);
	exits_below(depth - 1);
	leaf(depth);
}

KEPT static int exits_within(int depth)
{
	try {
		exits_below(depth);
	} catch (const failure &caught) {
		return leaf(caught.code) + 1;
	}
	return leaf(depth) + 1;
}

KEPT static void *waits(void *argument)
{
	ENTER;
	plain_cleans(waits_below, 3, sorts);
	leaf(1);
	return argument;
}

KEPT static void exits(int depth)
{
	ENTER;
	around one("exits_within");
	exits_within(depth);
}

KEPT static void *ends(void *argument)
{
	ENTER;
	plain_cleans(exits, 2, sorts);
	leaf(2);
	return argument;
}

KEPT static void run(void *(*function)(void *), bool cancel)
{
	ENTER;
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, nullptr, function, nullptr) != 0)
		abort();
	if (cancel) {
		while (sem_wait(&ready) != 0)
			;
		pthread_cancel(thread);
	}
	pthread_join(thread, &result);
	printf("joined %d\n", result == PTHREAD_CANCELED);
}

void forced_case()
{
	ENTER;
	sem_init(&ready, 0, 0);
	run(waits, true);
	run(ends, false);
}
