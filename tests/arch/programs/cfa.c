/* SPDX-License-Identifier: MIT */
/* The CFA that hooks get is the stack pointer before the call, whatever the frame looks like. Linked with count_hooks.c
 * and through.S. */
#include "count_hooks.h"

#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>

#define KEPT             __attribute__((noinline))
#define NOT_INSTRUMENTED __attribute__((no_instrument_function))

struct pair {
	long a, b;
};
struct doubles {
	double a, b, c;
};
struct big {
	long field[20];
};

void *sp_at_call;
long through(void *function, long a, long b);
static unsigned checked;

/* Called by the function that through() calls; the hooks of that one came last. */
NOT_INSTRUMENTED KEPT static long check(const char *what)
{
	checked++;
	if (count_hooks_cfa() != sp_at_call)
		printf("wrong: %s: the hook's CFA is %td bytes above\n", what,
		       (const char *)count_hooks_cfa() - (const char *)sp_at_call);
	return 1;
}

KEPT static void use(void *memory)
{
	__asm__ volatile("" ::"r"(memory) : "memory");
}

KEPT static long plain(long a, long b)
{
	return check("plain") + a + b;
}
KEPT static long large(long a, long b)
{
	char frame[70000];
	use(frame);
	return check("large") + a + b + frame[a & 1];
}
KEPT static long aligned(long a, long b)
{
	char frame[64] __attribute__((aligned(256)));
	use(frame);
	return check("aligned") + a + b + frame[a & 1];
}
KEPT static long variable(long a, long b)
{
	char *frame = alloca((size_t)(a + b) * 100);
	use(frame);
	return check("variable") + a + b;
}
KEPT static long aligned_and_variable(long a, long b)
{
	char frame[64] __attribute__((aligned(128)));
	use(alloca((size_t)(a + b) * 100));
	use(frame);
	return check("aligned_and_variable") + a + b;
}
/* Everything that a function can save. */
KEPT static long saves_all(long a, long b)
{
#if defined(__aarch64__)
	__asm__ volatile("" ::
			     : "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "v8", "v9", "v10",
			       "v11", "v12", "v13", "v14", "v15");
#elif defined(__riscv)
	__asm__ volatile("" ::
			     : "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "fs0", "fs1", "fs2",
			       "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11");
#else
	__asm__ volatile("" ::: "rbx", "r12", "r13", "r14", "r15");
#endif
	return check("saves_all") + a + b;
}
KEPT static struct big returns_big(long a, long b)
{
	return (struct big){ { check("returns_big") + a + b } };
}
KEPT static long on_stack(long a, long b, long c, long d, long e, long f, long g, long h, long i, struct big j)
{
	use(&i);
	use(&j);
	return check("on_stack") + a + b + c + d + e + f + g + h;
}

/* With one to nine words of named arguments, of all kinds. */
#define VARIADIC(name, ...)                                                                                            \
	KEPT static long name(__VA_ARGS__, ...)                                                                        \
	{                                                                                                              \
		va_list list;                                                                                          \
		va_start(list, last);                                                                                  \
		use(&list);                                                                                            \
		va_end(list);                                                                                          \
		return check(#name);                                                                                   \
	}
VARIADIC(variadic_1, long last)
VARIADIC(variadic_2, long a, long last)
VARIADIC(variadic_3, long a, long b, long last)
VARIADIC(variadic_4, long a, long b, long c, int last)
VARIADIC(variadic_5, long a, long b, long c, long d, char *last)
VARIADIC(variadic_6, long a, long b, long c, long d, long e, long last)
VARIADIC(variadic_7, long a, long b, long c, long d, long e, long f, long last)
VARIADIC(variadic_8, long a, long b, long c, long d, long e, long f, long g, long last)
VARIADIC(variadic_9, long a, long b, long c, long d, long e, long f, long g, long h, long last)
VARIADIC(variadic_floats, float a, double b, float c, long last)
VARIADIC(variadic_many_floats, double a, double b, double c, double d, double e, double f, double g, double h, double i,
	 double last)
VARIADIC(variadic_wide, long double a, long last)
VARIADIC(variadic_int128, long a, __int128 b, __int128 last)
VARIADIC(variadic_split, long a, long b, long c, long d, long e, long f, long g, __int128 last)
VARIADIC(variadic_pair, struct pair a, long last)
VARIADIC(variadic_doubles, struct doubles a, long last)
VARIADIC(variadic_big, struct big a, struct big b, long last)
VARIADIC(variadic_bool, _Bool a, short b, int last)

static void *const functions[] = {
	plain,         large,           aligned,        variable,      aligned_and_variable, saves_all,
	on_stack,      variadic_1,      variadic_2,     variadic_3,    variadic_4,           variadic_5,
	variadic_6,    variadic_7,      variadic_8,     variadic_9,    variadic_floats,      variadic_many_floats,
	variadic_wide, variadic_int128, variadic_split, variadic_pair, variadic_doubles,     variadic_big,
	variadic_bool,
};

NOT_INSTRUMENTED int main(void)
{
	static struct big big;

	for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
		through(functions[i], 1, 2);
#if !defined(__aarch64__) /* there its place travels in a register of its own */
	through(returns_big, (long)&big, 2);
#else
	use(returns_big);
	use(&big);
	checked++;
#endif
	printf("checked %u of %zu\n", checked, sizeof functions / sizeof *functions + 1);
	return checked != sizeof functions / sizeof *functions + 1;
}
