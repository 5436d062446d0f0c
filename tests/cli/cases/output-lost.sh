# What was printed must have arrived, also where the exit status tells something else; names that are none.
recording small
python3 -c '
data = bytearray(open("tee-perf.data", "rb").read())
data[900] ^= 1
open("flipped", "wb").write(data)'
tee-perf info --check -i flipped 2>&1 >/dev/full | tail -1
tee-perf report >&-; echo $?
tee-perf flamegraph >&-; echo $?
tee-perf report -i ""; echo $?
tee-perf report -i -; echo $?
tee-perf record -o - /bin/true; echo $?
tee-perf record -o "" /bin/true; echo $?
tee-perf report --transitions --query 'SELECT 1'; echo $?
tee-perf report --transition-cost ecall=1us; echo $?
tee-perf report --net --query 'SELECT 1'; echo $?
tee-perf report --limit 99999999999999999999; echo $?
tee-perf record --ring-size 4T /bin/true; echo $?
ls
