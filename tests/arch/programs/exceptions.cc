/* SPDX-License-Identifier: MIT */
/* Exceptions through frames of all kinds. What is called where a frame lay that an exception has left, is called by the
 * catcher. */
#include "../../record/programs/expect.h"
#include "edge.h"

#include <cstdarg>
#include <stdexcept>

static volatile unsigned sink;
static unsigned long cleanups, throws;

extern "C" {
KEPT void clean()
{
	cleanups++;
}

KEPT long plain(long a)
{
	sink = sink + 1;
	return a;
}

KEPT long variadic(int count, ...)
{
	va_list list;

	va_start(list, count);
	long last = va_arg(list, long);
	va_end(list);
	sink = sink + 1;
	return last;
}

struct guard {
	__attribute__((no_instrument_function)) ~guard()
	{
		clean();
	}
};

KEPT long thrower(int depth)
{
	guard g;

	if (depth == 0) {
		throws++;
		throw std::runtime_error("deep");
	}
	return thrower(depth - 1) + 1;
}

KEPT long variadic_thrower(int depth, ...)
{
	if (depth == 0) {
		throws++;
		throw 1;
	}
	return variadic_thrower(depth - 1, 1, 2) + 1;
}

/* After each catch functions whose frames are of other shapes than those that are gone. */
KEPT long catcher(int depth)
{
	long sum = 0;

	try {
		sum += thrower(depth);
	} catch (const std::runtime_error &) {
		sum += variadic(1, 1l);
	}
	try {
		sum += variadic_thrower(depth);
	} catch (int) {
		sum += plain(2);
	}
	try {
		sum += variadic_thrower(depth);
	} catch (int) {
		sum += variadic(1, 3l);
	}
	return sum;
}

KEPT long rethrower(int depth)
{
	try {
		return thrower(depth) + 1;
	} catch (...) {
		plain(1);
		throw;
	}
}

KEPT long outer(int depth)
{
	try {
		return rethrower(depth) + 1;
	} catch (const std::exception &) {
		return variadic(1, 4l);
	}
}

/* Recursive: the catchers' frames are of one function. */
KEPT long nested(int depth)
{
	try {
		return (depth ? nested(depth - 1) : thrower(2)) + 1;
	} catch (const std::exception &) {
		if (depth % 2)
			throw;
		return plain(depth);
	}
}

KEPT long initialise()
{
	try {
		return thrower(1);
	} catch (...) {
		return plain(5);
	}
}
}

static long initialised = initialise();

int main()
{
	long sum = 0;

	for (int i = 0; i < 50; i++) {
		sum += catcher(i % 5);
		sum += outer(i % 5);
		sum += nested(0);
	}
	if (sum != 50 * (6 + 4) || initialised != 5 || throws != 50 * 5 + 1)
		return 1;
	expect("main", 1);
	expect("initialise", 1);
	expect("catcher", 50);
	expect("rethrower", 50);
	expect("outer", 50);
	expect("nested", 50);
	/* depths 0 to 4 are 3 calls on average, 2 by nested are 3, 1 by initialise are 2 */
	expect("thrower", 50 * 3 + 50 * 3 + 50 * 3 + 2);
	expect("variadic_thrower", 2 * 50 * 3);
	expect("variadic", 150);
	expect("plain", 50 + 50 + 50 + 1);
	expect("clean", cleanups);
	edge("catcher", "variadic", 100);
	edge("catcher", "plain", 50);
	edge("catcher", "thrower", 50);
	edge("catcher", "variadic_thrower", 100);
	edge("thrower", "variadic", 0);
	edge("thrower", "plain", 0);
	edge("variadic_thrower", "plain", 0);
	edge("variadic_thrower", "variadic", 0);
	edge("rethrower", "plain", 50);
	edge("outer", "variadic", 50);
	edge("rethrower", "variadic", 0);
	edge("nested", "plain", 50);
	edge("initialise", "plain", 1);
	edge("thrower", "clean", cleanups);
	return 0;
}
