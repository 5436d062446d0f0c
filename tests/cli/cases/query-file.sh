recording small
echo "select name, calls from functions where calls > 1 order by name;" >q.sql
tee-perf report --query @q.sql
tee-perf report --query @q.sql --format csv
tee-perf report --query @q.sql --format json
tee-perf report --query 'select 1 as a, 2 as a, null as b, 0.5 as c, "x" as d' --format json
