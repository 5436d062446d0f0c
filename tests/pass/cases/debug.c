// Every inserted call has a location; what is instrumented does not depend on -g; our own line tables are not kept.
// RUN: %cc -ftee-perf-hooks=plain -O2 -g -S -emit-llvm %s -o - | %check
// RUN: %cc -ftee-perf-hooks=plain -O2 -g -S -emit-llvm %s -o - | grep -E 'call .*@(tee_perf_(call|return|resync)|llvm.addressofreturn)' >calls; test -s calls && ! grep -v '!dbg' calls
// RUN: %cc -O2 -g -c %s -o with.o && %cc -O2 -c %s -o without.o && llvm-readelf-%N -S with.o | grep debug_info && ! llvm-readelf-%N -S without.o | grep debug
// RUN: for o in with without; do llvm-readelf-%N -x tee_perf_str $o.o | grep '^0x' >$o.names; llvm-readelf-%N -x tee_perf_map $o.o | grep '^0x' >$o.map; done; cmp with.names without.names && cmp with.map without.map
// RUN: %cc -O2 -c %s -o a.o && %cc -O2 -g -c %s -o b.o && llvm-objcopy-%N -O binary --only-section=.text a.o a.bin && llvm-objcopy-%N -O binary --only-section=.text b.o b.bin && cmp a.bin b.bin
// RUN: %cc -O2 -ftee-perf-min-instructions=6 -c %s -o m1.o && %cc -O2 -g -ftee-perf-min-instructions=6 -c %s -o m2.o && llvm-nm-%N m1.o >n1 && llvm-nm-%N m2.o >n2 && llvm-objcopy-%N -O binary --only-section=.text m1.o m1.bin && llvm-objcopy-%N -O binary --only-section=.text m2.o m2.bin && cmp m1.bin m2.bin
void other(int);

// CHECK-LABEL: define {{.*}}@f(
// CHECK: call {{.*}}tee_perf_call({{.*}}, !dbg [[ENTRY:![0-9]+]]
// CHECK-DAG: [[F:![0-9]+]] = distinct !DISubprogram(name: "f"
// CHECK-DAG: [[ENTRY]] = !DILocation(line: [[@LINE+2]], scope: [[F]])
int f(int x, int y)
{
	int z = x * y;
	for (int i = 0; i < z; i++)
		other(i);
	return z;
}

int small(int x)
{
	int y = x;
	return y;
}
