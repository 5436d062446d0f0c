/* SPDX-License-Identifier: MIT */
#include "tests/analyzer/feed_compare.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (!feed_compare(bytes, size))
		abort();
	return 0;
}
