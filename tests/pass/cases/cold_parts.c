// Parts that the optimiser splits off are no functions of their own.
// RUN: %cc -O2 -mllvm -hot-cold-split=true -S -emit-llvm %s -o - | %check
// CHECK-NOT: @tee_perf_map.f.cold
// CHECK: define {{.*}}@f(
// CHECK: call {{.*}}@f.cold
// CHECK: define {{.*}}@f.cold
// CHECK-NOT: call {{.*}}tee_perf_call
// Nor what is split off before the hooks are placed.
// RUN: %cc -O2 -mllvm -enable-partial-inlining -mllvm -skip-partial-inlining-cost-analysis -S -emit-llvm %s -o - | %check --check-prefix=PART --implicit-check-not=tee_perf_map.early.
// PART: define {{.*}}@early(
// PART: call {{.*}}tee_perf_call
// PART: define {{.*}}@early.1.
// PART-NOT: tee_perf_call
// PART: ret
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

int early(int x)
{
	if (x < 3)
		return 7;
	for (int i = 0; i < x; i++)
		sink(other(i) * other(x));
	for (int i = 0; i < x; i++)
		sink(other(i) * other(x) + other(3));
	for (int i = 0; i < x; i++)
		sink(other(i) * other(x) + other(4) + other(7) + other(8) + other(10));
	return other(x);
}

int calls_early(int x)
{
	return early(x) + early(x + 1);
}
