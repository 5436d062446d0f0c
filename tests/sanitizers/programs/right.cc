/* SPDX-License-Identifier: MIT */
/* Nothing wrong in it: threads with a lock, exceptions, memory, a deep recursion. "expect <function> <calls>" is what
 * the recording must hold. */
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

#define KEPT __attribute__((noinline))

#define THREADS 4
#define ROUNDS  500

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum;

extern "C" {

KEPT void locked_add(unsigned long n)
{
	pthread_mutex_lock(&lock);
	sum += n;
	pthread_mutex_unlock(&lock);
}

KEPT int *allocate(unsigned n)
{
	int *numbers = static_cast<int *>(malloc((n + 1) * sizeof *numbers));

	for (unsigned i = 0; i <= n; i++)
		numbers[i] = static_cast<int>(i);
	return numbers;
}

KEPT void throws_every_other(unsigned n)
{
	if (n % 2)
		throw n;
	locked_add(n);
}

KEPT unsigned recurse(unsigned n)
{
	volatile char local[16] = { static_cast<char>(n) };

	return n == 0 ? static_cast<unsigned char>(local[0]) : recurse(n - 1) + static_cast<unsigned char>(local[1]);
}

KEPT void *worker(void *data)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		int *numbers = allocate(i % 50);
		try {
			throws_every_other(i);
		} catch (unsigned n) {
			locked_add(n);
		}
		locked_add(static_cast<unsigned long>(numbers[i % 50]) + recurse(20));
		free(numbers);
	}
	return data;
}
}

int main()
{
	pthread_t thread[THREADS];

	/* Some sanitizers look for what is not there before main. */
	printf("dlerror has %s to say\n", dlerror() != nullptr ? "something" : "nothing");
	for (pthread_t &each : thread)
		if (pthread_create(&each, nullptr, worker, nullptr) != 0)
			return 1;
	for (pthread_t &each : thread)
		pthread_join(each, nullptr);
	printf(
	    "expect main 1\nexpect worker %d\nexpect allocate %d\nexpect throws_every_other %d\nexpect locked_add %d\n"
	    "expect recurse %d\n",
	    THREADS, THREADS * ROUNDS, THREADS * ROUNDS, 2 * THREADS * ROUNDS, 21 * THREADS * ROUNDS);
	return 0;
}
