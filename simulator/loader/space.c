/* SPDX-License-Identifier: MIT */
/* The address space of the trusted process: what an enclave cannot reach is not there. */
#include "simulator/loader/loader.h"

#include <elf.h>
#include <sys/syscall.h>

#define RANGES      24u
#define ADDRESS_END UINT64_C(0x7ffffffff000) /* of what Linux maps for a program, unless asked for more */

static struct {
	uint64_t begin, end;
} kept[RANGES]; /* by address */
static unsigned kept_count;

void loader_keep(uint64_t begin, uint64_t size)
{
	uint64_t first = begin & ~(uint64_t)(SIM_PAGE - 1), end = begin + size + SIM_PAGE - 1;
	unsigned at = kept_count;

	if (kept_count == RANGES)
		loader_fail(SIM_ERROR_MAP, 0);
	for (kept_count++; at > 0 && kept[at - 1].begin > first; at--)
		kept[at] = kept[at - 1];
	kept[at].begin = first;
	kept[at].end = end & ~(uint64_t)(SIM_PAGE - 1);
}

void loader_unmap_others(void)
{
	uint64_t at = 0;

	for (unsigned i = 0; i <= kept_count; i++) {
		uint64_t end = i < kept_count ? kept[i].begin : ADDRESS_END;
		if (end > at && loader_call(SYS_munmap, (long)at, (long)(end - at), 0, 0, 0, 0) < 0)
			loader_fail(SIM_ERROR_MAP, at);
		if (i < kept_count && kept[i].end > at)
			at = kept[i].end;
	}
}

uint64_t loader_vdso(const uint64_t *stack)
{
	const uint64_t *word = stack + 1 + stack[0] + 1; /* behind the arguments */

	while (*word != 0)
		word++;
	for (word++; word[0] != AT_NULL; word += 2)
		if (word[0] == AT_SYSINFO_EHDR)
			return word[1];
	return 0;
}
