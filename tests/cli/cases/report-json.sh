recording small
tee-perf report --format json --sort calls --limit 2
