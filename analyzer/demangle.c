/* SPDX-License-Identifier: MIT */
#include "analyzer/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

#define NAME_MAX_BYTES 8192 /* at most some 2.5 MB of stack */

char *tee_perf_demangle(const char *name)
{
	if (name[0] != '_' || strnlen(name, NAME_MAX_BYTES + 1) > NAME_MAX_BYTES)
		return NULL;
	return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO | DMGL_NO_RECURSE_LIMIT);
}
