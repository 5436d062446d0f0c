#!/bin/bash
# SPDX-License-Identifier: MIT
# The drivers stand in for clang: every form of its command line does what clang's does, silently.
# RUN: bash %s %bin %lib %N %hooks
set -euo pipefail
bin=$1 lib=$2 major=$3 hooks=$4
cc=("$bin/tee-perf-cc" -ftee-perf-runtime=none)
clang=clang-$major

fail() {
	echo "driver: $*"
	exit 1
}
cat >a.c <<'END'
int f(int x) { return x + 1; }
int main(void) { return f(-1); }
END
cat >b.cc <<'END'
#include <string>
int main() { std::string s("x"); return s.size() - 1; }
END
printf '.globl g\ng: ret\n.section .note.GNU-stack,"",@progbits\n' >s.s
printf '#define RETURN ret\n.globl h\nh: RETURN\n.section .note.GNU-stack,"",@progbits\n' >t.S
printf -- '-c\na.c -o "from response.o"' >words
printf '@words' >nested
printf -- '-ftee-perf-min-instructions=1000 -c a.c -o few.o' >own
printf '#define A 1\n' >only.h

# Same exit status and same messages as clang, and clang's warnings as errors find nothing of ours.
same() {
	local ours theirs status=0 expected=0
	ours=$("${cc[@]}" "$@" 2>&1 </dev/null) || status=$?
	theirs=$("$clang" "$@" 2>&1 </dev/null) || expected=$?
	[ $status = $expected ] || fail "status $status instead of $expected: $*: $ours"
	[ "$ours" = "$theirs" ] || fail "other output: $*: $ours"
}
for form in "-c a.c" "-E a.c" "-S a.c" "-c s.s" "-c t.S" "-E t.S" "-c -x c a.c -o x.o" "-M a.c" "-MM a.c" \
	"-MD -MF a.d -c a.c" "--version" "-v" "-dumpversion" "-dumpmachine" "-print-file-name=libc.a" \
	"-print-search-dirs" "--help" "-fsyntax-only a.c" "-c -- a.c" "-xc -c - -o null.o" "" "-c only.h" \
	"-Wall -Wextra -Werror -c a.c" "-Werror -c s.s" "-Werror -c t.S" "-Werror -E a.c" "-Werror -M a.c" \
	"-x c-header only.h -o only.pch" "-xc-header only.h -o only.pch" "only.h -o only.gch" \
	"-include-pch only.pch -x c -c a.c" "-c absent.c" "-c a.c -unknown-option" "@words" "@nested" "-flto -c a.c" "-g -c a.c" "-g0 -Werror -c a.c" \
	"-c a.c s.s t.S" "--analyze a.c" "-fprofile-instr-generate -c a.c" "-r a.o -o r.o" "-S -emit-llvm a.c"; do
	# shellcheck disable=SC2086 # the words are the point
	same $form
done

# Links: what comes out runs and has its hooks.
runs() {
	local expected=$1
	shift
	rm -f program
	"${cc[@]}" -Werror "$@" "$hooks" -o program || fail "cannot link: $*"
	./program >out || fail "does not run: $*"
	grep -q "^calls $expected " out || fail "expected $expected calls: $*: $(cat out)"
}
"${cc[@]}" -c a.c
"$clang" -c s.s t.S
runs 2 a.c
runs 2 a.o
runs 2 a.c s.s t.S
runs 2 -x c a.c -x none s.o
runs 1 -O2 -flto -fuse-ld="lld-$major" a.c
runs 2 -flto=thin -fuse-ld="lld-$major" a.c
runs 2 -static a.c
runs 2 -no-pie a.c
"${cc[@]}" -o program "$hooks" -- a.c
./program | grep '^calls 2 ' >out || fail "--"
"$bin/tee-perf-c++" -ftee-perf-runtime=none b.cc "$hooks" -o program
./program >out || fail "C++"
"$bin/tee-perf-c++" -### b.cc -o b 2>&1 | grep lstdc++ >found || fail "no C++ library"

# The runtime goes to links alone, as something the linker may leave out, with a way to find it.
"$bin/tee-perf-cc" -### a.c -o a 2>links
grep -q "\"$lib/libtee-perf-rt.so\".*\"-rpath\" \"$lib\"" links || fail "no runtime: $(cat links)"
for form in "-c a.c" "-S a.c" "-E a.c" "-r a.o -o r.o" "-fsyntax-only a.c" "--version" "-v" "-M a.c"; do
	# shellcheck disable=SC2086
	"$bin/tee-perf-cc" -### $form 2>&1 | grep libtee-perf && fail "a runtime without a link: $form"
done
"$bin/tee-perf-cc" -static -### a.c 2>&1 | grep -q "\"--whole-archive\" \"$lib/libtee-perf-rt.a\"" || fail "-static"
"$bin/tee-perf-cc" -ftee-perf-runtime=static -### a.c 2>links
grep -q "\"--export-dynamic-symbol\" \"tee_perf_call\"" links || fail "hooks not exported"
"$bin/tee-perf-cc" -ftee-perf-runtime=static -shared -### a.c 2>&1 | grep libtee-perf-rt && fail "a runtime in an object"
"$bin/tee-perf-cc" -shared -fPIC -Wl,--no-undefined a.c -o liba.so || fail "--no-undefined"

