# SPDX-License-Identifier: MIT
# Python 3.11: autoconf and make, extension modules that it builds with its own setup.py; an interpreter with its own suite.
# shellcheck shell=bash disable=SC2034,SC2154,SC2119,SC2120
package=python3.11

build() {
	./configure --without-ensurepip && make -j "$jobs"
}

output() {
	"$@" ./python -I -c '
import concurrent.futures, hashlib, json, re, zlib, itertools, asyncio, sqlite3
class Odd(Exception): pass
def pick(n):
    try:
        if n % 3 == 0: raise Odd(n)
        return n
    except Odd as odd: return -odd.args[0]
print(sum(map(pick, range(20000))))
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(list(pool.map(lambda n: hashlib.sha256(b"x" * n).hexdigest()[:8], range(0, 5000, 500))))
print(len(re.findall(r"(\w+)-(\d+)", " ".join(f"word-{n}" for n in range(5000)))))
text = json.dumps({str(n): [n, n / 7] for n in range(2000)})
print(zlib.crc32(zlib.compress(text.encode())), json.loads(text)["999"])
def deep(n): return n and deep(n - 1) + 1
print(deep(900), sorted(itertools.permutations("abcde"))[77])
async def echo(n): await asyncio.sleep(0); return n
async def main(): return sum(await asyncio.gather(*(echo(n) for n in range(500))))
print(asyncio.run(main()))
'
}

# Its tests of the language and of what the interpreter is made of, in parts that are a recording each: every process
# has its own tree of calls, and a report of all in one file has no room for all their stacks (docs/CHECK.md: what it
# checks does not depend on that). Of each file how many cases ran, failed and were skipped; the names of those that
# failed. Left out: what has not been tried yet (docs/REAL-PROGRAMS.md), and a test that expects a thread to have woken
# up within some milliseconds.
suite() {
	local part=0 tests status=0
	: >suite.log
	while read -r tests; do
		part=$((part + 1))
		# shellcheck disable=SC2086 # a list of words
		as_plain_user "${@/%suite.data/suite.$part.data}" ./python -m test -j "$jobs" --timeout 900 -i test_set_and_clear -v $tests </dev/null >>suite.log 2>&1 ||
			status=$?
	done <<-'END'
		test_threading test_thread test_fork1 test_signal
		test_grammar test_builtin test_exceptions test_generators test_coroutines test_dict test_set test_list test_float test_complex test_json test_struct test_array test_functools test_zlib test_contextlib test_asyncgen test_syntax test_deque test_heapq test_bisect test_sort
	END
	sed -n -E 's/.*\[ *[0-9]+\/[0-9/]+\] (test_[a-z0-9_]+ [a-z]+).*/\1/p; s/^(Ran [0-9]+ tests?) in .*/\1/p; /^(OK|FAILED)( \(.*)?$/p; /^(FAIL|ERROR): /p' \
		suite.log | sort >suite.result
	tail -n 30 suite.log
	return $status
}
