/* SPDX-License-Identifier: MIT */
/* Switches recording on, off and on again at different depths. "stack <path> <calls>" is what the recording must hold,
 * of what was called while it was on. */
#include <stdio.h>
#include <stdlib.h>
#include <tee-perf.h>

#define KEPT __attribute__((noinline))

static volatile int sink;

KEPT static void leaf(void)
{
	sink++;
}

KEPT static void five(void)
{
	tee_perf_on();
	for (int i = 0; i < 10; i++)
		leaf();
	sink++;
}

KEPT static void four(void)
{
	five();
	leaf();
	sink++;
}

KEPT static int compare(const void *a, const void *b)
{
	static int done;

	if (!done++)
		four(); /* once */
	return *(const int *)a - *(const int *)b;
}

/* A function without hooks lies between. */
KEPT static void three(void)
{
	int numbers[] = { 2, 1 };

	qsort(numbers, 2, sizeof *numbers, compare);
	sink += numbers[0];
}

KEPT static void again(int n)
{
	if (n > 0)
		again(n - 1);
	else
		tee_perf_on();
	leaf();
	sink++;
}

/* Off here, on in another call of the same functions at the same places. */
KEPT static void pause(int times)
{
	if (times == 0) {
		leaf();
		tee_perf_off();
	} else {
		again(3);
	}
	sink++;
}

int main(void)
{
	tee_perf_off();
	leaf();
	three();
	pause(0);
	pause(1);
	leaf();
	static const char *const expected[] = {
		"main;three;compare;four;five;leaf 10",
		"main;three;compare;four;leaf 1",
		"main 1",
		"main;pause 1",
		"main;pause;leaf 1",
		"main;pause;again;leaf 1",
		"main;pause;again;again;leaf 1",
		"main;pause;again;again;again;leaf 1",
		"main;pause;again;again;again;again;leaf 1",
		"main;leaf 1",
	};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		printf("stack %s\n", expected[i]);
	return 0;
}
