/* SPDX-License-Identifier: MIT */
/* like_occlum shared|unshared COMMAND...: runs it where mapped files behave as in Occlum, whose processes have one
 * address space. A file is mapped once, for all; a mapping of a part lies within that; any other, and any at an address
 * of one's choice, is a private copy, without an error; unmapping a part does nothing (src/libos/src/vm/shm_manager.rs
 * and vm_manager.rs, mmap_shared_chunk, munmap_shared_chunk). Nor does kill take signal 0, nor statfs tell the room of
 * a file system. Returns the command's exit status; 77: this machine has no ptrace or no seccomp. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHUNKS 64
#define OWNERS 64
#define AREA   0x200000000000ull /* where Linux puts nothing by itself */
#define STEP   (1ull << 36)
#define PAGE   4096ull

/* The file as it is mapped. */
static struct chunk {
	dev_t dev;
	ino_t ino;
	unsigned long long begin, offset, size; /* 0: none */
	pid_t owner[OWNERS];                    /* 0: none */
} chunks[CHUNKS];

static bool unshared;

static void fail(const char *what)
{
	perror(what);
	exit(77);
}

/* ---- the table */

static struct chunk *chunk_of(const struct stat *file)
{
	for (int i = 0; i < CHUNKS; i++)
		if (chunks[i].size != 0 && chunks[i].dev == file->st_dev && chunks[i].ino == file->st_ino)
			return &chunks[i];
	return NULL;
}

static void add_owner(struct chunk *chunk, pid_t pid)
{
	int free_place = -1;

	for (int i = 0; i < OWNERS; i++) {
		if (chunk->owner[i] == pid)
			return;
		if (chunk->owner[i] == 0)
			free_place = i;
	}
	if (free_place < 0)
		abort();
	chunk->owner[free_place] = pid;
}

static void drop_owner(struct chunk *chunk, pid_t pid)
{
	bool any = false;

	for (int i = 0; i < OWNERS; i++) {
		if (chunk->owner[i] == pid)
			chunk->owner[i] = 0;
		any |= chunk->owner[i] != 0;
	}
	if (!any)
		chunk->size = 0;
}

/* A first mapping: at the wanted place within a page of 64 KiB, else at one that is no multiple of anything. */
static struct chunk *new_chunk(const struct stat *file, const struct user_regs_struct *regs)
{
	static unsigned next;

	for (int i = 0; i < CHUNKS; i++)
		if (chunks[i].size == 0) {
			unsigned long long past = regs->rdi != 0 ? regs->rdi % (16 * PAGE) : 5 * PAGE;
			chunks[i] = (struct chunk){ .dev = file->st_dev,
						    .ino = file->st_ino,
						    .begin = AREA + next++ * STEP + past,
						    .offset = regs->r9,
						    .size = regs->rsi };
			return &chunks[i];
		}
	abort();
}

/* ---- system calls */

/* Of the process that a thread belongs to. */
static pid_t process_of(pid_t tid)
{
	char path[64], line[128];
	int pid = tid;

	snprintf(path, sizeof path, "/proc/%d/status", tid);
	FILE *file = fopen(path, "re");
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return pid;
}

static void map_file(pid_t tid, struct user_regs_struct *regs)
{
	struct stat file;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/fd/%d", tid, (int)regs->r8);
	if (stat(path, &file) != 0)
		return;
	struct chunk *chunk = chunk_of(&file);
	bool forced = (regs->r10 & MAP_FIXED) != 0;
	if (chunk == NULL && !forced && !unshared)
		chunk = new_chunk(&file, regs);
	bool within = chunk != NULL && regs->r9 >= chunk->offset &&
		      regs->r9 - chunk->offset + regs->rsi <= (chunk->size + PAGE - 1) / PAGE * PAGE;
	if (!within || (forced && (regs->rdi != chunk->begin || regs->r9 != chunk->offset))) {
		regs->r10 = (regs->r10 & ~(unsigned long long)MAP_TYPE) | MAP_PRIVATE;
		return;
	}
	add_owner(chunk, process_of(tid));
	regs->rdi = chunk->begin + regs->r9 - chunk->offset;
	regs->r10 |= MAP_FIXED;
}

static void unmap(pid_t tid, struct user_regs_struct *regs)
{
	for (int i = 0; i < CHUNKS; i++) {
		struct chunk *chunk = &chunks[i];
		if (chunk->size == 0 || regs->rdi + regs->rsi <= chunk->begin ||
		    regs->rdi >= chunk->begin + chunk->size)
			continue;
		if (regs->rdi <= chunk->begin && regs->rdi + regs->rsi >= chunk->begin + chunk->size) {
			drop_owner(chunk, process_of(tid));
			return;
		}
		regs->orig_rax = (unsigned long long)-1; /* not done, and said to be */
		regs->rax = 0;
		return;
	}
}

static void attend(pid_t tid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) != 0)
		return;
	if (regs.orig_rax == SYS_mmap)
		map_file(tid, &regs);
	else
		unmap(tid, &regs);
	ptrace(PTRACE_SETREGS, tid, NULL, &regs);
}

/* ---- processes */

static void forget(pid_t pid)
{
	for (int i = 0; i < CHUNKS; i++)
		if (chunks[i].size != 0)
			drop_owner(&chunks[i], pid);
}

/* Until all have ended. Returns the status of the first. */
static int trace(pid_t first)
{
	int status, result = 0;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (tid < 0)
			continue;
		if (!WIFSTOPPED(status)) {
			forget(tid);
			if (tid == first)
				result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			continue;
		}
		int event = status >> 16, signal = event == 0 ? WSTOPSIG(status) : 0;
		if (event == PTRACE_EVENT_SECCOMP)
			attend(tid);
		if (event == PTRACE_EVENT_EXEC)
			forget(tid);
		if (event == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP)
			ptrace(PTRACE_LISTEN, tid, NULL, NULL);
		else
			ptrace(PTRACE_CONT, tid, NULL, signal);
	}
	return result;
}

#define LOAD(field)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(k, f)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), 0, (f))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))

static void install(void)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		UNLESS(SYS_munmap, 1),
		RETURN(SECCOMP_RET_TRACE),
		UNLESS(SYS_mmap, 4),
		LOAD(args[3]),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MAP_TYPE | MAP_ANONYMOUS),
		UNLESS(MAP_SHARED, 1),
		RETURN(SECCOMP_RET_TRACE),
		LOAD(nr),
		UNLESS(SYS_kill, 3),
		LOAD(args[1]),
		UNLESS(0, 1),
		RETURN(SECCOMP_RET_ERRNO | EINVAL),
		LOAD(nr),
		UNLESS(SYS_fstatfs, 1),
		RETURN(SECCOMP_RET_ERRNO | ENOSYS),
		RETURN(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		fail("like_occlum: seccomp");
}

int main(int argc, char **argv)
{
	long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		       PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	int go[2];
	char byte;

	if (argc < 3 || pipe(go) != 0)
		return 2;
	unshared = strcmp(argv[1], "unshared") == 0;
	pid_t child = fork();
	if (child == 0) {
		close(go[1]);
		if (read(go[0], &byte, 1) != 1)
			_exit(77);
		close(go[0]);
		install();
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (ptrace(PTRACE_SEIZE, child, NULL, options) != 0)
		fail("like_occlum: ptrace");
	if (write(go[1], "g", 1) != 1)
		fail("like_occlum: pipe");
	close(go[1]);
	return trace(child);
}
