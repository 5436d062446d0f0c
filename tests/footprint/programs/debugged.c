/* SPDX-License-Identifier: MIT */
/* A program for gdb.py to step through; it finds its lines by their marks. */
#include <stdio.h>

__attribute__((noinline)) static int inner(int x)
{
	volatile int y = x; /* gdb: inner */
	return y + 1;
}

__attribute__((noinline)) static int outer(int x)
{
	volatile int a = x + 1; /* gdb: first */
	int b = inner(a);       /* gdb: second */
	volatile int c = a + b;
	return c;
}

__attribute__((noinline)) static int again(int x)
{
	volatile int y = inner(x);
	return y + inner(x + 1);
}

__attribute__((noinline)) static void main_end(void)
{
	puts("end");
}

int main(void)
{
	volatile int sum = outer(10);

	sum += again(sum);
	main_end();
	return sum == 0;
}
