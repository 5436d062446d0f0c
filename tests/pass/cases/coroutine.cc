// REQUIRES: llvm>=16
// Coroutines: hooks go into the parts that they are split into, whatever the mode; they run balanced.
// RUN: %cxx -std=c++20 -O0 %s %hooks -o program && ./program | %check --implicit-check-not=wrong:
// RUN: %cxx -std=c++20 -O2 %s %hooks -o program && ./program | %check --implicit-check-not=wrong:
// RUN: %cxx -std=c++20 -O2 -ftee-perf-before-inlining %s %hooks -o program && ./program | %check --implicit-check-not=wrong:
// CHECK: sum 10
// CHECK: open 0 wrong 0
#include <coroutine>
#include <cstdio>
#include <exception>

struct numbers {
	struct promise_type {
		int value;
		numbers get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(int v)
		{
			value = v;
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::terminate();
		}
	};
	std::coroutine_handle<promise_type> handle;
};

numbers count(int n)
{
	for (int i = 0; i < n; i++)
		co_yield i;
}

int main()
{
	numbers n = count(5);
	int sum = 0;
	for (n.handle.resume(); !n.handle.done(); n.handle.resume())
		sum += n.handle.promise().value;
	n.handle.destroy();
	printf("sum %d\n", sum);
	return 0;
}
