recording events-then-profile
tee-perf report --sort name
tee-perf report -q 'select path, calls, self_ns, total_ns from stacks order by path'
tee-perf report -q 'select count(*) from calls'
