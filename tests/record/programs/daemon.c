/* SPDX-License-Identifier: MIT */
/* Goes on after the command that was recorded has ended, and only later calls something. */
#include "expect.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

KEPT static void leaf(void)
{
	__asm__ volatile("" ::: "memory");
}

/* daemon [FILE]: interrupts the recorder as soon as it waits for nothing but this daemon, and says in FILE that it went
 * first. */
int main(int argc, char **argv)
{
	pid_t recorder = getppid(), command = getpid();

	leaf();
	if (daemon(1, 0) != 0)
		return 1;
	usleep(200 * 1000);
	for (int i = 0; i < 1000; i++)
		leaf();
	if (argc < 2)
		return 0;
	while (kill(command, 0) == 0 || errno != ESRCH)
		usleep(1000);
	kill(recorder, SIGINT);
	for (int i = 0; i < 20000 && kill(recorder, 0) == 0; i++)
		usleep(1000);
	if (kill(recorder, 0) != 0)
		fclose(fopen(argv[1], "w"));
	return 0;
}
