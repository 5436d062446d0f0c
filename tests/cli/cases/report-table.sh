recording small
tee-perf report
