# SPDX-License-Identifier: MIT
# Redis: make with bundled libraries; threads, fork, a network server. Its suite is written in Tcl.
# shellcheck shell=bash disable=SC2034,SC2154,SC2119,SC2120
package=redis

build() {
	make -j "$jobs" CC="$CC" MALLOC=libc USE_SYSTEMD=no CFLAGS=-I/usr/include/liblzf LDFLAGS=-llzf
}

# A server on a socket of its own, clients, a background save (a fork), and an orderly end.
output() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$@" bash -c '
		rm -f dump.rdb
		src/redis-server --port 0 --unixsocket "$PWD/s" --daemonize no --save "" --logfile server.log --dir . &
		cli() { src/redis-cli -s s "$@"; }
		for _ in $(seq 100); do cli ping >ready 2>&1 && grep -q PONG ready && break; sleep 0.1; done
		for i in $(seq 30); do cli set "key:$i" "$((i * i))"; done | sort | uniq -c
		cli lpush list c a b >pushed; cat pushed
		cli sort list alpha
		cli eval "local s = 0 for i = 1, 100000 do s = s + i % 7 end return s" 0
		cli zadd zset 3 three 1 one 2 two
		cli zrange zset 0 -1 withscores
		src/redis-benchmark -s s -q -n 20000 -t set,get,incr,lpush >benchmark
		cli dbsize
		cli bgsave >saved; for _ in $(seq 100); do cli info persistence | grep -q "rdb_bgsave_in_progress:0" && break; sleep 0.1; done
		cli shutdown nosave
		wait'
}

suite() {
	local status=0
	"$@" ./runtest --clients 2 --single unit/type/string --single unit/type/list --single unit/type/hash \
		--single unit/type/zset --single unit/scripting --single unit/expire --single unit/scan --single unit/multi \
		>suite.log || status=$?
	sed -n -E 's/.*\[(ok|err|exception|skip|ignore|timeout)\]: (.*)/\1 \2/p' suite.log | sed -E 's/ \([0-9]+ ms\)$//' | sort >suite.result
	tail -n 30 suite.log
	return "$status"
}
