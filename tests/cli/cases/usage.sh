for words in '' frob --frob 'report --frob' 'report -x' 'report --sort' 'report --sort best' 'report extra' \
	'report --limit -1' 'report --limit ten' 'flamegraph --min-width wide' 'flamegraph --min-width -1' 'export' \
	'export --format pprof' 'help frob' 'info --format csv'; do
	tee-perf $words
	echo $?
done
