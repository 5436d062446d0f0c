/* SPDX-License-Identifier: MIT */
/* Results of every class the ABIs know must pass by the hooks untouched. */
#include "program.h"

#include <complex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef int vector16 __attribute__((vector_size(16)));
typedef double vector32 __attribute__((vector_size(32)));
struct two_words {
	long a, b;
};
struct mixed {
	double a;
	long b;
};
struct mixed_back {
	long a;
	double b;
};
struct floats {
	float a, b, c, d;
};
struct large {
	long words[9];
	char text[7];
};
struct tiny {
	char a;
	short b;
};
union either {
	long a;
	double b;
};
struct empty {
};

/* How to make a value out of a number, and a number out of the value. */
#define VALUES(X)                                                                                                      \
	X(bool, bool, n > 0, (double)v)                                                                                \
	X(char, signed_char, (char)(n - 100), v)                                                                       \
	X(unsigned short, unsigned_short, (unsigned short)(n + 65530), v)                                              \
	X(unsigned, unsigned, 4000000000u + (unsigned)n, v)                                                            \
	X(long, long, n * 1000000007L, (double)v)                                                                      \
	X(void *, pointer, (char *)0 + n, (double)(long)v)                                                             \
	X(float, float, (float)n * 0.5f, v)                                                                            \
	X(double, double, n * 0.25, v)                                                                                 \
	X(long double, long_double, n * 0.125L, (double)v)                                                             \
	X(float complex, float_complex, n + 2.0f * I, crealf(v) + 100 * cimagf(v))                                     \
	X(double complex, double_complex, n + 3.0 * I, creal(v) + 100 * cimag(v))                                      \
	X(long double complex, long_double_complex, n + 4.0L * I, (double)(creall(v) + 100 * cimagl(v)))               \
	X(__int128, int128, ((__int128)n << 70) + n, (double)(long)(v >> 70) * 1000 + (double)(long)v)                 \
	X(vector16, vector16, ((vector16){ n, n + 1, n + 2, n + 3 }), v[0] + 10 * v[1] + 100 * v[2] + 1000 * v[3])     \
	X(vector32, vector32, ((vector32){ n, n + 1, n + 2, n + 3 }), v[0] + 10 * v[1] + 100 * v[2] + 1000 * v[3])     \
	X(struct two_words, two_words, ((struct two_words){ n, 2 * n }), (double)(v.a + 100 * v.b))                    \
	X(struct mixed, mixed, ((struct mixed){ n, 2 * n }), v.a + 100 * (double)v.b)                                  \
	X(struct mixed_back, mixed_back, ((struct mixed_back){ n, 2 * n }), (double)v.a + 100 * v.b)                   \
	X(struct floats, floats, ((struct floats){ (float)n, 2, 3, 4 }), v.a + 10 * v.b + 100 * v.c + 1000 * v.d)      \
	X(struct large, large, ((struct large){ { n, 0, 0, 0, 0, 0, 0, 0, 5 }, "sixsix" }),                            \
	  (double)(v.words[0] + v.words[8]) + v.text[5])                                                               \
	X(struct tiny, tiny, ((struct tiny){ (char)n, 300 }), v.a + v.b)                                               \
	X(union either, either, ((union either){ .b = n }), v.b)                                                       \
	X(struct empty, empty, ((struct empty){}), (double)sizeof v)

#define MAKE(type, name, make, number)                                                                                 \
	KEPT static type make_##name(int n)                                                                            \
	{                                                                                                              \
		ENTER;                                                                                                 \
		return make;                                                                                           \
	}                                                                                                              \
	/* The result is handed on: with and without a tail call. */                                                   \
	KEPT static type pass_##name(int n)                                                                            \
	{                                                                                                              \
		ENTER_TAIL;                                                                                            \
		TAIL;                                                                                                  \
		return make_##name(n + 1);                                                                             \
	}                                                                                                              \
	KEPT static double take_##name(type v, int n)                                                                  \
	{                                                                                                              \
		ENTER;                                                                                                 \
		(void)v;                                                                                               \
		return (number) + n;                                                                                   \
	}
VALUES(MAKE)

#define PRINT(type, name, make, number)                                                                                \
	printf("%s %.6f %.6f\n", #name, take_##name(make_##name(5), 1), take_##name(pass_##name(6), 2));

void values_case(void)
{
	ENTER;
	VALUES(PRINT)
}
