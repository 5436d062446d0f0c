/* SPDX-License-Identifier: MIT */
/* Templates and inline functions that both files have, in comdats: one of each stays. */
#ifndef CPP_TEMPLATES_H
#define CPP_TEMPLATES_H

#include "cpp_program.h"

inline int shared_counter;

KEPT inline int shared_inline(int x)
{
	ENTER;
	return x + ++shared_counter;
}

template <int N> KEPT int depth(int x)
{
	static const char name[] = { 'd', 'e', 'p', 't', 'h', '<', '0' + N, '>', 0 };
	ENTER_AS(name);
	if constexpr (N == 0)
		return shared_inline(x);
	else
		return depth<N - 1>(x + 1) + depth<0>(x);
}

template <typename T> struct box {
	T value;
	KEPT T get(T other) const
	{
		ENTER_AS(sizeof(T) == 4 ? "box<int>::get" : "box<long>::get");
		return value * other;
	}
	T may(T other) const
	{
		ENTER_AS(sizeof(T) == 4 ? "box<int>::may" : "box<long>::may");
		return get(other) + 1;
	}
};

int templates_too(int x);

#endif
