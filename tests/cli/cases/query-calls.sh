recording small
tee-perf report -q 'select * from calls order by id'
tee-perf report -q "select name, stack from calls where duration_ns >= 1000 and thread = 0 and start_ns > 1500 order by id"
tee-perf report -q "select count(*) from calls where process = 'x'"
tee-perf report -q "select count(*) from calls where duration_ns < 2000.5 and function in (select id from functions where name = 'parse')"
