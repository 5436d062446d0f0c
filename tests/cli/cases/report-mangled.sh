recording small
tee-perf report --mangled --format csv --sort total --limit 3
