recording small
tee-perf report --net --format csv --sort name | cut -d, -f 1,2,4,12,13
