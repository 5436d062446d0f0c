/* SPDX-License-Identifier: MIT */
/* Goes on after the command that was recorded has ended, and only later calls something. */
#include "expect.h"

#include <unistd.h>

KEPT static void leaf(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	leaf();
	if (daemon(1, 0) != 0)
		return 1;
	usleep(200 * 1000);
	for (int i = 0; i < 1000; i++)
		leaf();
	return 0;
}
