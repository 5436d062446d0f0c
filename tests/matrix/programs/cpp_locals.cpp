/* SPDX-License-Identifier: MIT */
/* Threads of C++: thread_local objects, exceptions that end within a thread. */
#include "cpp_program.h"

#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

KEPT static int leaf(int x)
{
	ENTER;
	return x + 1;
}

namespace
{
struct local {
	int number;
	KEPT explicit local(int number);
	KEPT ~local();
};
} // namespace

local::local(int number) : number(number)
{
	ENTER_AS("anonymous::local::local");
	leaf(number);
}

local::~local()
{
	ENTER_AS("anonymous::local::~local");
	leaf(number);
}

KEPT static int use_local(int x)
{
	ENTER;
	static thread_local local one(3);

	one.number += x;
	return one.number;
}

KEPT static void throws(int depth)
{
	ENTER;
	if (depth == 0)
		throw failure{ leaf(2) };
	throws(depth - 1);
	leaf(depth);
}

KEPT static int body(int depth)
{
	ENTER;
	use_local(depth);
	try {
		throws(depth);
	} catch (const failure &caught) {
		return use_local(caught.code);
	}
	return 0;
}

static std::exception_ptr kept;

KEPT static void keeps()
{
	ENTER;
	try {
		throws(1);
	} catch (...) {
		kept = std::current_exception();
	}
}

KEPT static void run(int count)
{
	ENTER;
	std::vector<std::thread> threads;
	std::vector<int> results((size_t)count);

	for (int i = 0; i < count; i++) {
		threads.emplace_back([ i, &results ]() __attribute__((noinline)) {
			ENTER_AS("lambda");
			results[(size_t)i] = body(i + 1);
		});
	}
	for (std::thread &thread : threads)
		thread.join();
	for (int result : results)
		printf("thread %d\n", result);
}

void locals_case()
{
	ENTER;
	use_local(1);
	run(1);
	run(6);
	std::thread(keeps).join();
	try {
		std::rethrow_exception(kept);
	} catch (const failure &caught) {
		printf("from a thread %d\n", leaf(caught.code));
	}
}
