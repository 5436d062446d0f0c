recording small
tee-perf info --format json
