# One bit wrong at every byte: told, and what is whole is shown.
recording small
size=$(stat -c %s tee-perf.data)
python3 - <<'END'
import os, subprocess
data = open("tee-perf.data", "rb").read()
statuses = {}
for i in range(len(data)):
    open("flipped", "wb").write(data[:i] + bytes([data[i] ^ 0x10]) + data[i + 1:])
    run = subprocess.run(["tee-perf", "report", "-i", "flipped"], capture_output=True)
    statuses[run.returncode] = statuses.get(run.returncode, 0) + 1
    if run.returncode not in (0, 3) or len(run.stderr.splitlines()) > 3:
        print(i, run.returncode, run.stderr.decode())
    if run.returncode == 0 and i >= 16:
        print(i, "nobody noticed")
print(sorted(statuses))
END
