# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For the scripts beside this one, which set bin (tee-perf and the drivers) and counter (count_calls).

fail() {
	echo "$(basename "$0"): $*"
	exit 1
}

# Runs a step of a build quietly.
step() {
	"$@" >step.log 2>&1 || { tail -n 30 step.log && fail "failed: $*"; }
}

# Runs PROGRAM without a recorder and with one: it works, and each call that it says it made is in the recording.
recorded_as_it_says() { # PROGRAM
	local program=$1
	"$program" >said || fail "$program does not run: $?"
	"$bin/tee-perf" record -q -o data -- "$program" >said 2>trouble || fail "under the recorder: $? $(cat trouble)"
	[ ! -s trouble ] || fail "the recorder says: $(cat trouble)"
	"$counter" data >counts
	awk '
		FILENAME == "counts" { calls[$1] += $2; next }
		$1 == "expect" { checked++ }
		$1 == "expect" && calls[$2] + 0 != $3 { print $2 ": recorded " calls[$2] + 0 ", made " $3; bad = 1 }
		END { exit bad || !checked }' counts said || fail "$program: the calls differ"
}

# A private compiler cache, empty.
use_ccache() {
	export CCACHE_DIR=$PWD/ccache CCACHE_CONFIGPATH=$PWD/ccache.conf CCACHE_TEMPDIR=$PWD/ccache/tmp
	unset CCACHE_DISABLE CCACHE_DEPEND CCACHE_NODIRECT CCACHE_PREFIX CCACHE_COMPILERCHECK
	: >ccache.conf
	mkdir -p "$CCACHE_TEMPDIR"
}
# Prints "hits misses" of the cache since the last time, and counts anew.
cache_counts() {
	ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { hit += $2 } $1 == "cache_miss" { miss += $2 }
		END { print hit + 0, miss + 0 }'
	ccache -z >ccache.log
}
