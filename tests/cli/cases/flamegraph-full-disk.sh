recording small
tee-perf flamegraph -o - >/dev/full; echo $?
tee-perf report >/dev/full; echo $?
tee-perf export -f folded >/dev/full; echo $?
tee-perf info >/dev/full; echo $?
tee-perf help >/dev/full; echo $?
tee-perf report -q 'select * from calls' >/dev/full; echo $?
