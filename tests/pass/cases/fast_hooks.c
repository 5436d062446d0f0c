// The hooks in their own convention (runtime/abi.h): nothing held or saved for them, no red zone, no PLT.
// RUN: %cc -O2 -S %s -o - | %check
// RUN: %cc -O2 -fPIC -S %s -o - | %check
// RUN: %cc -O2 -mcmodel=large -S %s -o - | %check --check-prefix=LARGE
// RUN: %cc -O2 -mcmodel=large -ftee-perf-hooks=inline -S %s -o - | %check --check-prefix=LARGE
// RUN: %cc -O2 -ftee-perf-hooks=plain -S %s -o - | %check --check-prefix=PLAIN
// RUN: %cc -O2 -flto -S -emit-llvm %s -o - | %check --check-prefix=LTO
// RUN: ! %cc -ftee-perf-hooks=other -c %s -o other.o

// The linker may inline it into a function that keeps its red zone.
// LTO: define {{.*}}@leaf(
// LTO: call {{.*}}@tee_perf_call_inlined(
int leaf(int x)
{
	return 3 * x + 1;
}

// CHECK-LABEL: {{^}}leaf:
// CHECK-NOT: push
// CHECK: cmpl %esp, tee_perf_image+40(%rip)
// CHECK-NEXT: jb
// CHECK-NEXT: leaq {{.*}}tee_perf_map.leaf(%rip), %r10
// CHECK-NEXT: leaq 8(%rsp), %rax
// CHECK-NEXT: callq *tee_perf_call_fast@GOTPCREL(%rip)
// CHECK-NOT: push
// CHECK: leaq {{.*}}tee_perf_map.leaf(%rip), %r10
// CHECK-NEXT: leaq 8(%rsp), %rcx
// CHECK-NEXT: callq *tee_perf_return_fast@GOTPCREL(%rip)
// CHECK-NOT: pop
// CHECK: retq
// LARGE-LABEL: {{^}}leaf:
// LARGE: leaq {{.*}}tee_perf_map.leaf(%rip), %r10
// PLAIN-LABEL: {{^}}leaf:
// PLAIN: callq tee_perf_call
// PLAIN: callq tee_perf_return

/* With a red zone the array would lie below the stack pointer, where the hook's return address goes. */
int uses_the_red_zone(int x)
{
	volatile int array[8] = { x, 1 };
	return array[x & 7];
}
// CHECK-LABEL: {{^}}uses_the_red_zone:
// CHECK: {{sub|add|push}}{{.*}}%rsp
// CHECK: retq
