# A table stays readable: long names are shortened in it, and paths tidied; other formats have them whole.
recording long-names
tee-perf report | sed -n '/^calls/,$p' | sed 's/.*  0 ns  //; s/ *$//'
tee-perf report --format csv | grep -c 'std::vector<std::map<int, std::vector<int> > >'
