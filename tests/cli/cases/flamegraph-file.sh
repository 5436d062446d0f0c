recording small
tee-perf flamegraph --title 'A & B'
ls
python3 -c '
import xml.dom.minidom as dom
print(dom.parse("flamegraph.svg").documentElement.tagName)'
grep -c 'boost::vector' flamegraph.svg
tee-perf flamegraph -o - --by thread --icicle --reverse --count calls --min-width 0.5 | grep -c '</svg>'
