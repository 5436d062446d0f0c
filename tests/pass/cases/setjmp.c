// setjmp, longjmp and vfork: frames that were left are known to be dead.
// RUN: for o in -O0 -O2 "-O2 -ftee-perf-hooks=plain" "-O2 -flto -fuse-ld=lld-%N" "-O2 -ftee-perf-before-inlining"; do %cc $o %s %hooks -o program && ./program || exit 1; done | %check --implicit-check-not=wrong:
// CHECK-COUNT-5: resyncs {{[1-9][0-9]*}} unwound {{[1-9][0-9]*}} open 0 wrong 0
#include <setjmp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static jmp_buf back;

KEEP static void deep(volatile int n)
{
	if (n == 0)
		longjmp(back, 1);
	deep(n - 1);
	__asm__ volatile("");
}

KEEP static int jump(int n)
{
	if (setjmp(back))
		return 1;
	deep(n);
	return 0;
}

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static int fork_child(void)
{
	int status;
	pid_t child = vfork();

	if (child == 0)
		_exit(leaf(6));
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += jump(i);
	if (sum != 10 || fork_child() != 7)
		puts("wrong: a result");
	return 0;
}
