/* SPDX-License-Identifier: MIT */
/* Three tiny functions called back to back. Their true shares of time are measured on copies without hooks. */
#include "expect.h"

#include <time.h>

#define ROUNDS 4000000

/* A chain of multiplications takes as long as they are many. */
/* clang-format off: one line a function */
#define STEP(x) __asm__ volatile("imul $3, %0, %0" : "+r"(x))
#define STEP4(x)                                                                                                       \
	STEP(x);                                                                                                       \
	STEP(x);                                                                                                       \
	STEP(x);                                                                                                       \
	STEP(x)
#define STEP20(x)                                                                                                      \
	STEP4(x);                                                                                                      \
	STEP4(x);                                                                                                      \
	STEP4(x);                                                                                                      \
	STEP4(x);                                                                                                      \
	STEP4(x)

#define BODY_2                                                                                                         \
	STEP(x);                                                                                                       \
	STEP(x)
#define BODY_5                                                                                                         \
	STEP4(x);                                                                                                      \
	STEP(x)
#define BODY_20                                                                                                        \
	STEP20(x);                                                                                                     \
	STEP4(x)

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

NOT_INSTRUMENTED static double measure(long (*function)(long))
{
	struct timespec begin, end;
	long x = 1;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < ROUNDS; i++)
		x = function(x);
	clock_gettime(CLOCK_MONOTONIC, &end);
	__asm__ volatile("" : : "r"(x));
	return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / ROUNDS;
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
