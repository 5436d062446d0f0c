recording lengths
tee-perf report --format csv --sort name | cut -d, -f 1,2,12,13
tee-perf report --net --format csv --sort name | cut -d, -f 1,2,12,13
