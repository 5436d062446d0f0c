/* SPDX-License-Identifier: MIT */
/* A shared object: a function of its own, one that the executable has too, one of the C++ library that is inlined here.
 */
#include "library.h"

#include <string>

static __attribute__((noinline)) int hidden_step(int n)
{
	return n + 1;
}

extern "C" int library_call(int n)
{
	std::string text(static_cast<size_t>(n & 7), 'x');

	text.append("y"); /* std::string::append is another image's function */
	if (n < 0)
		throw n;
	return shared_step(hidden_step(n)) + static_cast<int>(text.size());
}
