recording trouble
tee-perf report
