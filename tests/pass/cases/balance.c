// Every call has its return, with the same CFA, at every level and in every mode.
// RUN: for o in -O0 -O1 -O2 -O3 "-O2 -fno-omit-frame-pointer" "-O2 -ftee-perf-before-inlining" "-O2 -fcf-protection -fstack-protector-all" "-O2 -fPIC -mno-red-zone" "-O2 -flto -fuse-ld=lld-%N" "-O2 -flto=thin -fuse-ld=lld-%N" "-O1 -fsanitize=undefined" "-O1 -fsanitize=address" "-O1 -fsanitize=thread" "-O2 -mavx2 -march=haswell" "-O0 -ftee-perf-hooks=plain" "-O2 -ftee-perf-hooks=plain" "-O3 -fPIC -ftee-perf-hooks=plain" "-O2 -fno-omit-frame-pointer -ftee-perf-hooks=plain" "-O1 -fsanitize=address -ftee-perf-hooks=plain"; do %cc $o %s %hooks -lm -o program && echo "$o" && ASAN_OPTIONS=detect_leaks=0 ./program || exit 1; done | %check --implicit-check-not=wrong:
// CHECK-COUNT-19: open 0 wrong 0
#include "count_hooks.h"

#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline))

static void fail(const char *what)
{
	printf("wrong: %s\n", what);
	exit(1);
}

KEEP static unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

KEEP static int dynamic(int n)
{
	char *text = alloca(n);
	char array[n];

	memset(text, 1, n);
	memset(array, 2, n);
	return text[n / 2] + array[n - 1];
}

KEEP static int aligned(int n)
{
	_Alignas(64) volatile char buffer[128];

	buffer[n] = 7;
	return ((unsigned long)buffer & 63) ? -1 : buffer[n];
}

KEEP static int variadic(int count, ...)
{
	va_list list;
	int sum = 0;

	va_start(list, count);
	for (int i = 0; i < count; i++)
		sum += i % 2 ? (int)va_arg(list, double) : va_arg(list, int);
	va_end(list);
	return sum;
}

KEEP static void nothing(void)
{
	__asm__ volatile("");
}

KEEP static int many_returns(int x)
{
	switch (x) {
	case 0:
		return 5;
	case 1:
		nothing();
		return fib(3);
	case 2:
		return variadic(2, 1, 2.0);
	}
	if (x > 10)
		return -x;
	nothing();
	return x;
}

KEEP static const void *own_cfa(void)
{
	const void *cfa = count_hooks_cfa();

#ifdef __x86_64__
	if (cfa != __builtin_dwarf_cfa())
		fail("CFA");
#endif
	return cfa;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int values[] = { 4, 1, 3, 2, 5 };

	if (fib(15) != 610 || dynamic(100) != 3 || aligned(5) != 7 || variadic(4, 1, 2.0, 3, 4.0) != 10)
		fail("a result");
	if (many_returns(0) != 5 || many_returns(1) != 2 || many_returns(2) != 3 || many_returns(11) != -11)
		fail("a result");
	own_cfa();
	qsort(values, 5, sizeof *values, compare);
	if (values[0] != 1 || values[4] != 5)
		fail("order");
	return 0;
}