# Our options may stand in a response file; wrong ones are refused.
"${cc[@]}" @own
test -e few.o || fail "own options in a response file"
llvm-nm-"$major" few.o | grep tee_perf && fail "option of the response file ignored"
refused() { # message, arguments
	local message=$1
	shift
	if "$@" >out 2>&1; then fail "not refused: $*"; fi
	grep -q "$message" out || fail "other message than '$message': $(cat out)"
}
refused "error: unknown option '-ftee-perf-nonsense'" "${cc[@]}" -ftee-perf-nonsense -c a.c
refused "wrong argument in '-ftee-perf-min-instructions=many'" "${cc[@]}" -ftee-perf-min-instructions=many -c a.c
refused "wrong argument in '-ftee-perf-runtime=dynamic'" "${cc[@]}" -ftee-perf-runtime=dynamic -c a.c
refused "would leave the program without hooks" "${cc[@]}" -flegacy-pass-manager -c a.c
refused "would leave the program without hooks" "${cc[@]}" -O1 -Xclang -disable-llvm-passes -c a.c
"${cc[@]}" -O1 -Xclang -disable-llvm-passes -emit-llvm -c a.c -o raw.bc
"${cc[@]}" -O1 -c raw.bc -o late.o
llvm-nm-"$major" late.o | grep tee_perf_image >found || fail "bitcode that was not optimised yet is not instrumented"
"${cc[@]}" -O1 -emit-llvm -c a.c -o done.bc
"${cc[@]}" -O1 done.bc "$hooks" -o program
./program | grep '^calls 1 returns 1 ' >found || fail "bitcode instrumented twice"
"${cc[@]}" --tee-perf-help | grep -e -ftee-perf-before-inlining >found || fail "no help"

# The right compiler or none.
refused "cannot find the compiler 'clang-99'" env TEE_PERF_CC=clang-99 "${cc[@]}" -c a.c
refused "cannot find the compiler 'clang-98'" "${cc[@]}" --compiler=clang-98 -c a.c
refused "true is neither clang nor gcc" "${cc[@]}" --compiler=true -c a.c
mkdir -p elsewhere/bin elsewhere/lib/tee-perf
cp "$bin/tee-perf-cc" elsewhere/bin/
refused "no plugin for .*clang-$major" elsewhere/bin/tee-perf-cc -c a.c
refused "no clang found that there is a plugin for" env -u TEE_PERF_CC elsewhere/bin/tee-perf-cc -c a.c
# An installation may be moved, and have blanks in its path.
mkdir -p "moved here" && mv elsewhere/* "moved here/"
ln -s "$lib"/tee-perf-pass-"$major".so "$lib"/libtee-perf-rt.so* "moved here/lib/tee-perf/"
"moved here/bin/tee-perf-cc" a.c -o a
./a || fail "moved"
readelf -d a | grep "RUNPATH.*moved here/lib/tee-perf" >found || fail "RUNPATH"
# A plugin for another LLVM: an error, not a crash.
other=''
for plugin in "$lib"/tee-perf-pass-*.so; do
	number=${plugin##*-}
	[ "${number%.so}" = "$major" ] || other=${number%.so}
done
if [ -n "$other" ]; then
	refused "tee-perf: this plugin is for LLVM $other, the compiler is built on LLVM $major" \
		"$clang" -fpass-plugin="$lib/tee-perf-pass-$other.so" -c a.c -o wrong.o
	grep -q -i 'stack dump' out && fail "crash"
	test ! -e wrong.o || fail "went on"
fi

# No process beyond clang's own once the version is known; a cache that cannot be written is no fault.
"${cc[@]}" -c a.c
if command -v strace >/dev/null; then
	strace -f -e trace=execve -o calls "${cc[@]}" -c a.c
	test "$(grep -c execve calls)" = 2 || fail "extra processes: $(cat calls)"
fi
env XDG_CACHE_HOME=/proc/nowhere "${cc[@]}" -c a.c || fail "no cache"
env -u XDG_CACHE_HOME -u HOME "${cc[@]}" -c a.c || fail "no home"

# Preprocessing shows a compiler cache which filter there is.
echo 'exclude function f' >filter
"${cc[@]}" -std=c89 -pedantic -Werror -E -ftee-perf-filter=filter a.c | grep '^# [0-9]* "filter"' >one
echo 'exclude function g' >filter
"${cc[@]}" -E -ftee-perf-filter=filter a.c | grep '^# [0-9]* "filter"' >two
if cmp -s one two; then fail "the filter's contents do not show"; fi

# A shared object that a program with the static runtime loads later.
cat >object.c <<'END'
int object(int x) { return x + 1; }
END
cat >loader.c <<'END'
#include <dlfcn.h>
int main(void)
{
	void *handle = dlopen("./libobject.so", RTLD_NOW);
	int (*object)(int) = handle ? (int (*)(int))dlsym(handle, "object") : 0;
	return object ? object(-1) : 2;
}
END
"$bin/tee-perf-cc" -O1 -fPIC -shared -ftee-perf-runtime=static object.c -o libobject.so
"$bin/tee-perf-cc" -O1 -ftee-perf-runtime=static loader.c -o loader
./loader || fail "object loaded by a program with the static runtime: $?"
