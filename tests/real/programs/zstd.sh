# SPDX-License-Identifier: MIT
# zstd: make, threads. Its quick suite is `make shortest` in tests/.
# shellcheck shell=bash disable=SC2034,SC2154,SC2119,SC2120
package=libzstd

build() {
	make -C programs zstd CC="$CC" -j "$jobs"
}

# Every source of its library, packed by one thread, packed by two, and unpacked again.
output() {
	cat lib/*/*.c lib/*/*.h >sample
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$@" bash -c 'programs/zstd -q -f -9 --single-thread sample -o one.zst && programs/zstd -q -f -3 -T2 sample -o two.zst &&
		programs/zstd -q -d -c one.zst two.zst | sha256sum && sha256sum one.zst two.zst'
}

suite() {
	"$@" make -C tests shortest CC="$CC"
}
