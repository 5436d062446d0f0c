tee-perf report; echo $?
echo hello >text
tee-perf report -i text; echo $?
: >nothing
tee-perf info -i nothing; echo $?
tee-perf export -f folded -i .; echo $?
mkfifo pipe
tee-perf flamegraph -i pipe; echo $?
recording small
head -c 12 tee-perf.data >cut
tee-perf report -i cut; echo $?
{ head -c 8 tee-perf.data; printf '\11\0\0\0\0\0\0\0'; } >version
tee-perf report -i version; echo $?
