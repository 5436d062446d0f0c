/* SPDX-License-Identifier: MIT */
#include "program.h"

int merged_weak(int x);
int merged_too(int x);

__attribute__((weak)) KEPT int merged_weak(int x)
{
	ENTER;
	return x + 40;
}

KEPT int merged_too(int x)
{
	ENTER;
	return merged_weak(x) + 1;
}
