// SPDX-License-Identifier: MIT
// threads MODE N: threads that end in every way. Prints what was called: "calls <function> <count>", and for threads
// with names "name <name>".
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

#define SILENT __attribute__((no_instrument_function, noinline))
#define KEPT   __attribute__((noinline))

static std::atomic<unsigned long> leaves, bodies, destructed, objects, deepest;
static sem_t there;
static pthread_key_t key;

extern "C" {
KEPT void leaf()
{
	leaves++;
}

KEPT void deep(int depth, int how)
{
	if (depth > 0) {
		deep(depth - 1, how);
		leaf();
		return;
	}
	deepest++;
	if (how == 1)
		pthread_exit(nullptr);
	if (how == 2) {
		sem_post(&there);
		for (;;)
			pause();
	}
	if (how == 3) {
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
		sem_post(&there);
		for (;;)
			sched_yield();
	}
}

KEPT void destructor(void *)
{
	destructed++;
	leaf();
}

KEPT void thread_local_object(bool)
{
	objects++;
	leaf();
}

KEPT void *body(void *how)
{
	bodies++;
	deep(5, static_cast<int>(reinterpret_cast<long>(how)));
	return nullptr;
}
}

struct object {
	SILENT object()
	{
		thread_local_object(true);
	}
	SILENT ~object()
	{
		thread_local_object(false);
	}
};
static thread_local object one;

extern "C" KEPT void *with_destructors(void *)
{
	bodies++;
	pthread_setspecific(key, &leaves);
	static_cast<void>(&one);
	__asm__ volatile("" : : "r"(&one));
	leaf();
	return nullptr;
}

extern "C" KEPT void *named(void *number)
{
	char name[16];

	bodies++;
	snprintf(name, sizeof name, "named %ld", reinterpret_cast<long>(number));
	pthread_setname_np(pthread_self(), name);
	printf("name %s\n", name);
	leaf();
	return nullptr;
}

extern "C" KEPT void *detached(void *)
{
	bodies++;
	leaf();
	sem_post(&there);
	return nullptr;
}

// Goes on until the process ends: at most the call under way is not counted yet.
extern "C" KEPT void *endless(void *)
{
	bodies++;
	sem_post(&there);
	for (;;)
		leaf();
}

static SILENT void at_once(void *(*run)(void *), long how, int n, bool cancel)
{
	pthread_attr_t attributes;
	pthread_t *threads = new pthread_t[static_cast<size_t>(n)];

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 128 << 10);
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], &attributes, run, reinterpret_cast<void *>(run == named ? i : how)) !=
		    0)
			exit(95);
	for (int i = 0; i < n && cancel; i++)
		sem_wait(&there);
	for (int i = 0; i < n && cancel; i++)
		pthread_cancel(threads[i]);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], nullptr);
	delete[] threads;
}

static SILENT void say(bool exact, unsigned long under_way)
{
	unsigned long n = leaves;

	if (exact)
		printf("calls leaf %lu\n", n);
	else
		printf("between leaf %lu\n", n), static_cast<void>(under_way);
	printf("calls body+ %lu\ncalls destructor %lu\ncalls thread_local_object %lu\n", bodies.load(),
	       destructed.load(), objects.load());
	fflush(stdout);
}

static SILENT void *ends_last(void *main_thread)
{
	pthread_join(*static_cast<pthread_t *>(main_thread), nullptr);
	leaf();
	say(true, 0);
	exit(0);
}

int main(int argc, char **argv)
{
	const char *mode = argv[1];
	int n = argc > 2 ? atoi(argv[2]) : 1;

	sem_init(&there, 0, 0);
	pthread_key_create(&key, destructor);
	if (strcmp(mode, "sequence") == 0)
		for (int i = 0; i < n; i++)
			at_once(body, 0, 1, false);
	else if (strcmp(mode, "once") == 0)
		at_once(body, 0, n, false);
	else if (strcmp(mode, "exit") == 0)
		at_once(body, 1, n, false);
	else if (strcmp(mode, "cancel") == 0)
		at_once(body, 2, n, true);
	else if (strcmp(mode, "cancel-any-time") == 0)
		at_once(body, 3, n, true);
	else if (strcmp(mode, "destructors") == 0)
		at_once(with_destructors, 0, n, false);
	else if (strcmp(mode, "names") == 0)
		at_once(named, 0, n, false);
	else if (strcmp(mode, "detached") == 0) {
		for (int i = 0; i < n; i++) {
			pthread_t thread;
			pthread_create(&thread, nullptr, detached, nullptr);
			pthread_detach(thread);
		}
		for (int i = 0; i < n; i++)
			sem_wait(&there);
	} else if (strcmp(mode, "main-ends-first") == 0) {
		static pthread_t self = pthread_self();
		pthread_t thread;
		pthread_create(&thread, nullptr, ends_last, &self);
		leaf();
		pthread_exit(nullptr);
	} else if (strcmp(mode, "main-returns") == 0) {
		for (int i = 0; i < n; i++) {
			pthread_t thread;
			pthread_create(&thread, nullptr, endless, nullptr);
		}
		for (int i = 0; i < n; i++)
			sem_wait(&there);
		say(false, 0);
		return 0;
	}
	say(true, 0);
	return 0;
}
