/* SPDX-License-Identifier: MIT */
/* Every way out of a function, each call known by construction: "edge <caller> <callee> <calls>" is what the recording
 * must hold. */
#include <alloca.h>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#define NOT_INSTRUMENTED __attribute__((no_instrument_function))
#define KEPT             __attribute__((noinline, noclone))

static volatile int sink;
static jmp_buf back;

extern "C" {

KEPT void thrower(int n)
{
	sink = n;
	throw n;
}

KEPT void handler(void)
{
	sink = sink + 1;
}

/* A catch at each level: 0 and the odd ones throw on, the others throw anew. */
KEPT int level(int n)
{
	try {
		if (n == 0)
			thrower(7);
		level(n - 1);
	} catch (int) {
		handler();
		if (n == 0 || n % 2)
			throw;
		thrower(n);
	}
	return n;
}

KEPT void cleanup_thrower(void)
{
	throw "inner";
}

KEPT void cleanup(void)
{
	try {
		cleanup_thrower();
	} catch (const char *) {
		handler();
	}
}
}

struct guard {
	~guard() NOT_INSTRUMENTED
	{
		cleanup();
	}
	guard() NOT_INSTRUMENTED = default;
};

extern "C" {

KEPT void guarded(int n)
{
	guard one;
	guard two;
	if (n)
		thrower(n);
	sink = n;
}

KEPT void unwinder(int n)
{
	try {
		guarded(n);
	} catch (int) {
		handler();
	}
}

KEPT void deep(int n)
{
	if (n == 0)
		longjmp(back, 1);
	deep(n - 1);
	sink = n;
}

KEPT void plain(int n)
{
	sink = n;
}

/* What is left by longjmp, and what is called next from the same place, have the same CFA. */
KEPT void jump_loop(void)
{
	for (volatile int i = 0; i < 100; i = i + 1) {
		if (setjmp(back) == 0)
			deep(5);
		plain(i);
		if (setjmp(back) == 0)
			deep(0);
	}
}

KEPT void many(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
	sink = a + b + c + d + e + f + g + h + i;
	if (i == 0)
		longjmp(back, 1);
}

/* A realigned frame with outgoing arguments on it. */
KEPT void aligned(int n)
{
	alignas(64) volatile char buffer[64];
	volatile char *more = static_cast<volatile char *>(alloca(16 + (n & 3) * 40));

	buffer[0] = more[0] = static_cast<char>(n);
	many(1, 2, 3, 4, 5, 6, 7, 8, n & 1);
	sink = buffer[0] + more[0];
}

/* What was left by longjmp before has the same CFA, though its frame is not realigned. */
KEPT void aligned_loop(void)
{
	for (volatile int i = 0; i < 100; i = i + 1) {
		if (setjmp(back) == 0)
			deep(0);
		if (setjmp(back) == 0)
			aligned(i);
		plain(i);
	}
}

/* A loop that makes sibling frames of one CFA and leaves all of them by longjmp. */
KEPT void only_jumps(void)
{
	for (volatile int i = 0; i < 50; i = i + 1)
		if (setjmp(back) == 0)
			deep(0);
}

static inline __attribute__((always_inline)) void innermost(int n)
{
	plain(n);
}

static inline __attribute__((always_inline)) void inlined(int n)
{
	innermost(n);
	innermost(n + 1);
}

KEPT void host(int n)
{
	inlined(n);
	plain(n);
	inlined(n);
}

KEPT void never_returns(void)
{
	exit(0);
}

int main(void)
{
	try {
		level(5);
	} catch (int) {
	}
	for (int i = 0; i < 10; i++)
		unwinder(i % 2);
	jump_loop();
	aligned_loop();
	only_jumps();
	for (int i = 0; i < 10; i++)
		host(i);
	static const char *const expected[] = {
		"level level 5",         "level thrower 3",        "level handler 6",
		"unwinder guarded 10",   "guarded thrower 5",      "guarded cleanup 20",
		"unwinder handler 5",    "cleanup handler 20",     "cleanup cleanup_thrower 20",
		"jump_loop deep 200",    "deep deep 500",          "jump_loop plain 100",
		"aligned many 100",      "aligned_loop plain 100", "aligned_loop aligned 100",
		"aligned_loop deep 100", "only_jumps deep 50",     "host inlined 20",
		"inlined innermost 40",  "innermost plain 40",     "host plain 10",
		"main level 1",          "main unwinder 10",       "main jump_loop 1",
		"main aligned_loop 1",   "main only_jumps 1",      "main host 10",
		"main never_returns 1",
	};
	for (const char *edge : expected)
		printf("edge %s\n", edge);
	fflush(stdout);
	never_returns();
}
}
