recording names
tee-perf report --sort total
tee-perf report --sort total --format csv >out.csv
python3 -c '
import csv
for row in csv.reader(open("out.csv", newline="", encoding="utf-8")):
    print(len(row), repr(row[12]), repr(row[13]))'
tee-perf report --sort total --format json >out.json
python3 -c '
import json
report = json.load(open("out.json", encoding="utf-8"))
print(repr(report["header"]["command"]), repr(report["header"]["host"]))
for row in report["functions"]:
    print(repr(row["name"]), repr(row["file"]))'
