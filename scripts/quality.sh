#!/usr/bin/env bash
# How well what was said is found again, as a table: by the built program, by category;
# then what each part of the ranking adds. The chats with questions are no part of the
# project.
#
#   MAC_STATS_BENCH=FOLDER scripts/quality.sh      the folder with locomo-*.json and beam-*.json
source "$(dirname "$0")/lib.sh"

if [[ -z ${MAC_STATS_BENCH:-} || ! -d ${MAC_STATS_BENCH:-} ]]; then
	say "Skipped: there is no folder with chats to measure on. Name it with make quality BENCH=FOLDER."
	exit
fi
program=$(mktemp -d)
trap 'rm -rf "$program"' EXIT
CGO_ENABLED=0 go build -tags nogui -trimpath -o "$program/mac-stats" ./app
CGO_ENABLED=0 MAC_STATS_TEST_BINARY="$program/mac-stats" MAC_STATS_BENCH="$(realpath "$MAC_STATS_BENCH")" \
	go test -count=1 -v -vet=off -timeout 2h -tags "$test_tags" -run '^TestQuality$' ./sessionmem/recall |
	sed -E -e '/^(=== |PASS)/d' -e 's/^ *[a-z_]+_test\.go:[0-9]+: //'
