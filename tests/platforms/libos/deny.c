/* SPDX-License-Identifier: MIT */
/* deny NAME|all COMMAND...: runs it on a system without this call, or without all those that Occlum lacks. `deny list`
 * prints their names, `deny others` those that it has and a recorder uses. `deny futex_wake`: a futex wakes nobody of
 * another process, as in Gramine. Status 77: this machine has no seccomp. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As of Occlum 0.29 (src/libos/src/syscall/mod.rs: "handle_unsupported"; later numbers, which fail with EINVAL there),
 * as far as programs may meet them. A clone that shares no memory is a fork. */
static const struct call {
	const char *name;
	unsigned number;
} calls[] = {
	{ "fork", SYS_fork },
	{ "clone3", SYS_clone3 },
	{ "flock", SYS_flock },
	{ "madvise", SYS_madvise },
	{ "signalfd4", SYS_signalfd4 },
	{ "memfd_create", SYS_memfd_create },
	{ "preadv", SYS_preadv },
	{ "pwritev", SYS_pwritev },
	{ "clock_nanosleep", SYS_clock_nanosleep },
	{ "ppoll", SYS_ppoll },
	{ "pselect6", SYS_pselect6 },
	{ "waitid", SYS_waitid },
	{ "pidfd_open", SYS_pidfd_open },
	{ "process_vm_readv", SYS_process_vm_readv },
	{ "getpriority", SYS_getpriority },
	{ "setpriority", SYS_setpriority },
	{ "sched_setscheduler", SYS_sched_setscheduler },
	{ "sched_getscheduler", SYS_sched_getscheduler },
	{ "sched_setattr", SYS_sched_setattr },
	{ "sched_getattr", SYS_sched_getattr },
	{ "getrlimit", SYS_getrlimit },
	{ "getrusage", SYS_getrusage },
	{ "mlock", SYS_mlock },
	{ "mlockall", SYS_mlockall },
	{ "setitimer", SYS_setitimer },
	{ "timer_create", SYS_timer_create },
	{ "setsid", SYS_setsid },
	{ "renameat2", SYS_renameat2 },
	{ "membarrier", SYS_membarrier },
	{ "execveat", SYS_execveat },
	{ "statx", SYS_statx },
	{ "rseq", SYS_rseq },
	{ "close_range", SYS_close_range },
	{ "faccessat2", SYS_faccessat2 },
};
#define COUNT (sizeof calls / sizeof *calls)

/* What recorder and runtime call besides, as strace saw them; not what a program cannot start, or end, without. */
static const struct call others[] = {
	{ "access", SYS_access },
	{ "brk", SYS_brk },
	{ "clock_getres", SYS_clock_getres },
	{ "clock_gettime", SYS_clock_gettime },
	{ "fallocate", SYS_fallocate },
	{ "fchmod", SYS_fchmod },
	{ "fcntl", SYS_fcntl },
	{ "fstat", SYS_fstat },
	{ "fstatfs", SYS_fstatfs },
	{ "ftruncate", SYS_ftruncate },
	{ "getcwd", SYS_getcwd },
	{ "getpgid", SYS_getpgid },
	{ "getrandom", SYS_getrandom },
	{ "gettid", SYS_gettid },
	{ "ioctl", SYS_ioctl },
	{ "munmap", SYS_munmap },
	{ "poll", SYS_poll },
	{ "prctl", SYS_prctl },
	{ "prlimit64", SYS_prlimit64 },
	{ "readlink", SYS_readlink },
	{ "rename", SYS_rename },
	{ "rt_sigaction", SYS_rt_sigaction },
	{ "rt_sigprocmask", SYS_rt_sigprocmask },
	{ "rt_sigtimedwait", SYS_rt_sigtimedwait },
	{ "sched_getaffinity", SYS_sched_getaffinity },
	{ "sched_setaffinity", SYS_sched_setaffinity },
	{ "sched_yield", SYS_sched_yield },
	{ "sigaltstack", SYS_sigaltstack },
	{ "unlink", SYS_unlink },
	{ "wait4", SYS_wait4 },
};
#define OTHERS (sizeof others / sizeof *others)

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)
#define ALLOW       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Refuses those that are called so, or all. False: there is none. */
static int install(const char *name)
{
	struct sock_filter filter[2 * COUNT + 6] = { LOAD(nr) };
	unsigned short used = 1;

	for (unsigned i = 0; i < COUNT + OTHERS; i++) {
		const struct call *call = i < COUNT ? &calls[i] : &others[i - COUNT];
		if (strcmp(name, call->name) != 0 && (i >= COUNT || strcmp(name, "all") != 0))
			continue;
		filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->number, 0, 1);
		filter[used++] = (struct sock_filter)REFUSE;
	}
	if (strcmp(name, "futex_wake") == 0) {
		filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 3);
		filter[used++] = (struct sock_filter)LOAD(args[1]);
		filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAKE, 0, 1);
		filter[used++] =
		    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO); /* says: none slept */
	}
	if (used == 1)
		return 0;
	if (strcmp(name, "all") == 0 || strcmp(name, "fork") == 0) {
		filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3);
		filter[used++] = (struct sock_filter)LOAD(args[0]);
		filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_VM, 1, 0);
		filter[used++] = (struct sock_filter)REFUSE;
	}
	filter[used++] = (struct sock_filter)ALLOW;
	struct sock_fprog program = { .len = used, .filter = filter };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(77);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc == 2) {
		bool more = strcmp(argv[1], "others") == 0;
		for (unsigned i = 0; i < (more ? OTHERS : COUNT); i++)
			puts(more ? others[i].name : calls[i].name);
		return 0;
	}
	if (argc < 3 || !install(argv[1]))
		return 2;
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
