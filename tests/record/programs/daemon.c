/* SPDX-License-Identifier: MIT */
/* Goes on after the command that was recorded has ended, and only later calls something. */
#include "expect.h"

#include <stdlib.h>
#include <unistd.h>

KEPT static void leaf(void)
{
	__asm__ volatile("" ::: "memory");
}

/* daemon [SECONDS]: how long it goes on */
int main(int argc, char **argv)
{
	leaf();
	if (daemon(1, 0) != 0)
		return 1;
	usleep(200 * 1000);
	for (int i = 0; i < 1000; i++)
		leaf();
	sleep(argc > 1 ? (unsigned)atoi(argv[1]) : 0);
	return 0;
}
