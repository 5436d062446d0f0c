recording small
mkdir out
tee-perf flamegraph -o out; echo $?
tee-perf flamegraph -o missing/out.svg; echo $?
tee-perf flamegraph -o ''; echo $?
