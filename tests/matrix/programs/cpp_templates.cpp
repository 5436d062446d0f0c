/* SPDX-License-Identifier: MIT */
#include "cpp_templates.h"

#include <cstdio>

void templates_case()
{
	ENTER;
	box<int> one{ 6 };
	box<long> other{ 7 };

	printf("templates %d %d %d %ld\n", depth<3>(1), templates_too(2), one.get(2) + one.may(3),
	       other.get(4) + other.may(5));
}
