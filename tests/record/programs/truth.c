/* SPDX-License-Identifier: MIT */
/* Burns known shares of time in known functions, measures them itself, and prints "share <function> <per cent>" of the
 * wall time of main. Argument 1: "compute" or "block" (one function sleeps). */
#include "expect.h"

#include <string.h>
#include <time.h>

#define SLICE_NS 400000
#define ROUNDS   250

static double spent[6], started;

NOT_INSTRUMENTED static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

NOT_INSTRUMENTED __attribute__((always_inline)) static inline void burn(int which, double ns)
{
	double begin = now();
	while (now() - begin < ns)
		;
	spent[which] += now() - begin;
}

KEPT static void burns_10(void)
{
	burn(0, SLICE_NS);
}

KEPT static void burns_20(void)
{
	burn(1, 2 * SLICE_NS);
}

KEPT static void burns_30(void)
{
	burn(2, 3 * SLICE_NS);
}

KEPT static void burns_40(void)
{
	burn(3, 4 * SLICE_NS);
}

KEPT static void burns_1_us(void)
{
	burn(4, 1000);
}

KEPT static void blocks(void)
{
	double begin = now();
	nanosleep(&(struct timespec){ .tv_nsec = SLICE_NS }, NULL);
	spent[5] += now() - begin;
}

int main(int argc, char **argv)
{
	static const char *const name[] = { "burns_10", "burns_20", "burns_30", "burns_40", "burns_1_us", "blocks" };
	int block = argc > 1 && strcmp(argv[1], "block") == 0;

	started = now();
	for (int round = 0; round < ROUNDS; round++) {
		burns_10();
		burns_20();
		burns_30();
		burns_40();
		if (block)
			blocks();
	}
	for (int i = 0; i < 1000; i++)
		burns_1_us();
	double wall = now() - started;
	for (int i = 0; i < 6; i++)
		printf("share %s %.3f\n", name[i], 100 * spent[i] / wall);
	printf("wall main %.0f\n", wall);
	return 0;
}
