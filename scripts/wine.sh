#!/usr/bin/env bash
# Builds mac-stats for Windows and tests it under Wine on a virtual screen: first the tests
# for Windows, then a walk with the icon, the window, a question and its answer, hiding, the
# menu, and quitting. Pictures of the walk go to artifacts/.
#
#   scripts/wine.sh [TIMES]      number of walks (default 1)
source "$(dirname "$0")/lib.sh"

rounds="${1:-1}"
scripts/setup.sh systems
server=$(command -v wineserver || echo /usr/lib/wine/wineserver64)
[[ -x $server ]] || server=/usr/lib/wine/wineserver
[[ -x $server ]] || fail "Wine's server is not where it was looked for: $server"

say "Building for Windows; the first time this takes some minutes."
programs="$PWD/bin/windows"
mkdir -p "$programs"
make --no-print-directory build-windows
export GOFLAGS="$(go env GOFLAGS) -trimpath"
GOOS=windows CGO_ENABLED=0 go build -o "$programs/winhand.exe" ./app/e2etest/winhand

# A separate Wine prefix, kept between runs. Wine 8 lacks a library that Go needs for random
# numbers.
export WINEPREFIX="$test_cache/wine" WINEDEBUG=-all
if [[ ! -f $WINEPREFIX/system.reg ]]; then
	say "Making a Windows for Wine, once."
	DISPLAY= wineboot --init >/dev/null 2>&1
	"$server" -w
fi
library="$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll"
if [[ ! -f $library ]]; then
	printf '%s\n' '#include <windows.h>' 'BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size);' \
		'__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }' |
		x86_64-w64-mingw32-gcc -x c -O1 -shared -o "$library" - -ladvapi32
fi

say "The tests that are of Windows alone"
GOOS=windows CGO_ENABLED=0 xvfb-run -a go test -count=1 -vet=off -exec wine -tags "$test_tags" -run 'Windows|TheRunKey$|EveryKey|IsOpen|Notification' \
	./app/autostart ./app/hotkey/keygrab ./app/desktop ./app/cpuwindow/clipimage ./app/osopen ./sessionmem/wholefile
"$server" -k || true # none of our programs runs any more

say "The walk, $rounds times"
CGO_ENABLED=0 MAC_STATS_TEST_WINDOWS="$programs" MAC_STATS_TEST_WINESERVER="$server" MAC_STATS_TEST_ROUNDS="$rounds" \
	MAC_STATS_TEST_ARTIFACTS="${ARTIFACTS:-$PWD/artifacts}" \
	go test -count=1 -v -vet=off -timeout 60m -tags e2e,systems -run '^TestWine' ./app/e2etest
