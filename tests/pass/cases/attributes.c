// A function that calls hooks touches memory: what said otherwise is gone from it and from calls of it.
// RUN: %cc -O2 -S -emit-llvm %s -o - | %check
// RUN: %cc -O2 -ftee-perf-before-inlining -fno-inline -S -emit-llvm %s -o - | %check
// RUN: %cc -O2 -flto -S -emit-llvm %s -o - | %check
// RUN: %cc -O2 -c -flto %s -o attributes.o && %cc -O2 -flto -fuse-ld=lld-%N attributes.o -x c %S/attributes_main.inc -x none %hooks -o program && ./program
// CHECK-LABEL: define {{.*}}@squares(
// CHECK-SAME: [[OF_SQUARE:#[0-9]+]] {
// CHECK-LABEL: define {{.*}}@inferred(
// CHECK-SAME: [[OF_INFERRED:#[0-9]+]] {
// CHECK-LABEL: define {{.*}}@calls(
// CHECK: call {{.*}}@squares({{.*}}) [[CALL:#[0-9]+]]
__attribute__((noinline, const)) int squares(int x)
{
	return x * x;
}
__attribute__((noinline)) int inferred(int x)
{
	return x * 7 + 1;
}
int calls(int x)
{
	return squares(x) + inferred(x);
}
// CHECK-NOT: attributes [[OF_SQUARE]] = {{.*(readnone|memory\(none|willreturn|nosync|nofree)}}
// CHECK-NOT: attributes [[OF_INFERRED]] = {{.*(readnone|memory\(none|willreturn|nosync|nofree)}}
// CHECK-NOT: attributes [[CALL]] = {{.*(readnone|memory\(none)}}
