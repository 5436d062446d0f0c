// The return hook stands before a call that the backend turns into a jump, and behind every other.
// RUN: %cc -O2 -S %s -o - | %check
// RUN: %cc -O2 -fno-optimize-sibling-calls -S %s -o - | %check --check-prefix=NOTAIL
int next(int);
int another(int);
long many(long, long, long, long, long, long, long);
long read(int, void *, unsigned long);
struct big {
	long field[9];
};
struct big structure(int);

// CHECK-LABEL: plain:
// CHECK: {{call.*tee_perf_return}}
// CHECK: {{jmp.*next}}
// NOTAIL-LABEL: plain:
// NOTAIL: {{call.*next}}
// NOTAIL: {{call.*tee_perf_return}}
int plain(int x)
{
	return next(x + 1);
}

// Several ways out share one return: each tail call gets its own.
// CHECK-LABEL: shared:
// CHECK-DAG: {{jmp.*next}}
// CHECK-DAG: {{jmp.*another}}
// CHECK: .size shared,
int shared(int x)
{
	__asm__ volatile("");
	if (x > 5)
		return next(x);
	if (x < -5)
		return another(x);
	__asm__ volatile("");
	return x;
}

// Never jne next: the hook is in the way, in a block that is only reached with the call.
// CHECK-LABEL: conditional:
// CHECK-NOT: {{j[a-ln-z]+.*next}}
// CHECK: .size conditional,
void conditional(int x)
{
	if (x)
		next(x);
}

// Not a jump: an argument lies on the stack, a structure is returned, or the callee is the C library's, whose time
// is to show in its caller.
// CHECK-LABEL: on_stack:
// CHECK: {{call.*many}}
// CHECK: {{call.*tee_perf_return}}
// CHECK: ret
long on_stack(long x)
{
	return many(x, x, x, x, x, x, x);
}
// CHECK-LABEL: returns_structure:
// CHECK: {{call.*structure}}
// CHECK: {{call.*tee_perf_return}}
struct big returns_structure(int x)
{
	return structure(x);
}
// CHECK-LABEL: system_call:
// CHECK: {{call.*read}}
// CHECK: {{call.*tee_perf_return}}
long system_call(int fd, void *to)
{
	return read(fd, to, 1);
}
// The result is used: no tail call.
// CHECK-LABEL: used:
// CHECK: {{call.*next}}
// CHECK: {{call.*tee_perf_return}}
int used(int x)
{
	return next(x) + 1;
}
