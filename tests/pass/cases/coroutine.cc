// REQUIRES: llvm>=16
// Coroutines: hooks go into the parts that they are split into, whatever the mode; they run balanced.
// RUN: for o in -O0 -O1 -O2 "-O0 -ftee-perf-before-inlining" "-O2 -ftee-perf-before-inlining" "-O2 -flto -fuse-ld=lld-%N"; do %cxx -std=c++20 $o %s %hooks -o program && ./program || exit 1; done | %check --implicit-check-not=wrong:
// CHECK-COUNT-6: unwound 0 open 0 wrong 0
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
			throw; // out of the part that was resumed
		}
	};
	std::coroutine_handle<promise_type> handle;
};

numbers count(int n)
{
	for (int i = 0; i < n; i++)
		co_yield i;
}

numbers fails(int n)
{
	for (int i = 0; i < n; i++)
		co_yield i;
	throw n;
}

__attribute__((noinline)) int resume(numbers n)
{
	n.handle.resume();
	return n.handle.promise().value;
}

int drive(numbers n)
{
	int sum = 0;
	try {
		for (;;)
			sum += resume(n) + 1;
	} catch (int thrown) {
		sum += 100 * thrown;
	}
	n.handle.destroy();
	return sum;
}

int main()
{
	numbers n = count(5);
	int sum = 0;
	for (n.handle.resume(); !n.handle.done(); n.handle.resume())
		sum += n.handle.promise().value;
	n.handle.destroy();
	if (sum != 10 || drive(fails(3)) != 306)
		puts("wrong: result");
	return 0;
}
