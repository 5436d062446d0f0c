recording small
tee-perf info
