// The map entry: name, path, line, kind, in the section that the runtime reads.
// RUN: %cc -O2 -S -emit-llvm %s -o - | %check
// RUN: %cc -O2 -ffunction-sections -S -emit-llvm %s -o - | %check --check-prefix=SECTIONS
// RUN: mkdir -p one two/three && cp %s one/map.c && cp %s two/three/map.c && (cd one && %cc -O2 -c map.c) && (cd two/three && %cc -O2 -c map.c) && cmp one/map.o two/three/map.o
// RUN: mkdir -p src build && cp %s src/map.c && (cd build && %cc -O2 -c %t/src/map.c -o a.o && strings -a a.o | grep -x %t/src/map.c)
// RUN: (cd build && %cc -O2 -ffile-prefix-map=%t=/project -c %t/src/map.c -o b.o && strings -a b.o | grep -x /project/src/map.c && ! grep -q %t b.o)
// RUN: (cd build && %cc -O2 -c ../src/map.c -o c.o && strings -a c.o | grep -x ../src/map.c)
// RUN: (cd build && %cc -O2 -g -c ../src/map.c -o d.o && strings -a d.o | grep -x ../src/map.c)
// CHECK-DAG: [[NAME:@[a-z_.0-9]+]] = private constant [9 x i8] c"function\00", section "tee_perf_str", align 1
// CHECK-DAG: @tee_perf_map.function = private global { i32, i32, i32, i16, i16 } { i32 trunc {{.*}}, i32 [[@LINE+5]], i16 0, i16 0 }, section "tee_perf_map", align 16
// CHECK-DAG: @tee_perf_image = linkonce_odr hidden global { i32, i32, {{.*}} } { i32 2, i32 56, {{.*}}@__start_tee_perf_map{{.*}}@__stop_tee_perf_map{{.*}}@__start_tee_perf_str{{.*}}@__stop_tee_perf_str{{.*}}, i32 -1, i32 2, {{.*}}@tee_perf_policy{{.*}} }, section "tee_perf_anchor", comdat
// CHECK-DAG: @llvm.global_ctors = {{.*}} { i32 0, {{.*}} @tee_perf_image_init, {{.*}} @tee_perf_image_init
// CHECK-DAG: @llvm.global_dtors = {{.*}} { i32 0, {{.*}} @tee_perf_image_exit, {{.*}} @tee_perf_image_exit
// SECTIONS: @tee_perf_map.function = private global {{.*}} section "tee_perf_map", comdat, align 16
int function(int x)
{
	return x;
}
