// Before inlining: hooks travel with the bodies, and are told apart once they lie in another function.
// RUN: %cc -O2 -ftee-perf-before-inlining -S -emit-llvm %s -o - | %check --implicit-check-not=tee_perf_map.unused
int other(int);

static inline int unused(int x)
{
	return other(x);
}

static inline int inlined(int x)
{
	return other(x) + 1;
}

// CHECK-LABEL: define {{.*}}@f(
// CHECK: call {{.*}}tee_perf_call({{.*}}tee_perf_map.f
// CHECK: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_map.inlined
// CHECK: call {{.*}}@other
// CHECK: call {{.*}}tee_perf_return({{.*}}tee_perf_map.inlined
// CHECK: call {{.*}}tee_perf_return({{.*}}tee_perf_map.f
int f(int x)
{
	return inlined(x) * 3;
}

// CHECK-LABEL: define {{.*}}@left_alone(
// CHECK: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_map.inlined
__attribute__((no_instrument_function)) int left_alone(int x)
{
	return inlined(x) * 5;
}
