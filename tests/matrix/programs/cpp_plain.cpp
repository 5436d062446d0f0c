/* SPDX-License-Identifier: MIT */
#include "cpp_program.h"

int plain_catches(void (*function)(int), int argument)
{
	try {
		function(argument);
	} catch (const failure &caught) {
		return caught.code;
	}
	return 0;
}

void plain_passes(void (*function)(int), int argument)
{
	function(argument);
}

int plain_sorts(void (*function)(int), int (*sort)())
{
	try {
		function(2);
	} catch (const failure &) {
		return sort();
	}
	return 0;
}

namespace
{
struct sorter {
	int (*sort)();
	~sorter()
	{
		sort();
	}
};
} // namespace

void plain_cleans(void (*function)(int), int argument, int (*sort)())
{
	sorter one{ sort };

	function(argument);
}
