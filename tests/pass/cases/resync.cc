// A resync where control comes back by other means than a return into the function.
// RUN: %cxx -O1 -S -emit-llvm %s -o - | %check
// RUN: %cxx -O1 -ftee-perf-before-inlining -S -emit-llvm %s -o - | %check --check-prefix=SHARED
// RUN: %cxx -O1 -flto -S -emit-llvm %s -o - | %check --check-prefix=SHARED
struct guard {
	~guard();
};
void other(int);
extern "C" int again() __attribute__((returns_twice));

// CHECK-LABEL: define {{.*}}@_Z5twicev(
// CHECK: {{call|invoke}} {{.*}}@again
// CHECK: call {{.*}}tee_perf_resync
// CHECK: @_Z5otheri
void twice()
{
	other(again());
}

// With a clean-up the call is an invoke: the hook stands on its normal edge.
// CHECK-LABEL: define {{.*}}@_Z12twice_invokev(
// CHECK: invoke {{.*}}@again
// CHECK: call {{.*}}tee_perf_resync
void twice_invoke()
{
	guard g;
	other(again());
}

// A handler may call code without hooks that calls back, from deeper on the stack than what the exception ended.
// CHECK-LABEL: define {{.*}}@_Z7catchesv(
// CHECK: landingpad
// CHECK-NEXT: catch
// CHECK: call {{.*}}tee_perf_resync
// SHARED-LABEL: define {{.*}}@_Z7catchesv(
// SHARED: landingpad
// SHARED-NEXT: catch
// SHARED: call {{.*}}tee_perf_resync
void catches()
{
	try {
		other(1);
	} catch (...) {
		other(2);
	}
}

// A clean-up only passes by, and what it calls tells by its CFA what ended, unless hooks were inlined.
// CHECK-LABEL: define {{.*}}@_Z6passesv(
// CHECK: landingpad
// CHECK-NEXT: cleanup
// CHECK-NOT: tee_perf_resync
// CHECK: resume
// SHARED-LABEL: define {{.*}}@_Z6passesv(
// SHARED: landingpad
// SHARED-NEXT: cleanup
// SHARED: call {{.*}}tee_perf_resync
// SHARED: resume
void passes()
{
	guard g;
	other(3);
}
