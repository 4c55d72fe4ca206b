#!/usr/bin/env bash
# Tests mac-stats on a Wayland desktop without a screen, at 1.5 pixels per point: the window
# opens, and a second start brings it in front of the window that covers it.
source "$(dirname "$0")/lib.sh"

scripts/setup.sh systems
make --no-print-directory build
CGO_ENABLED=0 MAC_STATS_TEST_BINARY="$PWD/bin/mac-stats" MAC_STATS_TEST_ARTIFACTS="${ARTIFACTS:-$PWD/artifacts}" \
	go test -count=1 -v -trimpath -vet=off -timeout 10m -tags e2e,systems -run '^TestSway' ./app/e2etest
