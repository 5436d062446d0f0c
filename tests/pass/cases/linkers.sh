#!/bin/bash
# SPDX-License-Identifier: MIT
# Every linker, with and without LTO, with --gc-sections: functions of one image register once, are called as
# often, and an unused one is dropped (by lld with its map entry).
# RUN: bash %s %bin %N %hooks
set -euo pipefail
bin=$1 major=$2 hooks=$3

cat >one.c <<'END'
int two(int);
int unused_function(int x) { return two(x) + 2; }
static __attribute__((noinline)) int same_name(int x) { return two(x) * 3; }
int main(void) { return same_name(4) == 63 ? 0 : 1; }
END
cat >two.c <<'END'
int three(int);
static __attribute__((noinline)) int same_name(int x) { return three(x) + 1; }
__attribute__((noinline)) int two(int x) { return same_name(x) * 2 + 3; }
int unused_too(int x) { return x * 7; }
END
cat >three.cc <<'END'
template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }
inline __attribute__((noinline)) int shared(int x) { return twice(x) / 2; }
extern "C" __attribute__((noinline)) int three(int x) { return shared(x) + twice(0); }
END
cat >four.cc <<'END'
template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }
inline __attribute__((noinline)) int shared(int x) { return twice(x) / 2; }
int unused_four(int x) { return shared(x) + twice(x); }
END
sed -i 's/== 63/== 39/' one.c # two(4) = (4 + 1) * 2 + 3 = 13

try() { # linker, flags
	local linker=$1 entries
	shift
	for source in one.c two.c; do
		"$bin/tee-perf-cc" -O2 -ffunction-sections "$@" -c $source -o "${source%.*}.o"
	done
	for source in three.cc four.cc; do
		"$bin/tee-perf-c++" -O2 -ffunction-sections "$@" -c $source -o "${source%.*}.o"
	done
	"$bin/tee-perf-c++" -ftee-perf-runtime=none -O2 "$@" -fuse-ld="$linker" -Wl,--gc-sections one.o two.o three.o \
		four.o "$hooks" -o program
	TRACE=1 ./program >out || { echo "$linker $*: wrong result" && exit 1; }
	# main, same_name, two, same_name, three, shared, twice, twice: LTO may fold some, never duplicate.
	grep -q ' open 0 wrong 0' out || { echo "$linker $*" && cat out && exit 1; }
	test "$(grep -c 'image of' out)" = 1 || { echo "$linker $*" && cat out && exit 1; }
	case " $* " in
	*" -flto"*) ;;
	*) grep -q '^calls 8 returns 8 ' out || { echo "$linker $*" && cat out && exit 1; } ;;
	esac
	if nm program | grep ' [tT] .*unused'; then
		echo "$linker $*: kept an unused function" && exit 1
	fi
	entries=$(sed -n 's/image of \([0-9]*\) entries/\1/p' out)
	case $linker in
	*lld*) test "$entries" -le 7 || { echo "$linker $*: $entries entries" && exit 1; } ;;
	esac
}

for linker in bfd gold "lld-$major"; do
	try "$linker"
	try "$linker" -flto
	try "$linker" -flto=thin
	try "$linker" -no-pie
	try "$linker" -static
	try "$linker" -O0
done
try bfd -static-pie
try "lld-$major" -static-pie
