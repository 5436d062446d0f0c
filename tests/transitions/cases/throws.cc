// An exception out of an OCALL: this function's frame runs again, though no option asked for external calls.
// RUN: %cxx -I%lib/include -ftee-perf-hooks=plain -O2 -S -emit-llvm %s -o - | %check
#include <tee-perf.h>
TEE_PERF_OCALL int outside(int x);

// CHECK-LABEL: define {{.*}}@_Z7catchesi(
// CHECK: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_external._Z7outsidei
// CHECK: invoke {{.*}}@_Z7outsidei
// CHECK: landingpad
// CHECK: call {{.*}}tee_perf_resync({{.*}}tee_perf_map._Z7catchesi
int catches(int x)
{
	try {
		return outside(x);
	} catch (int) {
		return 0;
	}
}
