// SPDX-License-Identifier: MIT
// C++20 coroutines: a generator, one that awaits another, one that throws, one that is destroyed half-way.
#include "tree.h"

#include <coroutine>
#include <exception>
#include <utility>

struct generator {
	struct promise_type {
		int value = 0;
		std::exception_ptr thrown;
		SILENT generator get_return_object()
		{
			return generator{ std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		SILENT std::suspend_always initial_suspend()
		{
			return {};
		}
		SILENT std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		SILENT std::suspend_always yield_value(int x)
		{
			value = x;
			return {};
		}
		SILENT void return_void()
		{
		}
		SILENT void unhandled_exception()
		{
			thrown = std::current_exception();
		}
	};
	std::coroutine_handle<promise_type> handle;
	SILENT explicit generator(std::coroutine_handle<promise_type> h) : handle(h)
	{
	}
	SILENT generator(generator &&other) : handle(std::exchange(other.handle, nullptr))
	{
	}
	SILENT ~generator()
	{
		if (handle)
			handle.destroy();
	}
	SILENT bool next()
	{
		handle.resume();
		if (handle.promise().thrown)
			std::rethrow_exception(handle.promise().thrown);
		return !handle.done();
	}
	SILENT int value()
	{
		return handle.promise().value;
	}
};

KEPT void work()
{
	ENTER();
	leaf();
	LEAVE();
}

KEPT void throws(int x)
{
	ENTER();
	if (x == 2) {
		LEAVE();
		throw x;
	}
	LEAVE();
}

// What a resumption runs is under the function that resumes.
KEPT generator count(int n)
{
	for (int i = 0; i < n; i++) {
		work();
		co_yield i;
		work();
	}
}

KEPT generator relay(int n)
{
	generator inner = count(n);
	while (inner.next()) {
		leaf();
		co_yield inner.value();
	}
}

KEPT generator failing()
{
	for (int i = 0;; i++) {
		throws(i);
		co_yield i;
	}
}

KEPT int uses()
{
	int sum = 0;

	ENTER();
	generator numbers = relay(4);
	while (numbers.next())
		sum += numbers.value();
	LEAVE();
	return sum;
}

KEPT int catches()
{
	int caught = 0;

	ENTER();
	generator numbers = failing();
	try {
		while (numbers.next())
			leaf();
	} catch (int x) {
		caught = x;
	}
	work();
	LEAVE();
	return caught;
}

KEPT void drops()
{
	ENTER();
	generator numbers = count(10);
	numbers.next();
	LEAVE();
}

int main()
{
	ENTER();
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		sum += uses() + catches();
		drops();
	}
	LEAVE();
	tree_print();
	return sum == 3 * (6 + 2) ? 0 : 1;
}
