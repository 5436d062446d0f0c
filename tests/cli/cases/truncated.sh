# Cut at every byte: a report, or one clear line; never a crash.
recording small
size=$(stat -c %s tee-perf.data)
for ((i = 0; i < size; i += 1)); do
	head -c $i tee-perf.data >cut
	tee-perf report -i cut >out 2>err
	status=$?
	[ $status -eq 0 ] || [ $status -eq 3 ] || echo "$i: status $status"
	[ $status -eq 0 ] && ! grep -q warning err && echo "$i: no warning"
	[ "$(wc -l <err)" -eq 1 ] || { echo "$i:"; cat err; }
done
echo done
