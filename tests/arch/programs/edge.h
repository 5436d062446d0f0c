/* SPDX-License-Identifier: MIT */
/* "edge <caller> <callee> <calls>": the calls that a report must show in that caller, 0: none. */
#ifndef EDGE_H
#define EDGE_H

#include <stdio.h>

static inline __attribute__((no_instrument_function)) void edge(const char *caller, const char *callee,
								unsigned long calls)
{
	printf("edge %s %s %lu\n", caller, callee, calls);
}

#endif
