/* SPDX-License-Identifier: MIT */
#ifndef LIBRARY_H
#define LIBRARY_H

/* Each image has a copy, of which the loader makes all use one. */
__attribute__((noinline)) inline int shared_step(int n)
{
	return n * 2;
}

extern "C" int library_call(int n);

#endif
