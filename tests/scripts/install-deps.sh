#!/bin/bash
# SPDX-License-Identifier: MIT
# scripts/install-deps with stand-ins for dpkg-query, apt-get and apt-cache that record what is asked of them.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/scripts" "$work/bin"
cp "$1/scripts/install-deps" "$work/scripts/"
printf '# comment\nbuild here\nbuild gone\ntest later\n' >"$work/scripts/packages.txt"
export STATE=$work
: >"$work/log"
echo here >"$work/installed"

stand_in() { printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1" && chmod +x "$work/bin/$1"; }
# shellcheck disable=SC2016 # expanded by the stand-ins
{
	stand_in dpkg-query 'for last; do :; done; grep -qx "$last" "$STATE/installed" && echo installed || { echo not-installed; exit 1; }'
	stand_in apt-cache '[ -e "$STATE/listed" ]'
	stand_in sudo 'echo sudo >>"$STATE/log"; shift; exec "$@"'
	stand_in apt-get 'echo "$*" >>"$STATE/log"
case $1 in
update) touch "$STATE/listed" ;;
install) [ -e "$STATE/listed" ] && [ ! -e "$STATE/broken" ] || exit 100
	for word; do case $word in gone | later) echo "$word" >>"$STATE/installed" ;; esac; done ;;
esac'
}
run() { PATH=$work/bin:$PATH "$work/scripts/install-deps" "$@" >"$work/out" 2>&1; }
fail() {
	echo "FAIL: $*" >&2
	cat "$work/log" "$work/out" >&2
	exit 1
}

touch "$work/broken"
if run build; then fail "a failed installation went unnoticed"; fi
grep -q "apt-get install failed" "$work/out" || fail "no clear message"
rm "$work/broken" "$work/listed"
: >"$work/log"
run build || fail "install-deps build"
grep -q "^update" "$work/log" || fail "no update although the lists are empty"
grep -q "^install .* gone$" "$work/log" || fail "did not install exactly what is missing"
: >"$work/log"
run build || fail "second time"
[ ! -s "$work/log" ] || fail "nothing was missing, and apt-get was called"
run test || fail "install-deps test"
grep -q "^install .* later$" "$work/log" || fail "the level test does not add its package"
if grep -q "^update" "$work/log"; then fail "an update although the lists are good"; fi
status=0
run unknown || status=$?
[ "$status" = 2 ] || fail "an unknown level: status $status"
echo "ok"
