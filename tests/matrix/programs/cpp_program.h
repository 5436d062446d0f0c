/* SPDX-License-Identifier: MIT */
/* What the parts of the C++ program call of each other. */
#ifndef CPP_PROGRAM_H
#define CPP_PROGRAM_H

#include "program.h"

struct failure {
	int code;
};

/* cpp_plain.cpp, without hooks: both call a function, plain_catches catches a failure out of it and returns its code,
 * plain_passes lets it through. */
int plain_catches(void (*function)(int), int argument);
void plain_passes(void (*function)(int), int argument);
/* Calls sort where it caught. */
int plain_sorts(void (*function)(int), int (*sort)());
/* Calls sort in a clean-up. */
void plain_cleans(void (*function)(int), int argument, int (*sort)());

/* cpp_across.cpp, where possible in another shared object. */
int across_leaf(int x);
void across_throws(int depth);
int across_catches(void (*function)(int), int argument);
void across_calls(void (*function)(int), int argument);

#endif
