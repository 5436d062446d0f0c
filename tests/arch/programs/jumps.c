/* SPDX-License-Identifier: MIT */
/* Functions that end in a call, with every kind of argument. check-jumps.py compiles them with and without hooks. */
struct pair {
	long a, b;
};
struct floats {
	float a, b, c, d;
};
struct doubles {
	double a, b, c;
};
struct big {
	long field[9];
};
typedef float vector __attribute__((vector_size(16)));
typedef float half_vector __attribute__((vector_size(8)));

/* ENDS(name, type, parameters, arguments): a function whose last act is a call of one of the same type. */
#define ENDS(name, type, parameters, arguments)                                                                        \
	type callee_##name parameters;                                                                                 \
	type ends_##name parameters                                                                                    \
	{                                                                                                              \
		__asm__ volatile("");                                                                                  \
		return callee_##name arguments;                                                                        \
	}

ENDS(nothing, void, (void), ())
ENDS(integer, int, (int a), (a + 1))
ENDS(byte, char, (signed char a), (a))
ENDS(truth, _Bool, (_Bool a), (a))
ENDS(six, long, (long a, long b, long c, long d, long e, long f), (f, e, d, c, b, a))
ENDS(eight, long, (long a, long b, long c, long d, long e, long f, long g, long h), (h, g, f, e, d, c, b, a))
ENDS(nine, long, (long a, long b, long c, long d, long e, long f, long g, long h, long i), (i, h, g, f, e, d, c, b, a))
ENDS(ten, long, (long a, long b, long c, long d, long e, long f, long g, long h, int i, char j),
     (a, b, c, d, e, f, g, h, i + 1, (char)(j + 1)))
ENDS(real, double, (double a, float b), (a, b))
ENDS(nine_reals, double, (double a, double b, double c, double d, double e, double f, double g, double h, double i),
     (i, h, g, f, e, d, c, b, a))
ENDS(long_double, long double, (long double a, long double b), (b, a))
ENDS(many_long_doubles, long double, (long double a, long double b, long double c, long double d, long double e),
     (e, d, c, b, a))
ENDS(wide_result, long double, (int a), (a))
ENDS(wide_complex_result, _Complex long double, (int a), (a))
ENDS(complex_float, _Complex float, (_Complex float a), (a))
ENDS(complex_double, _Complex double, (_Complex double a), (a))
ENDS(int128, __int128, (__int128 a), (a + 1))
ENDS(odd_int128, __int128, (long a, __int128 b, long c, __int128 d, long e), (e, d, c, b, a))
ENDS(late_int128, __int128, (long a, long b, long c, long d, long e, long f, long g, __int128 h),
     (g, f, e, d, c, b, a, h))
ENDS(small_pair, struct pair, (struct pair a), (a))
ENDS(late_pair, long, (long a, long b, long c, long d, long e, long f, long g, struct pair h), (g, f, e, d, c, b, a, h))
ENDS(four_floats, struct floats, (struct floats a), (a))
ENDS(late_floats, float, (double a, double b, double c, double d, double e, double f, struct floats g),
     (f, e, d, c, b, a, g))
ENDS(three_doubles, struct doubles, (struct doubles a), (a))
ENDS(vectors, vector, (vector a, vector b), (b, a))
ENDS(half_vectors, half_vector, (half_vector a, half_vector b), (b, a))
ENDS(structure, struct big, (int a), (a))
ENDS(structures, long, (struct big a, struct big b), (b, a))

/* The caller's and the callee's types differ. */
long callee_nine(long, long, long, long, long, long, long, long, long);
long ends_more(long a)
{
	return callee_nine(a, a, a, a, a, a, a, a, a);
}
long ends_fewer(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	return callee_nine(j, i, h, g, f, e, d, c, b);
}
void callee_nothing(void);
struct big ends_structure_then_nothing(struct big *from, int a)
{
	struct big result = *from;
	result.field[0] = a;
	callee_nothing();
	return result;
}
int callee_variadic(int, ...);
int ends_variadic(int a, double b)
{
	return callee_variadic(a, 1l, a);
}
int ends_variadic_real(int a, double b)
{
	return callee_variadic(a, b);
}
int ends_variadic_stack(int a)
{
	return callee_variadic(a, a, a, a, a, a, a, a, a, a);
}
int caller_variadic(int a, ...)
{
	return callee_variadic(a, 2);
}
__attribute__((weak)) int callee_weak(int);
int ends_weak(int a)
{
	return callee_weak(a);
}
int ends_indirect(int (*f)(int, int), int a)
{
	return f(a, a);
}
long double callee_wide(int);
void ends_ignoring(int a)
{
	callee_wide(a);
}
int ends_used(int a)
{
	return callee_variadic(a) + 1;
}
