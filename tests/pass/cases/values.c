// What a function takes and returns survives the hooks, whatever register it travels in.
// RUN: for o in -O0 -O1 -O2 -O3 "-O2 -mavx2" "-O0 -ftee-perf-hooks=plain" "-O2 -ftee-perf-hooks=plain" "-O3 -mavx2 -ftee-perf-hooks=plain" "-O2 -flto -fuse-ld=lld-%N"; do %cc $o -Wno-psabi %s %hooks -lm -o program && (grep -q avx2 /proc/cpuinfo || test "${o#*avx2}" = "$o") && ./program || exit 1; done | %check --implicit-check-not=wrong:
// CHECK-COUNT-9: open 0 wrong 0
#include <complex.h>
#include <errno.h>
#include <stdio.h>

#define KEEP __attribute__((noinline))
typedef float vector __attribute__((vector_size(16)));
typedef float wide __attribute__((vector_size(32)));
struct pair {
	long a;
	double b;
};
struct big {
	long field[12];
};

KEEP static signed char byte(signed char x)
{
	return x - 1;
}
KEEP static _Bool truth(int x)
{
	return x > 3;
}
KEEP static float real(float x)
{
	return x * 1.5f;
}
KEEP static long double extended(long double x)
{
	return x / 3;
}
KEEP static double _Complex turn(double _Complex z)
{
	return z * I;
}
KEEP static long double _Complex turn_extended(long double _Complex z)
{
	return z * I;
}
KEEP static __int128 square(__int128 x)
{
	return x * x;
}
KEEP static struct pair both(long a, double b)
{
	return (struct pair){ a + 1, b + 1 };
}
KEEP static struct big structure(struct big b, int i)
{
	b.field[i] = 99;
	return b;
}
KEEP static vector sum(vector a, vector b)
{
	return a + b;
}
KEEP static wide wide_sum(wide a, wide b)
{
	return a + b;
}
KEEP static long many(long a, long b, long c, long d, long e, long f, long g, double h, double i, double j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (long)(8 * h + 9 * i + 10 * j);
}
KEEP static int keeps_errno(void)
{
	errno = 42;
	return 1;
}

/* A call through a pointer that becomes a jump: the hook before it has all arguments and the pointer to keep. Not static:
 * its calling convention must be that of what it jumps to. */
typedef long six_arguments(long a, long b, long c, long d, long e, long f);
KEEP static long six(long a, long b, long c, long d, long e, long f)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
}
static six_arguments *volatile pointer = six;
static volatile long number = 3;
KEEP long through(long a, long b, long c, long ignored, long e, long f)
{
	six_arguments *to = pointer;
	long d = number;

	(void)ignored;
	return to(a, b, c, d, e, f);
}

int main(void)
{
	struct big b = { { 1, 2, 3 } };
	struct pair p = both(4, 5.5);
	vector v = sum((vector){ 1, 2, 3, 4 }, (vector){ 10, 20, 30, 40 });
	wide w = wide_sum((wide){ 1, 2, 3, 4, 5, 6, 7, 8 }, (wide){ 10, 20, 30, 40, 50, 60, 70, 80 });
	volatile long double third = 1.0L;
	__int128 large = square((__int128)1 << 40);
	struct {
		const char *what;
		int right;
	} checks[] = {
		{ "byte", byte(-5) == -6 },
		{ "bool", truth(4) == 1 && truth(3) == 0 },
		{ "float", real(3.0f) == 4.5f },
		{ "long double", extended(third) == 1.0L / 3 },
		{ "complex", turn(3 + 4 * I) == -4 + 3 * I },
		{ "complex long double", turn_extended(3 + 4 * I) == -4 + 3 * I },
		{ "int128", large >> 64 == (1 << 16) && (unsigned long)large == 0 },
		{ "pair", p.a == 5 && p.b == 6.5 },
		{ "structure", structure(b, 7).field[7] == 99 && structure(b, 7).field[2] == 3 },
		{ "vector", v[0] == 11 && v[3] == 44 },
		{ "wide vector", w[0] == 11 && w[7] == 88 },
		{ "many", many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 385 },
		{ "pointer", through(6, 5, 4, 0, 2, 1) == 56 },
		{ "errno", keeps_errno() && errno == 42 },
	};

	for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++) {
		if (!checks[i].right)
			printf("wrong: %s\n", checks[i].what);
	}
	return 0;
}
