recording small
tee-perf report --format csv --sort name
