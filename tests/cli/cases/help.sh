tee-perf --version
tee-perf help
tee-perf --help | head -n 1
for command in report info export flamegraph; do
	tee-perf help $command
	tee-perf help $command >a
	tee-perf $command --help >b
	cmp a b
done
tee-perf record --help | head -n 1
