// Where the CFA comes from, and a plain refusal of every other target.
// RUN: %cc --target=x86_64-linux-gnu -O1 -S -emit-llvm %s -o - | %check --check-prefix=X86
// RUN: %cc --target=aarch64-linux-gnu -O1 -S -emit-llvm %s -o - | %check --check-prefix=ARM
// RUN: %cc --target=riscv64-linux-gnu -O1 -S -emit-llvm %s -o - | %check --check-prefix=RISCV
// RUN: %cc --target=aarch64-linux-gnu -O2 -c %s -o arm.o
// RUN: %cc --target=riscv64-linux-gnu -O2 -c %s -o riscv.o
// RUN: ! %cc --target=i686-linux-gnu -O1 -c %s -o i686.o 2>message && grep -q "error: tee-perf: no support for the target i686" message && ! test -e i686.o
// RUN: ! %cc --target=x86_64-linux-gnux32 -O1 -c %s -o x32.o 2>message && grep -q "no support for the target x86_64-.*-\?linux-gnux32" message
// RUN: ! %cc --target=x86_64-w64-windows-gnu -O1 -c %s -o win.o 2>message && grep -q "no support for the target" message
// X86: call {{.*}}@llvm.addressofreturnaddress
// X86: getelementptr {{.*}} 8
// ARM: call {{.*}}@llvm.sponentry
// RISCV: call {{.*}}@llvm.frameaddress{{.*}}(i32 0)
int f(int x)
{
	return x + 1;
}
