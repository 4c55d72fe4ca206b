#!/usr/bin/env bash
# Packs mac-stats into dist/: on Linux a tarball with an installer, a .deb, and with
# mingw-w64 a zip for Windows; on a Mac an .app and a disk image. The program's name and
# version come from FyneApp.toml. The same commit gives the same bytes, except for Apple's
# signatures; SHA256SUMS lists the checksums.
#
#   scripts/package.sh                           for this system
#   scripts/package.sh windows                   only the zip
#   scripts/package.sh darwin BINARY             the .app around a program built on a Mac
#
# On a Mac, the .app is signed and notarised if these variables are set; otherwise the step
# is skipped with a message:
#   CODESIGN_IDENTITY     "Developer ID Application: …", in the keychain
#   NOTARY_APPLE_ID, NOTARY_TEAM_ID, NOTARY_PASSWORD     an app-specific password
source "$(dirname "$0")/lib.sh"

system="${1:-$(go env GOOS)}"
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
export SOURCE_DATE_EPOCH

bundle() { CGO_ENABLED=0 GOOS='' GOARCH='' go run ./app/bundle "$@"; }

needs() { [[ -x $1 ]] || fail "$1 is not there: run \`make build\` first"; }

pack_windows() {
	make --no-print-directory build-windows
	bundle windows bin/windows/mac-stats.exe dist amd64
}

# universal builds the program for both Mac architectures.
universal() {
	export MACOSX_DEPLOYMENT_TARGET=12.0 CGO_ENABLED=1
	local arch
	for arch in amd64 arm64; do
		GOARCH=$arch CGO_CFLAGS="-mmacosx-version-min=12.0" CGO_LDFLAGS="-mmacosx-version-min=12.0" \
			make --no-print-directory build
		mv bin/mac-stats "bin/mac-stats-$arch"
	done
	lipo -create -output bin/mac-stats bin/mac-stats-amd64 bin/mac-stats-arm64
}

sign() {
	local app=dist/mac-stats.app
	if [[ -z ${CODESIGN_IDENTITY:-} ]]; then
		codesign --force --sign - "$app"
		say "Signed for this Mac alone: CODESIGN_IDENTITY is not set. On another Mac, open it with Control-click, Open."
		return
	fi
	codesign --force --options runtime --timestamp --entitlements scripts/macos.entitlements --sign "$CODESIGN_IDENTITY" "$app"
	codesign --verify --deep --strict "$app"
}

# notarise FILE works only on a file signed with a Developer ID.
notarise() {
	if [[ -z ${CODESIGN_IDENTITY:-} || -z ${NOTARY_APPLE_ID:-} || -z ${NOTARY_TEAM_ID:-} || -z ${NOTARY_PASSWORD:-} ]]; then
		say "Not notarised: CODESIGN_IDENTITY, NOTARY_APPLE_ID, NOTARY_TEAM_ID and NOTARY_PASSWORD are not all set."
		return
	fi
	xcrun notarytool submit "$1" --apple-id "$NOTARY_APPLE_ID" --team-id "$NOTARY_TEAM_ID" --password "$NOTARY_PASSWORD" --wait
	xcrun stapler staple "$1"
}

disk_image() {
	local version image folder
	version=$(bundle version)
	image="dist/mac-stats-$version-macos.dmg"
	folder=$(mktemp -d)
	cp -R dist/mac-stats.app "$folder/"
	ln -s /Applications "$folder/Applications"
	hdiutil create -quiet -ov -volname "mac-stats $version" -srcfolder "$folder" -format UDZO "$image"
	rm -r "$folder"
	[[ -z ${CODESIGN_IDENTITY:-} ]] || codesign --timestamp --sign "$CODESIGN_IDENTITY" "$image"
	notarise "$image"
	say "$image"
}

sums() {
	(cd dist && find . -maxdepth 1 -type f \( -name '*.tar.gz' -o -name '*.deb' -o -name '*.zip' -o -name '*.dmg' \) |
		sed 's#^\./##' | LC_ALL=C sort | xargs shasum -a 256 >SHA256SUMS)
}

case "$system" in
linux)
	needs bin/mac-stats
	bundle linux bin/mac-stats dist "$(go env GOARCH)"
	bundle debian bin/mac-stats dist "$(go env GOARCH)"
	say "Unpack the tarball, then: ./install.sh install. Or: sudo apt install ./dist/mac-stats_*.deb"
	if command -v x86_64-w64-mingw32-gcc >/dev/null; then
		pack_windows
	else
		say "No zip for Windows: mingw-w64 is not installed (apt install gcc-mingw-w64-x86-64)."
	fi
	say "No .app is made here: its program can be built on a Mac alone (Go and the command line tools of Xcode)."
	say "There, run make package; or bring its bin/mac-stats here: scripts/package.sh darwin <program>"
	sums
	;;
windows)
	pack_windows
	sums
	;;
darwin)
	if [[ -n ${2:-} ]]; then
		needs "$2"
		bundle darwin "$2" dist
	else
		universal
		bundle darwin bin/mac-stats dist
	fi
	if command -v codesign >/dev/null; then
		sign
		disk_image
		sums
	else
		say "It is not signed: on the Mac, run codesign --force --sign - dist/mac-stats.app"
	fi
	;;
*) fail "No package is known for $system: use bin/mac-stats as it is." ;;
esac
