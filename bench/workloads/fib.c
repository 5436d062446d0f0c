/* SPDX-License-Identifier: MIT */
/* Recursive Fibonacci of -n: deep, unpredictable returns, nothing but calls. */
#include "bench.h"

__attribute__((noinline)) static uint64_t fib(unsigned n)
{
	if (n < 2)
		return n;
	uint64_t left = fib(n - 1), right = fib(n - 2);
	/* Keeps the second call from becoming a loop, so that the calls are those of the definition. */
	__asm__ volatile("" : "+r"(right));
	return left + right;
}

static uint64_t fib_by_addition(unsigned n)
{
	uint64_t a = 0, b = 1;
	while (n--) {
		uint64_t next = a + b;
		a = b;
		b = next;
	}
	return a;
}

int main(int argc, char **argv)
{
	struct bench_options options = bench_options(argc, argv, (struct bench_options){ 1, 40 });
	bench_phase_begin();
	uint64_t value = fib((unsigned)options.size);
	bench_phase_end();
	/* fib(n) makes 2 fib(n + 1) - 1 calls. */
	printf("calls %llu\n", (unsigned long long)(2 * fib_by_addition((unsigned)options.size + 1) - 1));
	return bench_verdict("fib", value, value == fib_by_addition((unsigned)options.size));
}
