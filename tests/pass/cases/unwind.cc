// Functions that an exception leaves record their return: calls become invokes with one clean-up, and the function's own
// landing pads lead to the same hook.
// RUN: %cxx -std=c++14 -O2 -ftee-perf-hooks=plain -S -emit-llvm %s -o - | %check
// RUN: %cxx -std=c++14 -O2 -ftee-perf-no-unwind-exits -S -emit-llvm %s -o - | %check --check-prefix=OFF --implicit-check-not=tee_perf.unwind --implicit-check-not=__gcc_personality_v0
// RUN: %cxx -std=c++14 -O0 -DPLAIN -fno-exceptions -S -emit-llvm %s -o - | %check --check-prefix=OFF --implicit-check-not=landingpad --implicit-check-not=personality
// RUN: %cxx -std=c++14 -O2 -ftee-perf-before-inlining -S -emit-llvm %s -o - | %check --check-prefix=BEFORE
// RUN: %cxx -std=c++14 -O2 -flto -S -emit-llvm %s -o - | %check --check-prefix=BEFORE
// C has none, unless it is asked for exceptions.
// RUN: printf 'int g(int); int f(int x) { return g(x) + 1; }\n' >c.c
// RUN: %cc -O2 -c c.c -o with.o && %cc -O2 -ftee-perf-no-unwind-exits -c c.c -o without.o && cmp with.o without.o
// RUN: %cc -O2 -fexceptions -S -emit-llvm c.c -o - | grep 'define .*@f(.*personality .*__gcc_personality_v0'
// What is linked without the C++ library still is.
// RUN: printf 'extern "C" int g(int x) { return x; }\n' >g.cc
// RUN: %cxx -O0 -c -x c++ c.c -o f.o && %cxx -O0 -c g.cc && printf 'int _Z1gi(int x) { return x; }\nint _Z1fi(int);\nint main(void) { return _Z1fi(-1); }\n' >m.c
// RUN: for o in "" -static -no-pie; do %cc $o m.c f.o %hooks -o program && ./program || exit 1; done
struct guard {
	~guard();
};
struct failure {
};
int other(int);
int calm(int) noexcept;

// CHECK-LABEL: define {{.*}}@_Z5callsi({{.*}}personality {{.*}}__gcc_personality_v0
// CHECK: call {{.*}}tee_perf_call
// CHECK: %[[R:.*]] = invoke {{.*}}@_Z5otheri
// CHECK-NEXT: unwind label %[[PAD:.*]]{{$}}
// CHECK: call {{.*}}tee_perf_return
// CHECK: ret i32
// CHECK: landingpad
// CHECK-NEXT: cleanup
// CHECK-NOT: call {{.*}}tee_perf_resync
// CHECK: call {{.*}}tee_perf_return({{.*}}_Z5callsi
// CHECK-NEXT: resume
// OFF-LABEL: define {{.*}}@_Z5callsi(
// OFF: call {{.*}}@_Z5otheri
// BEFORE-LABEL: define {{.*}}@_Z5callsi({{.*}}personality {{.*}}__gxx_personality_v0
// BEFORE: invoke {{.*}}@_Z5otheri
int calls(int x)
{
	return other(x) + 1;
}

// A call that becomes a jump has nothing behind it that an exception could come to.
// CHECK-LABEL: define {{.*}}@_Z5jumpsi(
// CHECK-NOT: personality
// CHECK: call {{.*}}tee_perf_return
// CHECK-NEXT: tail call {{.*}}@_Z5otheri
// CHECK-NEXT: ret i32
// CHECK-NEXT: }
// BEFORE-LABEL: define {{.*}}@_Z5jumpsi(
// BEFORE: call {{.*}}tee_perf_return
// BEFORE-NEXT: tail call {{.*}}@_Z5otheri
// BEFORE-NEXT: ret i32
int jumps(int x)
{
	return other(x);
}

// CHECK-LABEL: define {{.*}}@_Z4mustv(
// CHECK: musttail call {{.*}}@_Z5otherv
// CHECK-NEXT: ret void
// CHECK-NEXT: }
void other();
void must()
{
	[[clang::musttail]] return other();
}

// CHECK-LABEL: define {{.*}}@_Z7quieteri(
// CHECK-NOT: landingpad
// CHECK: ret i32
// BEFORE-LABEL: define {{.*}}@_Z7quieteri(
// BEFORE-NOT: landingpad
// BEFORE: ret i32
int quieter(int x)
{
	return calm(x) + 1;
}

#ifndef PLAIN
// CHECK-LABEL: define {{.*}}@_Z5quieti(
// CHECK-NOT: resume
// CHECK: __clang_call_terminate
// CHECK-NOT: resume
// CHECK: }
int quiet(int x) noexcept
{
	return other(x) + 1;
}

// The unwinder is to come here for any exception.
// CHECK-LABEL: define {{.*}}@_Z7catchesi({{.*}}personality {{.*}}__gxx_personality_v0
// CHECK: %[[PAD:.*]] = landingpad
// CHECK-NEXT: cleanup
// CHECK-NEXT: catch {{.*}}_ZTI7failure
// CHECK-NEXT: %[[SELECTOR:.*]] = extractvalue {{.*}} %[[PAD]], 1
// CHECK-NEXT: %[[NONE:.*]] = icmp eq i32 %[[SELECTOR]], 0
// CHECK-NEXT: br i1 %[[NONE]]
// CHECK: resume
// CHECK-NOT: resume
int catches(int x)
{
	try {
		return other(x) + 1;
	} catch (const failure &) {
		return calm(1) + 1;
	}
}

// A pad that catches all gets nothing; what its handler throws goes through the function's clean-up.
// CHECK-LABEL: define {{.*}}@_Z11catches_alli(
// CHECK: landingpad
// CHECK-NEXT: catch {{.*}}null
// CHECK-NOT: icmp
// CHECK: call {{.*}}tee_perf_resync
// CHECK: }
int catches_all(int x)
{
	try {
		return other(x) + 1;
	} catch (...) {
		return calm(1) + 1;
	}
}

// One hook for all ways on: that of the clean-up, and that of a call outside of it.
// CHECK-LABEL: define {{.*}}@_Z6cleansi(
// CHECK: call {{.*}}@_ZN5guardD1Ev
// CHECK: resume
// CHECK-NOT: resume
// CHECK: }
int cleans(int x)
{
	int y = other(x);
	guard g;
	return other(y) + 1;
}

// CHECK-LABEL: define {{.*}}@_Z9specifiedi(
// CHECK: landingpad
// CHECK-NEXT: cleanup
// CHECK-NEXT: filter
// CHECK: resume
int specified(int x) throw(failure)
{
	return other(x) + 1;
}

// CHECK-LABEL: define {{.*}}@_Z6throwsv(
// CHECK: invoke {{.*}}@__cxa_throw
// CHECK: call {{.*}}tee_perf_return({{.*}}_Z6throwsv
// CHECK-NEXT: resume
void throws()
{
	throw failure();
}
#endif
