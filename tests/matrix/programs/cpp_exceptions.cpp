/* SPDX-License-Identifier: MIT */
/* Exceptions through, out of and into instrumented functions. */
#include "cpp_program.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <unistd.h>

KEPT static int leaf(int x)
{
	ENTER;
	return x + 1;
}

KEPT static void throws(int code)
{
	ENTER;
	throw failure{ code };
}

/* Not marked: it may be inlined into any of its callers. */
static void may_throw(int code)
{
	ENTER;
	if (code % 2)
		throw failure{ code };
	leaf(code);
}

KEPT static void through(int depth)
{
	ENTER;
	if (depth == 0)
		throws(5);
	through(depth - 1);
	leaf(depth);
}

KEPT static int caught_here(int depth)
{
	ENTER;
	try {
		through(depth);
	} catch (const failure &caught) {
		return leaf(caught.code);
	}
	return 0;
}

KEPT static int catches_inlined(int rounds)
{
	ENTER;
	int sum = 0;

	for (int i = 0; i < rounds; i++) {
		try {
			may_throw(i);
			sum += 100;
		} catch (const failure &caught) {
			sum += leaf(caught.code);
		}
	}
	return sum;
}

/* Caught, and thrown on, at every level. */
KEPT static int each_level(int depth)
{
	ENTER;
	if (depth == 0)
		throws(1);
	try {
		each_level(depth - 1);
	} catch (const failure &caught) {
		leaf(caught.code);
		throw failure{ caught.code + 1 };
	}
	return leaf(0);
}

/* Every second level handles it for good. */
KEPT static int alternate(int depth)
{
	ENTER;
	try {
		if (depth > 0)
			alternate(depth - 1);
		throws(depth);
	} catch (const failure &caught) {
		if (depth % 2)
			throw;
		return leaf(caught.code);
	}
	return 0;
}

KEPT static void rethrows()
{
	ENTER;
	try {
		through(1);
	} catch (...) {
		leaf(1);
		throw;
	}
}

KEPT static int nested()
{
	ENTER;
	int result = 0;

	try {
		try {
			rethrows();
		} catch (const failure &) {
			leaf(2);
			try {
				throws(8);
			} catch (const failure &inner) {
				result = leaf(inner.code);
			}
			throw;
		}
	} catch (const failure &outer) {
		result += leaf(outer.code);
	}
	return result;
}

KEPT static void handles_inside(int depth)
{
	ENTER;
	try {
		through(depth);
	} catch (const failure &caught) {
		leaf(caught.code);
	}
}

/* Its destructor runs while an exception passes, and calls what throws and catches another one. */
class cleaner
{
	int depth;

      public:
	KEPT explicit cleaner(int depth) : depth(depth)
	{
		ENTER_AS("cleaner::cleaner");
	}
	KEPT ~cleaner()
	{
		ENTER_AS("cleaner::~cleaner");
		leaf(depth);
		handles_inside(depth);
	}
};

KEPT static void cleans(int depth)
{
	ENTER;
	cleaner one(depth);

	if (depth == 0)
		throws(6);
	cleans(depth - 1);
	leaf(depth);
}

KEPT static int cleaned(int depth)
{
	ENTER;
	try {
		cleans(depth);
	} catch (const failure &caught) {
		return leaf(caught.code);
	}
	return 0;
}

KEPT static void library_throws(int x)
{
	ENTER;
	std::string text("abc");

	leaf((int)text.size());
	text.at((size_t)(x + 100)) = 'x';
}

KEPT static int from_library()
{
	ENTER;
	try {
		library_throws(1);
	} catch (const std::out_of_range &) {
		return leaf(1);
	}
	return 0;
}

KEPT static int by_plain_code()
{
	ENTER;
	int result = plain_catches(through, 3) + leaf(1);

	result += plain_catches(through, 0);
	leaf(result);
	try {
		plain_passes(through, 2);
	} catch (const failure &caught) {
		result += leaf(caught.code);
	}
	return result;
}

KEPT static int compare(const void *a, const void *b)
{
	ENTER;
	return *(const int *)a - *(const int *)b;
}

/* The C library has no hooks, and calls back from deeper on the stack than the functions that the exception ended. */
static UNSEEN int sorts()
{
	int numbers[] = { 3, 2, 1 };

	qsort(numbers, 3, sizeof *numbers, compare);
	return numbers[0];
}

KEPT static int catch_sorts()
{
	ENTER;
	try {
		through(2);
	} catch (const failure &) {
		return sorts();
	}
	return 0;
}

struct sorter {
	UNSEEN KEPT ~sorter()
	{
		sorts();
	}
};

KEPT static void cleanup_sorts()
{
	ENTER;
	sorter one;

	through(2);
	leaf(0);
}

void plain_catch_case()
{
	ENTER;
	printf("plain %d\n", by_plain_code());
	for (int i = 0; i < 4; i++) {
		printf("plain %d\n", plain_catches(may_throw, i));
		leaf(i);
	}
}

/* A landing pad whose own function has no hooks: the functions that ended lie above the one that it calls. */
void plain_sorts_case()
{
	ENTER;
	printf("plain sorts %d\n", plain_sorts(through, sorts));
}

void cleanup_sorts_case()
{
	ENTER;
	try {
		cleanup_sorts();
	} catch (const failure &) {
		leaf(1);
	}
}

KEPT static int across_objects()
{
	ENTER;
	int result = across_catches(through, 2);

	try {
		across_throws(3);
	} catch (const failure &caught) {
		result += leaf(caught.code);
	}
	try {
		across_calls(across_throws, 1);
	} catch (const failure &caught) {
		result += leaf(caught.code);
	}
	try {
		across_calls(through, 1);
	} catch (const failure &caught) {
		result += across_leaf(caught.code);
	}
	return result + across_catches(across_throws, 1);
}

void exceptions_case()
{
	ENTER;
	printf("caught %d %d inlined %d\n", caught_here(0), caught_here(4), catches_inlined(5));
	try {
		each_level(5);
	} catch (const failure &caught) {
		printf("each level %d\n", leaf(caught.code));
	}
	printf("alternate %d\n", alternate(6));
	printf("nested %d cleaned %d library %d\n", nested(), cleaned(3), from_library());
	printf("across %d sorts %d\n", across_objects(), catch_sorts());
}

[[noreturn]] KEPT static void on_terminate()
{
	ENTER;
	leaf(9);
	printf("terminated\n");
	fflush(stdout);
	announce_dump();
	_exit(3);
}

/* Whether its clean-up runs before the end is up to the compiler, so it has none. */
KEPT static void never_throws(int depth) noexcept
{
	through(depth);
	leaf(depth);
}

void terminate_case()
{
	ENTER;
	std::set_terminate(on_terminate);
	AROUND("never_throws", never_throws(2));
}

[[noreturn]] KEPT static void on_uncaught()
{
	ENTER;
	leaf(9);
	printf("uncaught\n");
	fflush(stdout);
	announce_dump();
	abort();
}

void uncaught_case()
{
	ENTER;
	std::set_terminate(on_uncaught);
	through(3);
}
