#!/bin/bash
# SPDX-License-Identifier: MIT
# scripts/fetch-source against a repository of two source packages made on the spot, and apt files in both
# formats. Needs no network.
set -euo pipefail

fetch=$1/scripts/fetch-source
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache HOME=$work APT_CONFIG=$work/apt.conf

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

make_package() { # NAME VERSION: a native source package in the repository
	mkdir -p "$work/$1-$2/debian/source"
	cd "$work/$1-$2"
	echo "int main(void) { return 0; }" >"$1.c"
	echo "3.0 (native)" >debian/source/format
	printf '%s (%s) unstable; urgency=low\n\n  * Test.\n\n -- T <t@example.org>  Thu, 01 Jan 2026 00:00:00 +0000\n' \
		"$1" "$2" >debian/changelog
	printf 'Source: %s\nMaintainer: T <t@example.org>\n\nPackage: %s\nArchitecture: any\nDescription: test\n test\n' \
		"$1" "$1" >debian/control
	printf '#!/usr/bin/make -f\n%%:\n' >debian/rules
	(cd "$work/repository" && dpkg-source -b "$work/$1-$2" >/dev/null 2>&1)
}

index() { (cd "$work/repository" && dpkg-scansources . >Sources 2>/dev/null); }

mkdir -p "$work/repository" "$work/etc/parts"
make_package alpha 1.0
make_package beta 2.0
index
cat >"$APT_CONFIG" <<END
Dir::Etc::SourceList "$work/etc/sources.list";
Dir::Etc::SourceParts "$work/etc/parts";
END

# What apt refuses as unsigned must stay refused.
echo "deb file:$work/repository ./" >"$work/etc/sources.list"
if "$fetch" alpha >"$work/out" 2>&1; then fail "an unsigned repository was accepted"; fi
grep -q "cannot download the source of alpha" "$work/out" || fail "no clear message: $(cat "$work/out")"

# One-line format, with options, comments and an inactive line.
printf '# deb nothing ./\n  deb [ trusted=yes ] file:%s ./\n' "$work/repository" >"$work/etc/sources.list"
before=$(cd "$work/etc" && find . -type f -exec sha256sum {} +)
folder=$("$fetch" alpha 2>/dev/null) || fail "one-line format"
[ -f "$folder/alpha.c" ] || fail "alpha is not unpacked in $folder"

# The second time nothing is downloaded: it works without any source.
mv "$work/repository" "$work/away"
[ "$("$fetch" alpha 2>"$work/err")" = "$folder" ] || fail "the cache is not used: $(cat "$work/err")"
mv "$work/away" "$work/repository"
[ "$(cd "$work/etc" && find . -type f -exec sha256sum {} +)" = "$before" ] || fail "the machine's apt files changed"

# deb822 format: continuation lines, a disabled paragraph, several types.
: >"$work/etc/sources.list"
cat >"$work/etc/parts/test.sources" <<END
# a comment
Types: deb
 deb-src
URIs: file:$work/repository
Suites: ./
Trusted: yes

Enabled: no
Types: deb
URIs: file:$work/missing
Suites: ./
END
rm -rf "$work/cache"
folder=$("$fetch" beta 2>"$work/err") || fail "deb822 format: $(cat "$work/err")"
[ -f "$folder/beta.c" ] || fail "beta is not unpacked in $folder"

# A newer version comes with --refresh only.
make_package beta 3.0
index
"$fetch" beta >/dev/null 2>&1
[ "$(dpkg-parsechangelog -l "$folder/debian/changelog" -S Version)" = 2.0 ] || fail "refreshed without being asked"
"$fetch" --refresh beta >/dev/null 2>&1 || fail "--refresh"
[ "$(dpkg-parsechangelog -l "$folder/debian/changelog" -S Version)" = 3.0 ] || fail "--refresh kept the old version"

# Errors, each in one line that says what to do.
expect() { # STATUS TEXT ARGUMENT...
	local status=$1 text=$2 got=0
	shift 2
	"$fetch" "$@" >"$work/out" 2>&1 </dev/null || got=$?
	[ "$got" = "$status" ] || fail "fetch-source $*: status $got, expected $status"
	grep -qF -- "$text" "$work/out" || fail "fetch-source $*: no '$text' in: $(cat "$work/out")"
}
expect 2 usage
expect 2 usage --unknown
expect 2 usage alpha beta
expect 1 "is no name of a Debian package" "../alpha"
expect 1 "cannot download the source of gamma" gamma
rm "$work/etc/parts/test.sources"
rm -rf "$work/cache"
expect 1 "names no mirror" alpha
echo "ok"
