/* SPDX-License-Identifier: MIT */
/* Three tiny functions called back to back. Their true shares of time are measured on copies without hooks. They do as
 * much per cycle as the processor can: a chain of slow instructions would overlap with the hooks around it. */
#include "expect.h"

#include <time.h>

#define ROUNDS 4000000
#define PARTS  20

/* clang-format off: one line a function */
#define ADDS(x)                                                                                                        \
	__asm__ volatile("add $1, %0; lea 1(%0), %%rcx; lea 2(%0), %%rdx; lea 3(%0), %%rsi"                            \
			 : "+r"(x)                                                                                     \
			 :                                                                                             \
			 : "rcx", "rdx", "rsi", "cc")
#define BODY_2                                                                                                         \
	ADDS(x);                                                                                                       \
	ADDS(x);                                                                                                       \
	ADDS(x);                                                                                                       \
	ADDS(x);                                                                                                       \
	ADDS(x);                                                                                                       \
	ADDS(x)
#define BODY_5                                                                                                         \
	BODY_2;                                                                                                        \
	BODY_2;                                                                                                        \
	ADDS(x);                                                                                                       \
	ADDS(x);                                                                                                       \
	ADDS(x)
#define BODY_20                                                                                                        \
	BODY_5;                                                                                                        \
	BODY_5;                                                                                                        \
	BODY_5;                                                                                                        \
	BODY_5;                                                                                                        \
	BODY_2

KEPT static long tiny_2(long x)
{
	BODY_2;
	return x;
}
KEPT static long tiny_5(long x)
{
	BODY_5;
	return x;
}
KEPT static long tiny_20(long x)
{
	BODY_20;
	return x;
}
NOT_INSTRUMENTED KEPT static long copy_2(long x)
{
	BODY_2;
	return x;
}
NOT_INSTRUMENTED KEPT static long copy_5(long x)
{
	BODY_5;
	return x;
}
NOT_INSTRUMENTED KEPT static long copy_20(long x)
{
	BODY_20;
	return x;
}

/* clang-format on */

/* Nanoseconds of a call: the fastest of some measurements. */
NOT_INSTRUMENTED static double measure(long (*function)(long))
{
	double fastest = 1e9;
	long x = 1;

	for (int part = 0; part < PARTS; part++) {
		struct timespec begin, end;
		clock_gettime(CLOCK_MONOTONIC, &begin);
		for (int i = 0; i < ROUNDS / PARTS; i++)
			x = function(x);
		clock_gettime(CLOCK_MONOTONIC, &end);
		double ns = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
		if (ns / (ROUNDS / PARTS) < fastest)
			fastest = ns / (ROUNDS / PARTS);
	}
	__asm__ volatile("" : : "r"(x));
	return fastest;
}

int main(void)
{
	double ns[] = { measure(copy_2), measure(copy_5), measure(copy_20) }, sum = ns[0] + ns[1] + ns[2];
	static const char *const name[] = { "tiny_2", "tiny_5", "tiny_20" };
	long x = 1;

	for (int i = 0; i < ROUNDS; i++) {
		x = tiny_2(x);
		x = tiny_5(x);
		x = tiny_20(x);
	}
	__asm__ volatile("" : : "r"(x));
	for (int i = 0; i < 3; i++)
		printf("share %s %.3f %.2f ns\n", name[i], 100 * ns[i] / sum, ns[i]);
	return 0;
}
