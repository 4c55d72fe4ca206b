#!/usr/bin/env bash
# Builds the Ollama server for the tests in the cache folder, once, and prints its path.
# v0.6.5 is the last version that builds as a Go module with only a C++ compiler.
# v0.17.4 is the newest that builds so at all, with C headers that its module lacks.
# MAC_STATS_TEST_OLLAMA names another binary to use.
#
#   scripts/ollama.sh           for any machine, builds quickly
#   scripts/ollama.sh native    for this machine's processor: with real models it is many times faster
#   scripts/ollama.sh newest    the newest server
source "$(dirname "$0")/lib.sh"

version=v0.6.5
[[ ${1:-} != newest ]] || version=v0.17.4
folder="$test_cache/ollama-$version"

if [[ -n ${MAC_STATS_TEST_OLLAMA:-} ]]; then
	[[ -x $MAC_STATS_TEST_OLLAMA ]] || fail "MAC_STATS_TEST_OLLAMA: $MAC_STATS_TEST_OLLAMA is no program"
	say "$MAC_STATS_TEST_OLLAMA"
	exit
fi
if [[ ${1:-} == native ]]; then
	folder+=-native
	flags="-O3 -march=native"
	[[ $(uname -m) != x86_64 ]] || flags+=" -mno-amx-int8" # the module lacks the sources for it
	export CGO_CFLAGS="$flags" CGO_CXXFLAGS="$flags"
fi
if [[ ! -x $folder/ollama ]]; then
	say "Building the Ollama server for tests ($version${1:+, $1}), once; this takes some minutes." >&2
	mkdir -p "$test_cache"
	building=$(mktemp -d "$test_cache/building.XXXXXX")
	trap 'rm -rf "$building"' EXIT
	if [[ ${1:-} == newest ]]; then
		scripts/setup.sh systems >&2
		audio=$(go mod download -json github.com/gen2brain/malgo@v0.11.23 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
		mkdir "$building/miniaudio"
		cp "$audio/miniaudio.h" "$building/miniaudio"
		export CGO_CXXFLAGS="-O2 -I$building"
	fi
	GOBIN="$building" CGO_ENABLED=1 go install "github.com/ollama/ollama@$version"
	mkdir -p "$folder"
	mv "$building/ollama" "$folder/ollama"
fi
say "$folder/ollama"
