// no_instrument_function is obeyed; what is inlined vanishes with its hooks, also into such a function.
// RUN: %cc -O2 -S -emit-llvm %s -o - | %check --implicit-check-not=tee_perf_map.inlined
// RUN: %cc -O0 -S -emit-llvm %s -o - | %check --check-prefix=O0
// RUN: %cc -O2 -finstrument-functions -S -emit-llvm %s -o - | %check --check-prefix=BOTH
int other(int);

static inline int inlined(int x)
{
	return other(x) + 1;
}

// CHECK-LABEL: define {{.*}}@left_alone(
// CHECK-NOT: call {{.*}}tee_perf
// CHECK: ret
// O0-LABEL: define {{.*}}@left_alone(
// O0-NOT: call {{.*}}tee_perf
// O0: ret
// O0-LABEL: define {{.*}}@inlined(
// O0: call {{.*}}tee_perf_call
// O0-LABEL: define {{.*}}@f(
// O0: call {{.*}}tee_perf_call
__attribute__((no_instrument_function)) int left_alone(int x)
{
	return inlined(x) * 2;
}

// CHECK-LABEL: define {{.*}}@f(
// CHECK: call {{.*}}tee_perf_call
// CHECK-NOT: call {{.*}}tee_perf_call
// CHECK: call {{.*}}tee_perf_return
// The user's own -finstrument-functions still works beside ours.
// BOTH-LABEL: define {{.*}}@f(
// BOTH-DAG: call {{.*}}tee_perf_call
// BOTH-DAG: call {{.*}}__cyg_profile_func_enter
int f(int x)
{
	return inlined(x) * 3;
}
