#!/usr/bin/env bash
# Prints a table of what mac-stats costs, hidden and open, compared with Debian's system
# monitors, all with one reading per second, in the same minute on the same screen.
# Installs those monitors (Debian and Ubuntu).
source "$(dirname "$0")/lib.sh"

monitors=(conky-std gkrellm gnome-system-monitor xfce4-panel xfce4-systemload-plugin)
missing=()
for p in "${monitors[@]}"; do
	[[ $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) == installed ]] || missing+=("$p")
done
if ((${#missing[@]})); then
	command -v apt-get >/dev/null || fail "Not installed: ${missing[*]}. They are installed by this script on Debian and Ubuntu alone."
	say "These packages are missing: ${missing[*]}"
	root=()
	if ((EUID != 0)); then
		root=(sudo)
		confirm "Install them with sudo apt-get?" || fail "Not installed. Do it yourself, then try again: sudo apt-get install ${missing[*]}"
	fi
	"${root[@]}" apt-get update -q
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
fi
scripts/setup.sh test
make --no-print-directory build
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
go build -tags migrated_fynedo,no_animations -o "$empty/emptywindow" ./app/desktop/emptywindow
CGO_ENABLED=0 MAC_STATS_TEST_OLLAMA=$(scripts/ollama.sh) MAC_STATS_TEST_BINARY="$PWD/bin/mac-stats" MAC_STATS_TEST_EMPTY="$empty/emptywindow" \
	go test -count=1 -timeout 20m -tags e2e -run '^$' -bench 'SideBySide' -benchtime 1x -v ./app/e2etest | grep -E '^ *\||FAIL|_test.go.*:|load'
