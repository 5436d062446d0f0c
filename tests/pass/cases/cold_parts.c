// Parts that the optimiser splits off are no functions of their own.
// RUN: %cc -O2 -mllvm -hot-cold-split=true -S -emit-llvm %s -o - | %check
// CHECK-NOT: @tee_perf_map.f.cold
// CHECK: define {{.*}}@f(
// CHECK: call {{.*}}@f.cold
// CHECK: define {{.*}}@f.cold
// CHECK-NOT: call {{.*}}tee_perf_call
void sink(int) __attribute__((cold));
int other(int);

int f(int x)
{
	if (x > 100) {
		for (int i = 0; i < x; i++) {
			sink(i);
			sink(i + 1);
			sink(i + 2);
		}
		sink(x);
	}
	return other(x) + 1;
}
