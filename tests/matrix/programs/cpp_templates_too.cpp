/* SPDX-License-Identifier: MIT */
#include "cpp_templates.h"

KEPT int templates_too(int x)
{
	ENTER;
	box<int> one{ 5 };

	return depth<2>(x) + one.get(x) + one.may(x) + shared_inline(x);
}
