// The filter: linkage names, demangled names, paths; the last rule that matches counts; wrong rules are errors.
// RUN: printf '# comment\n\nexclude function *\n  include function space::*\ninclude function plain_c\nexclude function space::out(int)\n' >names && %cxx -O1 -ftee-perf-filter=names -S -emit-llvm %s -o - | %check
// RUN: printf 'exclude source *.cc\n' >source && %cxx -O1 -ftee-perf-filter=source -c %s -o a.o && ! llvm-nm-%N a.o | grep tee_perf
// RUN: printf 'exclude source */filter.cc\ninclude function _ZN5space2inEi\n' >both && %cxx -O1 -ftee-perf-filter=both -c %s -o b.o && llvm-readelf-%N -p tee_perf_str b.o >names.b && grep _ZN5space2inEi names.b && ! grep _ZN5space3outEi names.b
// RUN: printf 'exclude function a\ninclude functions b\n' >wrong && ! %cxx -O1 -ftee-perf-filter=wrong -c %s -o c.o 2>message && grep -q 'error: wrong:2: the second word must be "function" or "source"' message
// RUN: printf 'exclude function' >short && ! %cxx -O1 -ftee-perf-filter=short -c %s -o c.o 2>message && grep -q 'error: short:1: a glob is missing' message
// RUN: printf 'drop function x\n' >verb && ! %cxx -O1 -ftee-perf-filter=verb -c %s -o c.o 2>message && grep -q 'error: verb:1: a rule begins with' message
// RUN: ! %cxx -O1 -ftee-perf-filter=missing -c %s -o c.o 2>message && grep -q 'error: cannot read the filter file missing: No such file' message
// RUN: printf 'exclude function *' >'with; odd, na=me' && %cxx -O1 '-ftee-perf-filter=with; odd, na=me' -c %s -o d.o && ! llvm-nm-%N d.o | grep tee_perf
// RUN: printf 'exclude source */header.h\n' >header && printf 'inline __attribute__((noinline)) int in_header(int x) { return x; }\n' >header.h && (echo '#include "%t/header.h"'; echo 'int own(int x) { return in_header(x); }') >own.cc && %cxx -O1 -ftee-perf-filter=header -c own.cc -o e.o && llvm-readelf-%N -p tee_perf_str e.o >names.e && grep _Z3owni names.e && ! grep _Z9 names.e && %cxx -O1 -g -ftee-perf-filter=header -c own.cc -o e.o && llvm-readelf-%N -p tee_perf_str e.o >names.g && cmp names.e names.g
namespace space
{
// CHECK-LABEL: define {{.*}}@_ZN5space2inEi(
// CHECK: call {{.*}}tee_perf_call
int in(int x)
{
	return x;
}
// CHECK-LABEL: define {{.*}}@_ZN5space3outEi(
// CHECK-NOT: call {{.*}}tee_perf_call
// CHECK: ret
int out(int x)
{
	return x;
}
} // namespace space
// CHECK-LABEL: define {{.*}}@plain_c(
// CHECK: call {{.*}}tee_perf_call
extern "C" int plain_c(int x)
{
	return x;
}
// CHECK-LABEL: define {{.*}}@_Z5otheri(
// CHECK-NOT: call {{.*}}tee_perf_call
// CHECK: ret
int other(int x)
{
	return x;
}
