/* SPDX-License-Identifier: MIT */
/* An object with hooks. -DNAME=... names its function, so that two objects can be alike but for it. */
#ifndef NAME
#define NAME in_object
#endif

__attribute__((noinline)) int NAME(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

int enter(int x);
int enter(int x)
{
	return NAME(x) + NAME(x + 1);
}
