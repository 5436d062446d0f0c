// A thread that is cancelled at any instruction ends as it does without hooks: functions without clean-ups of their own get
// none that would end the program.
// RUN: for o in -O0 -O1 -O2; do %cxx $o -pthread %s %hooks -o program && ./program || exit 1; done | %check --implicit-check-not=wrong:
// CHECK-COUNT-3: cancelled
#include <cstdio>
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static volatile unsigned sink;

__attribute__((noinline)) static void spins()
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
	sem_post(&ready);
	for (;;)
		sink = sink + 1;
}

__attribute__((noinline)) static void *thread(void *argument)
{
	spins();
	return argument;
}

int main()
{
	pthread_t id;
	void *result = nullptr;

	sem_init(&ready, 0, 0);
	if (pthread_create(&id, nullptr, thread, nullptr) != 0)
		return 1;
	while (sem_wait(&ready) != 0)
		;
	pthread_cancel(id);
	pthread_join(id, &result);
	puts(result == PTHREAD_CANCELED ? "cancelled" : "wrong: result");
	return 0;
}
