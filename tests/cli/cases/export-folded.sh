recording small
tee-perf export --format folded
echo
tee-perf export -f folded --by thread --count calls
echo
recording names names.data
tee-perf export -i names.data -f folded -o out.folded
cat out.folded
