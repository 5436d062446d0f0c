/* SPDX-License-Identifier: MIT */
/* One fault, which the argument names. It is made in `culprit`, which `accomplice` calls. */
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

#define KEPT __attribute__((noinline))

static volatile int shared;
static void *volatile lost;
static volatile int one = 1;

extern "C" {

KEPT int culprit(int *memory, const char *fault)
{
	if (strcmp(fault, "address") == 0)
		free(memory);
	if (strcmp(fault, "leak") == 0) {
		lost = malloc(1234);
		lost = nullptr;
	}
	if (strcmp(fault, "thread") == 0)
		shared = one;
	int result = strcmp(fault, "undefined") == 0 ? INT_MAX : 0;
	result += one;
	return result + memory[0];
}

KEPT int accomplice(int *memory, const char *fault)
{
	return culprit(memory, fault) + one;
}

KEPT void *other(void *memory)
{
	accomplice(static_cast<int *>(memory), "thread");
	return nullptr;
}
}

int main(int argc, char **argv)
{
	int *memory = static_cast<int *>(calloc(4, sizeof *memory));
	const char *fault = argc > 1 ? argv[1] : "none";
	pthread_t thread;

	if (strcmp(fault, "thread") == 0 && pthread_create(&thread, nullptr, other, memory) == 0) {
		shared = 2;
		pthread_join(thread, nullptr);
	}
	printf("%d\n", accomplice(memory, fault) & 1);
	if (strcmp(fault, "address") != 0)
		free(memory);
	return 0;
}
