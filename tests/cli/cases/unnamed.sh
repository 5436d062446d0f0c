recording unnamed
tee-perf info
