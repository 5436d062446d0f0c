# SPDX-License-Identifier: MIT
# Lua 5.4: make, one process. Debian's package has no test suite but `make test`; the script of bench/ checks itself.
# shellcheck shell=bash disable=SC2034,SC2154,SC2119,SC2120
package=lua5.4

build() {
	# Debian's rules make this header, and its makefile asks for a libtool.
	echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >src/lua5.4-deb-multiarch.h
	mkdir debian/libtool && cp debian/configure.ac debian/libtool/
	(cd debian/libtool && LIBTOOLIZE='libtoolize -i' autoreconf -f -i && ./configure)
	local libtool="$PWD/debian/libtool/libtool --silent"
	# Only its objects can be made in parallel.
	make -C src -j "$jobs" o SYSCFLAGS=-DLUA_USE_LINUX LIBTOOL="$libtool" CC="$CC -std=gnu99" CXX="$CXX"
	make linux LIBTOOL="$libtool" CC="$CC -std=gnu99" CXX="$CXX"
}

output() {
	"$@" src/lua5.4 "$root/bench/workloads/lua_bench.lua" 1
}

suite() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$@" bash -c 'make test LIBTOOL="$PWD/debian/libtool/libtool" && src/lua5.4 "$root/bench/workloads/lua_bench.lua" 1'
}
