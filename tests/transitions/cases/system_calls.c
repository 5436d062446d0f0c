// System calls as OCALLs, for a library OS: on request, and nothing else with them.
// RUN: %cc -ftee-perf-hooks=plain -ftee-perf-external-calls=ocalls -O2 -S -emit-llvm %s -o - | %check --implicit-check-not=tee_perf_external.strlen --implicit-check-not=tee_perf_external.send_all
// RUN: %cc -ftee-perf-hooks=plain -O2 -S -emit-llvm %s -o - | %check --check-prefix=NONE --implicit-check-not=tee_perf_external
// RUN: %cc -ftee-perf-hooks=plain -ftee-perf-external-calls=ocalls -ftee-perf-external-calls='str*' -O2 -S -emit-llvm %s -o - | %check --check-prefix=BOTH
// CHECK-DAG: @tee_perf_external.getpid = {{.*}}, i16 2, i16 0 }, section "tee_perf_map"
// CHECK-DAG: @tee_perf_external.clock_gettime = {{.*}}, i16 2, i16 0 }, section "tee_perf_map"
// CHECK-DAG: @tee_perf_external.write = {{.*}}, i16 2, i16 0 }, section "tee_perf_map"
// NONE: define {{.*}}@f(
// BOTH-DAG: @tee_perf_external.getpid = {{.*}}, i16 2, i16 0 }
// BOTH-DAG: @tee_perf_external.strlen = {{.*}}, i16 1, i16 0 }
int getpid(void), clock_gettime(int id, void *time), send_all(const char *text);
long write(int fd, const void *text, unsigned long size);
unsigned long strlen(const char *text);

int f(const char *text)
{
	long time[2];

	clock_gettime(1, time);
	return getpid() + write(1, text, strlen(text)) + send_all(text) + (int)time[1];
}
