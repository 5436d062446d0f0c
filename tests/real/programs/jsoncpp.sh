# SPDX-License-Identifier: MIT
# JsonCpp: C++ with exceptions, CMake and Ninja.
# shellcheck shell=bash disable=SC2034,SC2154,SC2119,SC2120
package=libjsoncpp

build() {
	cmake -S . -B made -G Ninja -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE=Release \
		-DJSONCPP_WITH_POST_BUILD_UNITTEST=OFF &&
		ninja -C made -j "$jobs"
}

# 119 tests, many of which expect exceptions.
output() {
	"$@" made/bin/jsoncpp_test
}

suite() {
	"$@" ctest --test-dir made --output-on-failure
}
