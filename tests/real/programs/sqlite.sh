# SPDX-License-Identifier: MIT
# SQLite: configure, libtool and make. Its quick suite is `make quicktest`, which does not run as root.
# shellcheck shell=bash disable=SC2034,SC2154,SC2119,SC2120
package=sqlite3

build() {
	mkdir made && cd made || return
	../configure && make -j "$jobs" sqlite3 testfixture
}

output() {
	"$@" made/sqlite3 :memory: "
		with recursive n(i) as (values(1) union all select i + 1 from n where i < 100000)
			select sum(i * i % 7), count(*), group_concat(distinct i % 5) from n;
		create table t(a integer primary key, b text, c real);
		insert into t select value, printf('%08d', value * 7919 % 100003), value / 3.0
			from generate_series(1, 20000);
		create index t_b on t(b);
		select count(*), max(b), round(sum(c), 3) from t where b > '00005000';
		select a, b from t where b like '%99' order by b limit 5;
		delete from t where a % 3 = 0;
		select count(*), total(a) from t;
		pragma integrity_check;"
}

# Some of its tests fail without instrumentation, too, on a file system with other pages: the same must fail.
suite() {
	as_plain_user "$@" made/testfixture test/extraquick.test >suite.log 2>&1
	grep -E 'errors out of|^!Failures on these tests' suite.log >suite.result
}
