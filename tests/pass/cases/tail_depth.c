// Mutual tail recursion three million deep runs as without hooks; each call is counted.
// RUN: %cc -O2 %s %hooks -o program && (ulimit -s 1024 && ./program) | %check --implicit-check-not=wrong:
// RUN: %cc -O2 -flto -fuse-ld=lld-%N %s %hooks -o program && (ulimit -s 1024 && ./program) | %check --implicit-check-not=wrong:
// RUN: %cc -O2 -ftee-perf-hooks=plain %s %hooks -o program && (ulimit -s 1024 && ./program) | %check --implicit-check-not=wrong:
// RUN: %cc -O2 -ftee-perf-before-inlining %s %hooks -o program && (ulimit -s 1024 && ./program) | %check --implicit-check-not=wrong:
// RUN: %cc -O1 -flto -fuse-ld=lld-%N %s %hooks -o program && (ulimit -s 1024 && ./program) | %check --implicit-check-not=wrong:
// RUN: %cc -O3 -DMUSTTAIL %s %hooks -o program && (ulimit -s 1024 && ./program) | %check --implicit-check-not=wrong:
// RUN: %cc -O0 -DMUSTTAIL %s %hooks -o program && (ulimit -s 1024 && ./program) | %check --implicit-check-not=wrong:
// In C++, where an exception might come out of each call:
// RUN: for o in -O2 "-O2 -ftee-perf-before-inlining" "-O2 -flto -fuse-ld=lld-%N" "-O2 -flto -ftee-perf-before-inlining -fuse-ld=lld-%N" "-O3 -DMUSTTAIL" "-O0 -DMUSTTAIL" "-O1 -DMUSTTAIL -ftee-perf-before-inlining"; do %cxx $o -x c++ %s -x none %hooks -o program && (ulimit -s 1024 && ./program) | %check --implicit-check-not=wrong: || exit 1; done
// CHECK: even 3000000 1500001 1500000 untaken 0
// CHECK: open 0 wrong 0
#include "count_hooks.h"

#include <stdio.h>

#ifdef MUSTTAIL
#define TAIL __attribute__((musttail))
#else
#define TAIL
#endif
#define KEEP __attribute__((noinline))

#ifdef __cplusplus
#define CAN_THROW(n)                                                                                                   \
	if ((n) < 0)                                                                                                   \
	throw(n)
extern "C" {
#else
#define CAN_THROW(n)
#endif

KEEP int odd(int n, int *steps);
KEEP void never(int n);

KEEP int even(int n, int *steps)
{
	CAN_THROW(n);
	if (n == 0)
		return 1;
	++*steps;
	TAIL return odd(n - 1, steps);
}

KEEP int odd(int n, int *steps)
{
	if (n == 0)
		return 0;
	++*steps;
	TAIL return even(n - 1, steps);
}

KEEP void never(int n)
{
	__asm__ volatile("" ::"r"(n));
}

/* A conditional tail call whose condition is false: never() is not called, and this function returns once. */
KEEP void conditional(int n)
{
	if (n)
		never(n);
}

#ifdef __cplusplus
}
#endif

int main(void)
{
	int steps = 0, is_even;

	for (int i = 0; i < 100; i++)
		conditional(0);
	is_even = even(3000000, &steps);
	printf("%s %d %lu %lu untaken %lu\n", is_even ? "even" : "odd", steps, count_hooks_calls("even"),
	       count_hooks_calls("odd"), count_hooks_calls("never"));
	if (count_hooks_calls("conditional") != 100)
		puts("wrong: conditional");
	return 0;
}
