#!/usr/bin/env bash
# Tests mac-stats on a GNOME Shell and a Plasma that it starts on virtual screens, each with a
# fresh home: icon, menu, window, raising it, notifications, clipboard, dark. Pictures of the
# walks go to artifacts/.
#
#   scripts/desktops.sh [TIMES] [GNOME|Plasma]      number of walks (default 1), which desktop
source "$(dirname "$0")/lib.sh"

scripts/setup.sh systems
make --no-print-directory build
CGO_ENABLED=0 MAC_STATS_TEST_BINARY="$PWD/bin/mac-stats" MAC_STATS_TEST_ARTIFACTS="${ARTIFACTS:-$PWD/artifacts}" \
	go test -count="${1:-1}" -v -trimpath -vet=off -timeout 40m -tags e2e,systems -run "^Test(${2:-GNOME|Plasma})\$" ./app/e2etest
