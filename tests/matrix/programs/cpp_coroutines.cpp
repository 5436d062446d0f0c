/* SPDX-License-Identifier: MIT */
/* Coroutines are recorded as the functions that they are split into; who calls one of those announces it. */
#include "cpp_program.h"

#include <coroutine>
#include <cstdio>

KEPT static int leaf(int x)
{
	ENTER;
	return x + 1;
}

struct generator {
	struct promise_type {
		int value = 0;
		bool failed = false;
		UNSEEN promise_type()
		{
		}
		UNSEEN generator get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		UNSEEN std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		UNSEEN std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		UNSEEN std::suspend_always yield_value(int next)
		{
			value = next;
			return {};
		}
		UNSEEN void return_void()
		{
		}
		KEPT void unhandled_exception()
		{
			ENTER_AS("generator::promise_type::unhandled_exception");
			failed = true;
		}
	};
	std::coroutine_handle<promise_type> handle;
};

struct guard {
	KEPT ~guard()
	{
		ENTER_AS("guard::~guard");
	}
};

KEPT static generator counts_up(int limit)
{
	guard one;

	for (int i = 0; i < limit; i++) {
		leaf(i);
		co_yield i;
	}
}

KEPT static generator fails(int limit)
{
	for (int i = 0; i < limit; i++)
		co_yield leaf(i);
	throw failure{ limit };
}

/* The compiler must not see which coroutine this is. */
static UNSEEN KEPT void *hidden(void *handle)
{
	__asm__("" : "+r"(handle));
	return handle;
}

KEPT static int drive(generator one, const char *resume, const char *destroy, int rounds)
{
	ENTER;
	auto handle = std::coroutine_handle<generator::promise_type>::from_address(hidden(one.handle.address()));
	int sum = 0;

	for (int i = 0; i < rounds && !handle.done(); i++) {
		AROUND(resume, handle.resume());
		sum = 10 * sum + leaf(handle.promise().value);
	}
	sum += handle.promise().failed ? 5 : 0;
	AROUND(destroy, handle.destroy());
	return sum;
}

void coroutines_case()
{
	ENTER;
	generator one{ nullptr }, other{ nullptr };

	AROUND("counts_up", one = counts_up(4));
	AROUND("fails", other = fails(2));
	printf("coroutines %d", drive(other, "fails.resume", "fails.destroy", 9));
	printf(" %d", drive(one, "counts_up.resume", "counts_up.destroy", 9));
	AROUND("counts_up", one = counts_up(3));
	printf(" %d\n", drive(one, "counts_up.resume", "counts_up.destroy", 2)); /* destroyed half-way */
}
