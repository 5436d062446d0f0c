// Nothing instrumented: nothing emitted.
// RUN: %cc -O2 -c %s -o empty.o && ! llvm-nm-%N empty.o | grep tee_perf
int data = 3;
__attribute__((no_instrument_function)) int function(int x)
{
	return x;
}
