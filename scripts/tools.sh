#!/usr/bin/env bash
# Builds the linters of tools/go.mod in the cache folder, once per version of
# them, and prints the folder.
source "$(dirname "$0")/lib.sh"

key=$({ go env GOVERSION && cat tools/go.mod tools/go.sum tools/vetother/main.go; } | cksum | cut -d' ' -f1)
folder="$test_cache/tools-$key"
if [[ ! -d $folder ]]; then
	say "Building the linters, once; this takes a minute or two." >&2
	mkdir -p "$test_cache"
	building=$(mktemp -d "$test_cache/building.XXXXXX")
	trap 'rm -rf "$building"' EXIT
	(cd tools && GOBIN="$building" go install tool)
	mv "$building" "$folder"
fi
say "$folder"
