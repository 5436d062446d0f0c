/* SPDX-License-Identifier: MIT */
/* Starts itself many times, one after the other, each when the recorder has given the part of the one before to the
 * next: it looks for that into the log, where it finds it by its path. Without a log it only starts them. */
#define _GNU_SOURCE
#include "runtime/log_layout.h"
#include "tests/record/programs/expect.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMES 12
#define BYTES (TEE_PERF_TABLE_OFFSET + TEE_PERF_PROCESS_MAX * sizeof(struct tee_perf_log_process))

static volatile unsigned sink;

KEPT static void in_child(void)
{
	sink++;
}

static const struct tee_perf_log_header *find_log(void)
{
	const char *value = getenv("TEE_PERF_LOG");
	char path[256];

	if (value == NULL || strlen(value) >= sizeof path)
		return NULL;
	strcpy(path, value);
	*strrchr(path, ':') = '\0';
	int fd = open(path, O_RDWR);
	void *log = fd >= 0 ? mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
	return log == MAP_FAILED ? NULL : log;
}

static bool is_live(const struct tee_perf_log_header *log, pid_t pid)
{
	const struct tee_perf_log_process *entry = (const void *)((const char *)log + TEE_PERF_TABLE_OFFSET);

	for (uint64_t i = 0; i < log->process_max; i++)
		if (__atomic_load_n(&entry[i].state, __ATOMIC_ACQUIRE) != TEE_PERF_PROCESS_FREE &&
		    entry[i].pid == (uint64_t)pid)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const struct tee_perf_log_header *log = find_log();
	char *words[] = { argv[0], "child", NULL };
	int status;
	pid_t pid;

	if (argc > 1) {
		for (int i = 0; i < 1000; i++)
			in_child();
		return 0;
	}
	for (int i = 0; i < TIMES; i++) {
		if (posix_spawn(&pid, argv[0], NULL, NULL, words, environ) != 0 || waitpid(pid, &status, 0) != pid)
			return 1;
		while (log != NULL && is_live(log, pid))
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	expect("in_child", TIMES * 1000);
	expect("main", TIMES + 1);
	return 9;
}
