recording profile-only
tee-perf report -q 'select count(*) from calls'
status=$?
tee-perf report -q 'select name, calls from functions order by 1'
exit $status
