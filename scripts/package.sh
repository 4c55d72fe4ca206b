#!/usr/bin/env bash
# Packs mac-stats into dist/: on Linux a tarball with an installer, on a Mac an .app.
# What the program is called and its version come from FyneApp.toml.
#
#   scripts/package.sh                           for this system
#   scripts/package.sh darwin BINARY             the .app around a program built on a Mac
source "$(dirname "$0")/lib.sh"

system="${1:-$(go env GOOS)}"
binary="${2:-bin/mac-stats}"
[[ -x $binary ]] || fail "$binary is not there: run \`make build\` first"

bundle() { CGO_ENABLED=0 go run ./app/bundle "$@"; }

case "$system" in
linux)
	bundle linux "$binary" dist "$(go env GOARCH)"
	say "Unpack it, then: ./install.sh install"
	say "No .app is made here: its program can be built on a Mac alone (Go and the command line tools of Xcode)."
	say "There, run make package; or bring its bin/mac-stats here: scripts/package.sh darwin <program>"
	;;
darwin)
	bundle darwin "$binary" dist
	if command -v codesign >/dev/null; then
		codesign --force --sign "${CODESIGN_IDENTITY:--}" dist/mac-stats.app
	else
		say "It is not signed: on the Mac, run codesign --force --sign - dist/mac-stats.app"
	fi
	;;
*) fail "No package is known for $system: use bin/mac-stats as it is." ;;
esac
