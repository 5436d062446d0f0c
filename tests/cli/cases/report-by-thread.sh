recording small
tee-perf report --by thread --sort total
echo
tee-perf report --by process --format csv --limit 3
