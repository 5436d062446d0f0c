/* SPDX-License-Identifier: MIT */
/* Forbids itself, on pain of death, all system calls but those that threads and output need, and those that
 * docs/FOOTPRINT.md lists for the runtime; then threads are made and fill their rings. */
#include "../../record/programs/expect.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static const int allowed[] = {
	/* The C library, for threads and for output. */
	SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_futex, SYS_clone3, SYS_clone, SYS_rseq,
	SYS_set_robust_list, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_exit, SYS_exit_group, SYS_write, SYS_newfstatat,
	SYS_brk, SYS_getrandom,
	/* The runtime. */
	SYS_gettid, SYS_getpid, SYS_openat, SYS_read, SYS_close, SYS_sigaltstack, SYS_clock_gettime, SYS_prctl
};
#define COUNT (sizeof allowed / sizeof *allowed)

static volatile unsigned sink;

KEPT static void leaf(void)
{
	sink++;
}

KEPT static void *in_thread(void *nothing)
{
	for (int i = 0; i < 200000; i++)
		leaf();
	return nothing;
}

NOT_INSTRUMENTED static int forbid(void)
{
	struct sock_filter filter[COUNT + 3] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
							  offsetof(struct seccomp_data, nr)) };
	struct sock_fprog program = { .len = COUNT + 3, .filter = filter };

	for (size_t i = 0; i < COUNT; i++)
		filter[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i],
							     (unsigned char)(COUNT - i), 0);
	filter[COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	filter[COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0;
}

int main(void)
{
	if (forbid())
		return 77;
	for (int i = 0; i < 4; i++) {
		pthread_t thread[2];
		for (int j = 0; j < 2; j++)
			if (pthread_create(&thread[j], NULL, in_thread, NULL) != 0)
				return 1;
		for (int j = 0; j < 2; j++)
			pthread_join(thread[j], NULL);
	}
	expect("in_thread", 8);
	expect("leaf", 8 * 200000);
	return 0;
}
