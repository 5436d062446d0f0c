/* SPDX-License-Identifier: MIT */
/* 300 threads, one after another, each with a destructor that comes again in the second and third round. */
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static volatile int sink;

__attribute__((noinline)) static void destructor(void *round)
{
	sink++;
	if ((long)round < 3)
		pthread_setspecific(key, (void *)((long)round + 1));
}

static void *run(void *unused)
{
	pthread_setspecific(key, (void *)1);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_key_create(&key, destructor);
	for (int i = 0; i < 300; i++)
		if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
			return 1;
	puts("calls destructor 900");
	return 0;
}
