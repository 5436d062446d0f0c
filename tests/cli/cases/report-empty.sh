recording empty
tee-perf report
tee-perf report --format csv
tee-perf report --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["functions"])'
tee-perf export --format folded
tee-perf flamegraph && grep -c '</svg>' flamegraph.svg
tee-perf report --query 'select count(*) from calls'
