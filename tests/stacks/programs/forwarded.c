/* SPDX-License-Identifier: MIT */
/* Fibers are told, and each answer must be AddressSanitizer's: whoever stands before its entry points calls them. */
#include "tree.h"

void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *size);

static char fiber[65536];
static int unset;

static SILENT int is_on(const void *bottom, size_t size, const void *address)
{
	return address >= bottom && (const char *)address < (const char *)bottom + size;
}

int main(void)
{
	void *saved[2] = { &unset, &unset };
	const void *own = &unset, *other = &unset;
	size_t own_size = 0, other_size = 0;

	leaf();
	__sanitizer_start_switch_fiber(&saved[0], fiber, sizeof fiber);
	__sanitizer_finish_switch_fiber(NULL, &own, &own_size);
	__sanitizer_start_switch_fiber(&saved[1], own, own_size);
	__sanitizer_finish_switch_fiber(saved[0], &other, &other_size);
	printf("saved %d %d\n", saved[0] != &unset, saved[1] != &unset);
	printf("own %d, other %d\n", is_on(own, own_size, __builtin_frame_address(0)),
	       other == fiber && other_size == sizeof fiber);
	return 0;
}
