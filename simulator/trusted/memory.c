/* SPDX-License-Identifier: MIT */
/* What a compiler may call of its own accord. A trusted part that has its own links those instead. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
	if ((char *)to < (const char *)from)
		return memcpy(to, from, bytes);
	while (bytes-- > 0)
		((char *)to)[bytes] = ((const char *)from)[bytes];
	return to;
}

void *memset(void *to, int value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = (char)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (((const unsigned char *)a)[i] != ((const unsigned char *)b)[i])
			return ((const unsigned char *)a)[i] < ((const unsigned char *)b)[i] ? -1 : 1;
	return 0;
}
