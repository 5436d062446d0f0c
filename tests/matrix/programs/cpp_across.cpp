/* SPDX-License-Identifier: MIT */
#include "cpp_program.h"

KEPT int across_leaf(int x)
{
	ENTER;
	return x + 100;
}

KEPT void across_throws(int depth)
{
	ENTER;
	if (depth == 0)
		throw failure{ 42 };
	across_throws(depth - 1);
	across_leaf(depth);
}

KEPT int across_catches(void (*function)(int), int argument)
{
	ENTER;
	try {
		function(argument);
	} catch (const failure &caught) {
		return across_leaf(caught.code);
	}
	return across_leaf(0);
}

KEPT void across_calls(void (*function)(int), int argument)
{
	ENTER;
	function(argument);
	across_leaf(argument);
}
