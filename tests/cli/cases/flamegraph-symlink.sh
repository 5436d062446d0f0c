recording small
echo precious >file
ln -s file flamegraph.svg
tee-perf flamegraph
status=$?
cat file
ls
exit $status
