# Cut within the events: what is there is shown, with a warning. (tests/analyzer/test_damage.c cuts at every byte.)
recording small
head -c 1000 tee-perf.data >cut
tee-perf report -i cut --format csv --sort name
echo $?
head -c 100 tee-perf.data >cut
tee-perf info -i cut
echo $?
