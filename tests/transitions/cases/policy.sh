# What -ftee-perf-policy builds in, and what the driver refuses.
# RUN: bash %s %bin %cc
# REQUIRES: llvm>=14
cc=("${@:2}")
fail() { echo "policy.sh: $*"; exit 1; }
echo 'int f(int x) { return x + 1; }' >f.c
echo 'int f(int); int main(int argc, char **argv) { (void)argv; return f(argc) - 2; }' >main.c

# The words of the section: full plus 1, wait plus 1, ring in bytes (a power of two).
"${cc[@]}" -O1 -ftee-perf-policy=full=drop,wait=3,ring=100000 -c f.c -o f.o || fail "does not compile"
objcopy -O binary --only-section=tee_perf_built_in --set-section-flags tee_perf_built_in=alloc f.o words
[ "$(od -An -v -tu4 words | xargs)" = "2 4 65536 0" ] || fail "built in: $(od -An -v -tu4 words)"

# One policy, however many objects; two do not link.
"${cc[@]}" -O1 -ftee-perf-policy=full=drop,wait=3,ring=100000 -c main.c -o main.o || fail "does not compile"
link=("$1/tee-perf-cc" -ftee-perf-runtime=static)
"${link[@]}" f.o main.o -o one 2>log || fail "one policy: $(cat log)"
./one || fail "one policy: exit status $?"
[ "$(objdump -h one | grep -c ' tee_perf_built_in ')" = 1 ] || fail "no section"
"${cc[@]}" -O1 -c main.c -o main.o || fail "does not compile"
"${link[@]}" f.o main.o -o mixed 2>log || fail "a policy and none: $(cat log)"
"${cc[@]}" -O1 -ftee-perf-policy=full=wait -c main.c -o main.o || fail "does not compile"
"${link[@]}" f.o main.o -o two 2>log && fail "two policies link"
grep -q tee_perf_policy log || fail "the linker does not name it: $(cat log)"

for wrong in full=later full= wait= wait=maybe ring=1 ring=16K ring=99999999999 '' size=1 full=drop, full=drop,,wait=no; do
	"${cc[@]}" "-ftee-perf-policy=$wrong" -c f.c -o wrong.o 2>log && fail "takes '$wrong'"
	grep -q 'full=wait|drop|overwrite' log || fail "'$wrong': $(cat log)"
done
# What gcc cannot do is refused, not left out.
for option in -ftee-perf-policy=full=drop -ftee-perf-ocalls=f -ftee-perf-ecalls=f -ftee-perf-external-calls=ocalls; do
	"$1/tee-perf-cc" --compiler=gcc "$option" -c f.c -o gcc.o 2>log && fail "gcc takes $option"
	grep -q 'needs clang' log || fail "gcc, $option: $(cat log)"
done
for wrong in -ftee-perf-ocalls= -ftee-perf-ecalls -ftee-perf-ocalls='a;b'; do
	"${cc[@]}" "$wrong" -c f.c -o wrong.o 2>log && fail "takes '$wrong'"
done
exit 0
