// Edges of the enclave: by attribute, by list, by what the SDKs' generators write.
// RUN: %cc -I%lib/include -Wall -Werror -ftee-perf-hooks=plain -ftee-perf-ocalls='listed_out,host_*' -ftee-perf-ecalls='listed_in' -O2 -S -emit-llvm %s -o - | %check --implicit-check-not=tee-perf-edge
// RUN: %cc -I%lib/include -ftee-perf-hooks=plain -ftee-perf-ocalls='listed_out,host_*' -ftee-perf-ecalls='listed_in' -O0 -S -emit-llvm %s -o - | %check
// RUN: %cc -I%lib/include -ftee-perf-ocalls='listed_out,host_*' -ftee-perf-ecalls='listed_in' -ftee-perf-before-inlining -O2 -S -emit-llvm %s -o - | %check
// RUN: %cc -I%lib/include -ftee-perf-min-instructions=1000 -O2 -S -emit-llvm %s -o - | %check --check-prefix=SMALL --implicit-check-not='@tee_perf_map.user'
#include <tee-perf.h>

// Kinds: 0 function, 2 OCALL, 3 ECALL (the field before the last).
// CHECK-DAG: @tee_perf_map.inside = {{.*}}, i16 3, i16 0 }, section "tee_perf_map"
// CHECK-DAG: @tee_perf_map.listed_in = {{.*}}, i16 3, i16 0 }, section "tee_perf_map"
// CHECK-DAG: @tee_perf_map.sgx_hello = {{.*}}, i16 3, i16 0 }, section "tee_perf_map"
// CHECK-DAG: @tee_perf_map.sgx_get_trusted_time = {{.*}}, i16 0, i16 0 }, section "tee_perf_map"
// CHECK-DAG: @tee_perf_map.proxy = {{.*}}, i16 2, i16 0 }, section "tee_perf_map"
// CHECK-DAG: @tee_perf_map.wrapper = {{.*}}, i16 2, i16 0 }, section "tee_perf_map"
// CHECK-DAG: @tee_perf_map.outside_body = {{.*}}, i16 2, i16 0 }, section "tee_perf_map"
// CHECK-DAG: @tee_perf_map.user = {{.*}}, i16 0, i16 0 }, section "tee_perf_map"
// CHECK-DAG: @tee_perf_external.outside = linkonce_odr hidden {{.*}}, i16 2, i16 0 }, section "tee_perf_map", comdat
// CHECK-DAG: @tee_perf_external.listed_out = linkonce_odr hidden {{.*}}, i16 2, i16 0 }, section "tee_perf_map", comdat
// CHECK-DAG: @tee_perf_external.host_time = linkonce_odr hidden {{.*}}, i16 2, i16 0 }, section "tee_perf_map", comdat
// CHECK-DAG: @tee_perf_external.ocall_print = linkonce_odr hidden {{.*}}, i16 2, i16 0 }, section "tee_perf_map", comdat
// SMALL-DAG: @tee_perf_map.inside = {{.*}}, i16 3, i16 0 }
// SMALL-DAG: @tee_perf_map.proxy = {{.*}}, i16 2, i16 0 }
TEE_PERF_OCALL int outside(int x);
TEE_PERF_OCALL int outside_body(int x);
int listed_out(int x), host_time(void), ocall_print(int x), plain(int x);
int sgx_ocall(unsigned index, void *ms);
int oe_call_host_function(unsigned long id, void *in, unsigned long size);

TEE_PERF_ECALL int inside(int x)
{
	return x + 1;
}

int listed_in(int x)
{
	return x + 2;
}

// What a proxy does to leave is that OCALL: no second one below it.
// CHECK-LABEL: define {{.*}}@proxy(
// CHECK-NOT: tee_perf_external
// CHECK: call {{.*}}@sgx_ocall
// CHECK: ret i32
int proxy(int x)
{
	return sgx_ocall(3, &x);
}

int wrapper(int x)
{
	return oe_call_host_function(3, &x, 4);
}

int outside_body(int x)
{
	return x ^ 5;
}

// Only a bridge is local.
int sgx_get_trusted_time(int x)
{
	return x + 3;
}

static int sgx_hello(void *ms)
{
	return inside(*(int *)ms);
}
int (*const table[])(void *) = { sgx_hello };

// Edges stay whole: a call of one is a call.
// CHECK-LABEL: define {{.*}}@user(
// CHECK: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_external.outside
// CHECK: call {{.*}}@outside(
// CHECK: call {{.*}}tee_perf_return({{.*}}tee_perf_external.outside
// CHECK: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_external.listed_out
// CHECK: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_external.host_time
// CHECK: call {{.*}}tee_perf_call_inlined({{.*}}tee_perf_external.ocall_print
// CHECK: call {{.*}}@outside_body(
// CHECK-NOT: tee_perf_external.plain
// CHECK: call {{.*}}@plain(
// CHECK: ret i32
int user(int x)
{
	x = outside(x);
	x += listed_out(x);
	x += host_time();
	x += ocall_print(x);
	x += outside_body(x);
	return plain(x) + 1;
}
