#!/usr/bin/env bash
# Builds the packages for which this system has the tools, twice, and checks their content
# with each system's own validator.
source "$(dirname "$0")/lib.sh"

scripts/setup.sh systems
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

rm -rf dist
make --no-print-directory package
cp -r dist "$place/first"
rm -rf dist bin/windows
make --no-print-directory package
(cd dist && shasum -a 256 -c SHA256SUMS)
diff -r "$place/first" dist || fail "Packed twice, the packages differ."
say "Packed twice, they are the same."

dpkg-deb -x dist/*.deb "$place/deb"
dpkg-deb -I dist/*.deb >"$place/control"
desktop-file-validate "$place"/deb/usr/share/applications/*.desktop
appstreamcli validate --no-net "$place"/deb/usr/share/metainfo/*.xml
(cd "$place/deb" && dpkg-deb --ctrl-tarfile "$OLDPWD"/dist/*.deb | tar -xO md5sums | md5sum --quiet -c -)
apt-get install -s -q "$PWD"/dist/*.deb >/dev/null # all dependencies are available
say "The .deb, its menu entry and its description are valid."

CGO_ENABLED=0 go run ./app/bundle darwin bin/mac-stats "$place" >/dev/null
for file in "$place/mac-stats.app/Contents/Info.plist" scripts/macos.entitlements; do
	plistutil -i "$file" -o "$place/binary.plist"
	[[ -s $place/binary.plist ]] || fail "$file is no property list"
done
say "The property lists are valid."

x86_64-w64-mingw32-objdump -p bin/windows/mac-stats.exe | grep 'Subsystem.*(Windows GUI)' >/dev/null || fail "mac-stats.exe opens a console"
mkdir "$place/resources"
wrestool --extract --type=24 --raw --output="$place/manifest" bin/windows/mac-stats.exe
grep -q asInvoker "$place/manifest" || fail "mac-stats.exe has no manifest"
wrestool --extract --type=14 --output="$place/icon.ico" bin/windows/mac-stats.exe
(($(icotool --list "$place/icon.ico" | wc -l) == 6)) || fail "mac-stats.exe has no icon of six sizes"
say "mac-stats.exe has no console, a manifest and an icon."
