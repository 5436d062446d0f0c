// At every level each function has its hooks, and nothing of the way there is left behind.
// RUN: %cc -O0 -S -emit-llvm %s -o - | %check
// RUN: %cc -O1 -S -emit-llvm %s -o - | %check
// RUN: %cc -O2 -S -emit-llvm %s -o - | %check
// RUN: %cc -O3 -S -emit-llvm %s -o - | %check
// RUN: %cc -Os -S -emit-llvm %s -o - | %check
// RUN: %cc -ftee-perf-hooks=plain -O2 -flto -S -emit-llvm %s -o - | %check --check-prefix=LTO
// RUN: %cc -ftee-perf-hooks=plain -O2 -flto=thin -S -emit-llvm %s -o - | %check --check-prefix=LTO
// RUN: %cc -ftee-perf-hooks=plain -O0 -flto -S -emit-llvm %s -o - | %check --check-prefix=LTO
// RUN: for level in 0 1 2 3 s; do %cc -O$level -S -emit-llvm %s -o - | grep -c -e cyg_profile -e '"tee-perf' && exit 1; done; true
void other(void);

// CHECK-LABEL: define {{.*}}void @f(
// CHECK: call {{.*}}tee_perf_call
// CHECK: call {{.*}}@other
// CHECK: call {{.*}}tee_perf_return
// CHECK-NEXT: ret void
// LTO-LABEL: define {{.*}}void @f(
// LTO: call {{.*}}tee_perf_call_inlined
// LTO: call {{.*}}@other
// LTO: call {{.*}}tee_perf_return
void f(void)
{
	other();
	__asm__ volatile("");
}

// CHECK-LABEL: define {{.*}}i32 @optnone_function(
// CHECK: call {{.*}}tee_perf_call
// CHECK: call {{.*}}tee_perf_return
__attribute__((optnone, noinline)) int optnone_function(int x)
{
	return x;
}
