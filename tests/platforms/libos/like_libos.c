/* SPDX-License-Identifier: MIT */
/* like_libos COMMAND...: runs it on a system that has no more than a library OS may have: shared memory has no address
 * of one's choice, and madvise does nothing for fork and core dumps. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define JUMP(k, f)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), 0, (f))
#define REFUSE       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL)
#define SHARED_FIXED (MAP_SHARED | MAP_FIXED)

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		JUMP(SYS_mmap, 4),
		LOAD(args[3]),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SHARED_FIXED),
		JUMP(SHARED_FIXED, 1),
		REFUSE,
		LOAD(nr),
		JUMP(SYS_madvise, 5),
		LOAD(args[2]),
		JUMP(MADV_WIPEONFORK, 1),
		REFUSE,
		JUMP(MADV_DONTFORK, 1),
		REFUSE,
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("like_libos");
		return 77;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
