// Exceptions through instrumented frames: caught, rethrown, out of a static initialiser, through clean-ups that call. Every
// function records its return.
// RUN: for o in -O0 -O1 -O2 "-O0 -ftee-perf-hooks=plain" "-O2 -ftee-perf-hooks=plain" "-O2 -ftee-perf-external-calls -ftee-perf-hooks=plain" "-O2 -ftee-perf-before-inlining" "-O2 -flto -fuse-ld=lld-%N" "-O2 -flto=thin -fuse-ld=lld-%N" "-O2 -ftee-perf-external-calls"; do %cxx $o %s %hooks -o program && ./program || exit 1; done | %check --implicit-check-not=wrong:
// RUN: %cxx -O2 -ftee-perf-no-unwind-exits %s %hooks -o program && ./program | %check --check-prefix=WITHOUT --implicit-check-not=wrong:
// CHECK-COUNT-10: unwound 0 open 0 wrong 0
// WITHOUT: unwound {{[1-9][0-9]*}} open 0 wrong 0
#include <cstdio>
#include <stdexcept>
#include <string>

#define KEEP __attribute__((noinline))

static int cleanups;

struct guard {
	KEEP ~guard()
	{
		cleanups++;
	}
};

KEEP static int thrower(int depth)
{
	guard g;

	if (depth == 0)
		throw std::runtime_error("deep");
	return thrower(depth - 1) + 1;
}

KEEP static int catcher(int depth)
{
	try {
		return thrower(depth);
	} catch (const std::runtime_error &e) {
		return std::string(e.what()) == "deep" ? 100 : 0;
	}
}

KEEP static int rethrower(int depth)
{
	try {
		return catcher(depth) + thrower(depth);
	} catch (...) {
		throw;
	}
}

/* Recursive: the catcher's frames are of one function. */
KEEP static int nested(int depth)
{
	try {
		return depth ? nested(depth - 1) : thrower(2);
	} catch (const std::exception &) {
		if (depth % 2)
			throw;
		return depth;
	}
}

__attribute__((no_instrument_function)) KEEP static int plain_catcher()
{
	try {
		return rethrower(3);
	} catch (...) {
		return 1;
	}
}

KEEP static int initialise()
{
	try {
		return thrower(1);
	} catch (...) {
		return 5;
	}
}
static int initialised = initialise();

int main()
{
	int sum = 0;

	for (int i = 0; i < 5; i++)
		sum += catcher(i);
	for (int i = 0; i < 4; i++)
		sum += nested(i);
	sum += plain_catcher();
	try {
		sum += rethrower(2);
	} catch (const std::runtime_error &) {
		sum += 10;
	}
	if (sum != 511 || initialised != 5 || cleanups != 43)
		printf("wrong: %d %d %d\n", sum, initialised, cleanups);
	return 0;
}
