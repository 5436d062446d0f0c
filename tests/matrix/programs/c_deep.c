/* SPDX-License-Identifier: MIT */
/* Tail calls so deep that the stack would overflow if one of them did not jump. Counted, not announced. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

#define MUST __attribute__((musttail))

static unsigned long calls[8];

static UNSEEN unsigned depth(void)
{
	const char *text = getenv("MATRIX_DEPTH");

	return text ? (unsigned)strtoul(text, NULL, 10) : 3000000;
}

KEPT static unsigned count_must_odd(unsigned n, unsigned x);
KEPT static unsigned count_must_even(unsigned n, unsigned x)
{
	calls[0]++;
	if (n == 0)
		return x;
	MUST return count_must_odd(n - 1, x + n);
}

KEPT static unsigned count_must_odd(unsigned n, unsigned x)
{
	calls[1]++;
	if (n == 0)
		return x + 1;
	MUST return count_must_even(n - 1, x ^ n);
}

void deep_must_case(void)
{
	ENTER;
	printf("%u\n", count_must_even(depth(), 1));
	announce_count("count_must_even", calls[0], __func__);
	announce_count("count_must_odd", calls[1], __func__);
}

KEPT static unsigned count_odd(unsigned n, unsigned x);
KEPT static unsigned count_even(unsigned n, unsigned x)
{
	calls[2]++;
	return n == 0 ? x : count_odd(n - 1, x + n);
}

KEPT static unsigned count_odd(unsigned n, unsigned x)
{
	calls[3]++;
	if (n == 0)
		return x + 1;
	return count_even(n - 1, x ^ n);
}

typedef unsigned step(unsigned n, unsigned x);
KEPT static unsigned count_stops(unsigned n, unsigned x);
KEPT static unsigned count_left(unsigned n, unsigned x);
KEPT static unsigned count_right(unsigned n, unsigned x);
static step *const volatile steps[] = { count_left, count_right, count_stops };

/* The next one comes out of a table: indirect, and one of three. */
KEPT static unsigned count_left(unsigned n, unsigned x)
{
	calls[4]++;
	return steps[n == 0 ? 2 : x % 2](n - 1, x * 3 + n);
}

KEPT static unsigned count_right(unsigned n, unsigned x)
{
	calls[5]++;
	if (n % 5 == 0)
		return steps[n == 0 ? 2 : 0](n - 1, x);
	return count_left(n - 1, x + 5);
}

KEPT static unsigned count_stops(unsigned n, unsigned x)
{
	calls[6]++;
	return n + x;
}

void deep_plain_case(void)
{
	ENTER;
	printf("%u\n", count_even(depth(), 1));
	printf("%u\n", count_left(depth(), 1));
	announce_count("count_even", calls[2], __func__);
	announce_count("count_odd", calls[3], __func__);
	announce_count("count_left", calls[4], __func__);
	announce_count("count_right", calls[5], __func__);
	announce_count("count_stops", calls[6], __func__);
}
