// A thread that is cancelled at any instruction ends as it does without hooks: functions without clean-ups of their
// own get none that would end the program. C++'s personality does so for an instruction that its table does not list:
// those before the first call, those between two calls that have entries, and hooks.
// RUN: for o in -O0 -O1 -O2 "-O2 -ftee-perf-hooks=plain" "-O2 -x c -fexceptions"; do %cxx $o -pthread %s -x none %hooks -o program && ./program || exit 1; done | %check --implicit-check-not=wrong:
// CHECK-COUNT-15: cancelled
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define KEEP __attribute__((noinline))

/* Stays NULL; nothing else is known of it, so what it calls may throw. */
static void (*volatile nothing)(void);
static volatile unsigned turns;

static inline void spin(void)
{
	do
		turns = turns + 1;
	while (nothing == NULL);
}

KEEP static void before_calls(void)
{
	spin();
	nothing();
}

KEEP static void between_calls(void)
{
	if (nothing != NULL)
		nothing();
	spin();
	nothing();
}

KEEP static void behind_calls(void)
{
	if (nothing != NULL)
		nothing();
	spin();
}

static void (*const places[])(void) = { before_calls, between_calls, behind_calls };

KEEP static void *thread(void *argument)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	(*(void (*const *)(void))argument)();
	return argument;
}

int main(void)
{
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		pthread_t id;
		void *result = NULL;
		turns = 0;
		if (pthread_create(&id, NULL, thread, (void *)&places[i]) != 0)
			return 1;
		while (turns == 0)
			sched_yield();
		pthread_cancel(id);
		pthread_join(id, &result);
		puts(result == PTHREAD_CANCELED ? "cancelled" : "wrong: result");
	}
	return 0;
}
