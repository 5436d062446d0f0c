/* SPDX-License-Identifier: MIT */
/* How many bytes of a thread's stack its first event, a later one, and one that waits for room write below what the
 * same function without hooks does. */
#include "../../record/programs/expect.h"

#include <pthread.h>
#include <sys/mman.h>

#define STACK  (256 * 1024)
#define MARGIN 4096 /* what the C library has at its ends */
#define PAINT  0xa5
#define CALLS  1000000

static unsigned char *stack;
static volatile unsigned sink;

KEPT static void leaf(void)
{
	sink++;
}

NOT_INSTRUMENTED KEPT static void copy_of_leaf(void)
{
	sink++;
}

NOT_INSTRUMENTED KEPT static void many(void)
{
	for (int i = 0; i < CALLS; i++)
		leaf();
}

NOT_INSTRUMENTED KEPT static void copy_of_many(void)
{
	for (int i = 0; i < CALLS; i++)
		copy_of_leaf();
}

/* Paints what lies below this frame, and looks how far down the paint is gone. */
NOT_INSTRUMENTED KEPT static long written_by(void (*work)(void))
{
	unsigned char *frame = __builtin_frame_address(0);
	volatile unsigned char *at;

	for (at = stack + MARGIN; at < frame - 64; at++)
		*at = PAINT;
	work();
	for (at = stack + MARGIN; *at == PAINT; at++)
		;
	return frame - at;
}

NOT_INSTRUMENTED static void *run(void *unused)
{
	long first = written_by(leaf), later = written_by(leaf), plain = written_by(copy_of_leaf);
	long waiting = written_by(many), plain_many = written_by(copy_of_many);

	printf("depth first %ld\ndepth later %ld\ndepth waiting %ld\n", first - plain, later - plain,
	       waiting - plain_many);
	printf("expect leaf %d\n", CALLS + 2);
	return unused;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || pthread_attr_init(&attr) != 0 || pthread_attr_setstack(&attr, stack, STACK) != 0 ||
	    pthread_create(&thread, &attr, run, NULL) != 0)
		return 1;
	return pthread_join(thread, NULL);
}
