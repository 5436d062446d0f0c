// Calls to functions of other objects, bracketed on request.
// RUN: %cxx -ftee-perf-hooks=plain -O2 -ftee-perf-external-calls -S -emit-llvm %s -o - | %check
// RUN: %cxx -ftee-perf-hooks=plain -O2 -ftee-perf-external-calls='get*,o?her' -S -emit-llvm %s -o - | %check --check-prefix=LIST --implicit-check-not=tee_perf_external.left
// RUN: %cxx -O2 -S -emit-llvm %s -o - | %check --check-prefix=NONE --implicit-check-not=tee_perf_external
struct guard {
	~guard();
};
extern "C" int getpid();
extern "C" int other(int);
extern "C" void left(int);
extern "C" [[noreturn]] void ends();

// CHECK-DAG: @tee_perf_external.getpid = linkonce_odr hidden global {{.*}} i32 0, i32 0, i16 1, i16 0 }, section "tee_perf_map", comdat
// CHECK-LABEL: define {{.*}}@_Z5tailsv(
// CHECK: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_external.getpid
// CHECK-NOT: tail call {{.*}}@getpid
// CHECK: {{call|invoke}} {{.*}}@getpid
// CHECK: call {{.*}}tee_perf_return({{.*}}tee_perf_external.getpid
// CHECK: call {{.*}}tee_perf_return({{.*}}tee_perf_map._Z5tailsv
// LIST: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_external.getpid
// NONE: define {{.*}}@_Z5tailsv(
int tails()
{
	return getpid();
}

// CHECK-LABEL: define {{.*}}@_Z6throwsi(
// CHECK: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_external.other
// CHECK: invoke {{.*}}@other
// CHECK: landingpad
// CHECK: call {{.*}}tee_perf_resync({{.*}}tee_perf_map._Z6throwsi
// LIST: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_external.other
int throws(int x)
{
	guard g;
	left(x);
	return other(x);
}

// What never returns would stay open.
// CHECK-LABEL: define {{.*}}@_Z5leavev(
// CHECK-NOT: tee_perf_external.ends
// CHECK: {{call|invoke}} {{.*}}@ends
void leave()
{
	ends();
}
