// Functions that can have no hooks.
// RUN: %cc -O1 -S -emit-llvm %s -o - | %check
// RUN: %cc -O1 -c %s -o skip.o
// RUN: %cc -O1 -S -emit-llvm %s -o - | sed -n '/^define.*@\(resolve\|detect\|deeper\)(/,/^}/p' >early && test $(grep -c ^define early) = 3 && ! grep tee_perf early
// RUN: %cc -O1 -S -emit-llvm %s -o - | sed -n '/^define.*@variant(/,/^}/p' | grep tee_perf_call
int state;

static int variant(void)
{
	return state;
}
__attribute__((noinline)) static int deeper(void);
__attribute__((noinline)) static int detect(void)
{
	return deeper() + 1;
}
static void *resolve(void)
{
	return detect() ? (void *)variant : (void *)0;
}
__attribute__((noinline)) static int deeper(void)
{
	return state + 1;
}
int chosen(void) __attribute__((ifunc("resolve")));

// CHECK-LABEL: define {{.*}}@naked_function(
// CHECK-NOT: call {{.*}}tee_perf
// CHECK: unreachable
__attribute__((naked)) void naked_function(void)
{
	__asm__("ret");
}

// CHECK-LABEL: define {{.*}}@handler(
// CHECK-NOT: call {{.*}}tee_perf
// CHECK: ret
struct frame;
__attribute__((interrupt, target("general-regs-only"))) void handler(struct frame *f)
{
	(void)f;
}

// CHECK-NOT: define {{.*}}@only_inline(
extern inline __attribute__((gnu_inline)) int only_inline(int x)
{
	return x + state;
}
// CHECK-LABEL: define {{.*}}@use(
// CHECK: call {{.*}}tee_perf_call
int use(int x)
{
	return only_inline(x) + chosen();
}
// Never the hooks' own names.
// CHECK-LABEL: define {{.*}}@tee_perf_resync(
// CHECK-NOT: call {{.*}}tee_perf
// CHECK: ret
void tee_perf_resync(const void *entry, const void *cfa)
{
	(void)entry;
	(void)cfa;
}
