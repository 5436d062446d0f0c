/* SPDX-License-Identifier: MIT */
/* A thread that starts the trusted process (which ends with the thread that started it), learns of its end, and stops
 * each thread of the enclave that nobody has called for a while: it cannot sleep by itself, as that takes a system
 * call. On the hardware no thread is in an idle enclave, either. */
#define _GNU_SOURCE
#include "simulator/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS      (2 * 1000 * 1000) /* an idle thread is stopped after one or two of these */
#define IDLE_LOOK_NS (100 * 1000 * 1000)
#define MEMFD_EXEC   0x10 /* MFD_EXEC, which libc headers may lack */
#define QUIT_MS      1000 /* for the enclave to end by itself */

extern const char sim_loader_begin[], sim_loader_end[];

/* ---- starting */

static int loader_file(void)
{
	int fd = memfd_create("tee-perf-sim-loader", MFD_CLOEXEC | MEMFD_EXEC);
	size_t size = (size_t)(sim_loader_end - sim_loader_begin);

	if (fd < 0) /* a kernel before 6.3 does not know the flag, and needs none */
		fd = memfd_create("tee-perf-sim-loader", MFD_CLOEXEC);
	if (fd < 0 || write(fd, sim_loader_begin, size) != (ssize_t)size) {
		sim_fail("cannot write the loader into memory: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/* In the child, of a process that may have threads: system calls only. */
static void become_loader(const struct tee_perf_sim *sim, int loader)
{
	const int wanted[] = { sim->boot_fd, sim->image_fd, sim->log.fd };
	char *argv[] = { (char *)"enclave", NULL }, *envp[] = { NULL };
	int copy[3];
	sigset_t none;

	/* Above the places that they go to, so that none is overwritten. */
	for (int i = 0; i < 3; i++)
		copy[i] = wanted[i] >= 0 ? fcntl(wanted[i], F_DUPFD_CLOEXEC, 16) : -1;
	loader = fcntl(loader, F_DUPFD_CLOEXEC, 16);
	for (int i = 0; i < 3; i++)
		if (copy[i] >= 0)
			dup2(copy[i], 3 + i);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	syscall(SYS_execveat, loader, "", argv, envp, AT_EMPTY_PATH);
	_exit(127);
}

static int fork_loader(struct tee_perf_sim *sim)
{
	int loader = loader_file();

	if (loader < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0)
		become_loader(sim, loader);
	close(loader);
	if (pid < 0)
		return sim_fail("cannot start the trusted process: %s", strerror(errno));
	sim->tcs[0].pid = (int)pid;
	return 0;
}

/* ---- looking after it */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void look_for_end(struct tee_perf_sim *sim)
{
	for (unsigned i = 0; i < sim->config.threads; i++) {
		int status, pid = sim->tcs[i].pid;
		if (pid == 0)
			continue;
		pid_t got = waitpid(pid, &status, WNOHANG);
		if (got == 0 || (got < 0 && errno == EINTR))
			continue;
		sim->tcs[i].pid = 0;
		if (!atomic_load(&sim->dead))
			atomic_store(&sim->exit_status, got == pid ? status : 0);
		atomic_store(&sim->dead, true);
	}
}

static void kill_all(struct tee_perf_sim *sim)
{
	for (unsigned i = 0; i < sim->config.threads; i++)
		if (sim->tcs[i].pid != 0)
			kill(sim->tcs[i].pid, SIGKILL);
}

/* Stops what has been outside since the last look; whether everything is stopped. */
static bool stop_idle(struct tee_perf_sim *sim, uint64_t now)
{
	bool all = true;

	for (unsigned i = 0; i < sim->config.threads; i++) {
		struct sim_tcs *tcs = &sim->tcs[i];
		pthread_mutex_lock(&tcs->lock);
		if (tcs->outside && !tcs->stopped) {
			if (tcs->outside_since == 0)
				tcs->outside_since = now;
			else if (tcs->pid != 0 && kill(tcs->pid, SIGSTOP) == 0)
				tcs->stopped = true;
		}
		all &= tcs->stopped;
		pthread_mutex_unlock(&tcs->lock);
	}
	return all;
}

/* Sleeps for a while, longer if all is idle, but no longer than that lasts. sim->lock is held. */
static void sleep_until_changed(struct tee_perf_sim *sim, bool idle)
{
	uint64_t until = now_ns() + (idle ? IDLE_LOOK_NS : LOOK_NS);
	struct timespec deadline = { .tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000) };

	atomic_store(&sim->idle, idle);
	if (!sim->ending)
		pthread_cond_timedwait(&sim->changed, &sim->lock, &deadline);
	atomic_store(&sim->idle, false);
}

/* The threads of the enclave have been told to quit. They end with this thread, so it stays until they have. */
static void wait_for_end(struct tee_perf_sim *sim)
{
	uint64_t patience = now_ns() + QUIT_MS * UINT64_C(1000000);
	struct timespec pause = { .tv_nsec = 100 * 1000 };

	for (bool left = true; left;) {
		left = false;
		look_for_end(sim);
		for (unsigned i = 0; i < sim->config.threads; i++)
			left |= sim->tcs[i].pid != 0;
		if (left && now_ns() > patience)
			kill_all(sim);
		if (left)
			nanosleep(&pause, NULL);
	}
}

static void *keep(void *data)
{
	struct tee_perf_sim *sim = data;
	int forked = fork_loader(sim);
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_mutex_lock(&sim->lock);
	atomic_store(&sim->dead, forked != 0);
	sim->started = true;
	pthread_cond_broadcast(&sim->changed);
	while (!sim->ending) {
		pthread_mutex_unlock(&sim->lock);
		look_for_end(sim);
		if (atomic_load(&sim->dead))
			kill_all(sim);
		bool idle = stop_idle(sim, now_ns());
		pthread_mutex_lock(&sim->lock);
		sleep_until_changed(sim, idle);
	}
	pthread_mutex_unlock(&sim->lock);
	wait_for_end(sim);
	return NULL;
}

int sim_keeper_start(struct tee_perf_sim *sim)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&sim->changed, &attributes);
	if (pthread_create(&sim->keeper, NULL, keep, sim) != 0)
		return sim_fail("cannot start a thread");
	sim->keeper_runs = true;
	pthread_mutex_lock(&sim->lock);
	while (!sim->started)
		pthread_cond_wait(&sim->changed, &sim->lock);
	pthread_mutex_unlock(&sim->lock);
	return 0;
}

void sim_keeper_end(struct tee_perf_sim *sim)
{
	if (!sim->keeper_runs)
		return;
	pthread_mutex_lock(&sim->lock);
	sim->ending = true;
	pthread_cond_broadcast(&sim->changed);
	pthread_mutex_unlock(&sim->lock);
	pthread_join(sim->keeper, NULL);
}

void sim_keeper_inside(struct tee_perf_sim *sim, struct sim_tcs *tcs)
{
	pthread_mutex_lock(&tcs->lock);
	tcs->outside = false;
	if (tcs->stopped) {
		tcs->stopped = false;
		if (tcs->pid != 0)
			kill(tcs->pid, SIGCONT);
		if (atomic_exchange(&sim->idle, false)) {
			pthread_mutex_lock(&sim->lock);
			pthread_cond_broadcast(&sim->changed);
			pthread_mutex_unlock(&sim->lock);
		}
	}
	pthread_mutex_unlock(&tcs->lock);
}

void sim_keeper_outside(struct sim_tcs *tcs)
{
	pthread_mutex_lock(&tcs->lock);
	tcs->outside = true;
	tcs->outside_since = 0;
	pthread_mutex_unlock(&tcs->lock);
}
