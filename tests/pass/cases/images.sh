#!/bin/bash
# SPDX-License-Identifier: MIT
# Executables and shared objects, instrumented or not, in every combination: hooks and registrations add up.
# RUN: bash %s %bin %N %hooks %S/..
set -euo pipefail
bin=$1 major=$2 hooks=$3 include=$4
cc=("$bin/tee-perf-cc" -ftee-perf-runtime=none "-I$include" -O2 -fPIC)
plain=("clang-$major" "-I$include" -O2 -fPIC)

cat >part.c <<'END'
static __attribute__((noinline)) int local(int x) { return x + 1; }
int part(int x) { return local(x) * 2; }
END
cat >main.c <<'END'
#include <stdio.h>
int part(int);
static __attribute__((noinline)) int local(int x) { return x + 3; }
int main(void) { return local(part(3)) == 11 ? 0 : 1; }
END
cat >loader.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	for (int i = 0; i < 3; i++) {
		void *object = dlopen("./libpart.so", RTLD_NOW);
		int (*part)(int) = object ? (int (*)(int))dlsym(object, "part") : 0;
		if (!part || part(3) != 8)
			return 1;
		dlclose(object);
	}
	return 0;
}
END

expect() { # calls, images at once, output
	grep -q "^calls $1 returns $1 .* open 0 wrong 0" "$2" || { echo "expected $1 calls:" && cat "$2" && exit 1; }
	test "$(grep -c 'image of' "$2")" = "$3" || { echo "expected $3 images" && cat "$2" && exit 1; }
}
export TRACE=1

"${plain[@]}" -shared "$hooks" -o libhooks.so
link=(-L. -lhooks -Xlinker -rpath -Xlinker "$PWD" -Wl,--no-undefined)

# Both, the program alone, the object alone. Several objects make one image.
"${cc[@]}" -c main.c -o main.o
"${cc[@]}" -c part.c -o part.o
"${plain[@]}" -c main.c -o main.plain.o
"${plain[@]}" -c part.c -o part.plain.o
"${cc[@]}" -shared part.o "${link[@]}" -o libpart.so
"${cc[@]}" main.o -L. -lpart "${link[@]}" -o both && ./both >out && expect 4 out 2
"${plain[@]}" main.plain.o -L. -lpart "${link[@]}" -o object_only && ./object_only >out && expect 2 out 1
"${cc[@]}" main.o part.o "${link[@]}" -o one && ./one >out && expect 4 out 1
"${cc[@]}" main.o part.plain.o "${link[@]}" -o program_only && ./program_only >out && expect 2 out 1
# A plain program that loads an instrumented object, again and again: it registers and unregisters each time.
"${plain[@]}" loader.c "${link[@]}" -o loader
./loader >out
test "$(grep -c 'image of' out)" = 3
test "$(grep -c ' open 0 wrong 0' out)" = 3
# In an archive.
ar rc libarchive.a part.o
"${cc[@]}" main.o libarchive.a "${link[@]}" -o archive && ./archive >out && expect 4 out 1
# With relocatable linking in between.
"${cc[@]}" -r main.o part.o -o joined.o
"${cc[@]}" joined.o "${link[@]}" -o joined && ./joined >out && expect 4 out 1
strip joined && ./joined >out && expect 4 out 1
