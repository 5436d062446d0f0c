/* SPDX-License-Identifier: MIT */
/* Included before everything else when a wrong core is built: host memory is accessed otherwise than by the rules. */
#include "runtime/thread.h"

#if WRONG == 1 /* two halves */
static inline void wrong_host_write(uint64_t *word, uint64_t value)
{
	((volatile uint32_t *)word)[0] = (uint32_t)value;
	((volatile uint32_t *)word)[1] = (uint32_t)(value >> 32);
}
#elif WRONG == 2 /* unaligned: the word, and then across its end what was there */
static inline void wrong_host_write(uint64_t *word, uint64_t value)
{
	*word = value;
	volatile uint64_t *across = (volatile uint64_t *)((char *)word + 4);
	__asm__ volatile("movq (%0), %%rcx; movq %%rcx, (%0)" : : "r"(across) : "rcx", "memory");
}
#elif WRONG == 3 /* a byte at a time */
static inline void wrong_host_write(uint64_t *word, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		((volatile uint8_t *)word)[i] = (uint8_t)(value >> 8 * i);
}
#elif WRONG == 4 /* what is checked and what is used are two reads */
static inline uint64_t wrong_host_read(const uint64_t *word)
{
	return *(const volatile uint64_t *)word & *(const volatile uint64_t *)word;
}
#endif
#if WRONG == 4
#define host_read wrong_host_read
#else
#define host_write wrong_host_write
#endif
