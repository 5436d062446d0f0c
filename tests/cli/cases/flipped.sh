# A wrong bit within the events: what comes before and after it is shown, and the exit status says that something is missing.
recording small
python3 -c '
data = bytearray(open("tee-perf.data", "rb").read())
data[900] ^= 1
open("flipped", "wb").write(data)'
tee-perf report -i flipped --sort name
