#!/usr/bin/env bash
# Installs, or lists, the packages that are missing to build mac-stats; with "test" also
# those for its tests.
#
#   scripts/setup.sh build | test | systems
#
# "systems" is for make test-systems: Wine, a compiler for Windows, Wayland desktops
# without a screen, and package validators.
#
# On Debian and Ubuntu it shows the missing packages and asks before it uses sudo; as root,
# or with CI=true, it installs them at once. On other systems it says what to install.
source "$(dirname "$0")/lib.sh"

purpose="${1:-build}"
[[ $purpose == build || $purpose == test || $purpose == systems ]] || fail "usage: scripts/setup.sh build | test | systems"

build_packages=(
	gcc libc6-dev pkg-config # cgo
	libgl-dev libegl-dev     # the window is drawn with OpenGL
	libx11-dev libxcursor-dev libxi-dev libxinerama-dev libxrandr-dev libxxf86vm-dev
	libwayland-dev libxkbcommon-dev
	ca-certificates          # to fetch Go modules
	libgl1-mesa-dri          # OpenGL on machines without a graphics card
)
test_packages=(
	g++                     # builds the Ollama server for tests
	xvfb xauth openbox      # a screen and a window manager
	dbus                    # a message bus for the tray
	xdotool x11-utils       # types and clicks; inspects windows
	imagemagick             # screenshots
	fonts-dejavu-core       # their text
	procps
	bubblewrap              # the sandbox of RUN_CMD
	gnome-keyring           # the keychain of a test session
)

systems_packages=(
	wine wine64 gcc-mingw-w64-x86-64 binutils-mingw-w64-x86-64 # the program for Windows
	sway grim wtype                                           # Wayland
	gnome-shell gjs gnome-shell-extension-appindicator gnome-settings-daemon xdg-desktop-portal-gnome # GNOME
	plasma-workspace plasma-workspace-wayland plasma-desktop kwin-wayland xdg-desktop-portal-kde plasma-integration breeze breeze-icon-theme
	kde-cli-tools qtwayland5 qml-module-org-kde-kcm qml-module-org-kde-kcoreaddons qml-module-org-kde-kitemmodels # Plasma
	xwayland python3-dbusmock libglib2.0-bin wl-clipboard     # both
	clang gobjc libgnustep-gui-dev                            # Objective-C
	desktop-file-utils appstream libplist-utils icoutils      # the packages' own files
	npm                                                       # the MCP conformance suite and servers
	nlohmann-json3-dev libstb-dev                             # headers of the newest Ollama server
)

check_go() {
	command -v go >/dev/null || fail \
		"Go is not installed. mac-stats needs Go 1.26 or newer: https://go.dev/doc/install" \
		"Any Go from 1.21 on will do: it fetches the right one by itself."
	local version
	version=$(GOTOOLCHAIN=local go env GOVERSION)
	version=${version#go}
	local minor=${version#1.}
	minor=${minor%%[!0-9]*}
	((minor >= 21)) || fail \
		"Go $version is too old: mac-stats needs Go 1.26 or newer: https://go.dev/doc/install" \
		"Any Go from 1.21 on will do: it fetches the right one by itself."
	((minor >= 26)) || say "Go $version will fetch Go 1.26, which mac-stats needs."
	go version >/dev/null || fail \
		"Go $version could not fetch Go 1.26. Install it from https://go.dev/doc/install, then try again."
}

installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

setup_debian() {
	local packages=("${build_packages[@]}") missing=() p
	[[ $purpose == build ]] || packages+=("${test_packages[@]}")
	[[ $purpose == systems ]] && packages+=("${systems_packages[@]}")
	for p in "${packages[@]}"; do
		installed "$p" || [[ $p == npm ]] && command -v npm >/dev/null || missing+=("$p") # Node's own packages have npm in them
	done
	((${#missing[@]})) || return 0
	say "These packages are missing: ${missing[*]}"
	local root=()
	if ((EUID != 0)); then
		root=(sudo)
		confirm "Install them with sudo apt-get?" || fail \
			"Not installed. Do it yourself, then try again:" \
			"  sudo apt-get update && sudo apt-get install ${missing[*]}"
	fi
	"${root[@]}" apt-get update -q
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# can_compile checks that the window's headers and libraries are installed.
can_compile() {
	command -v cc >/dev/null && command -v pkg-config >/dev/null && pkg-config --exists gl || return 1
	local dir
	dir=$(mktemp -d)
	printf '#include <%s>\n' GL/gl.h EGL/egl.h X11/Xlib.h X11/Xcursor/Xcursor.h X11/extensions/XInput2.h \
		X11/extensions/Xinerama.h X11/extensions/Xrandr.h X11/extensions/xf86vmode.h \
		wayland-client.h wayland-cursor.h wayland-egl.h xkbcommon/xkbcommon.h >"$dir/probe.c"
	echo 'int main(void) { return 0; }' >>"$dir/probe.c"
	local ok=0
	cc "$dir/probe.c" -o "$dir/probe" -lGL -lX11 -lXcursor -lXi -lXinerama -lXrandr -lXxf86vm \
		-lwayland-client -lwayland-cursor -lwayland-egl -lxkbcommon 2>"$dir/errors" || ok=1
	rm -r "$dir"
	return "$ok"
}

setup_other_linux() {
	can_compile || fail "A C compiler or the headers of OpenGL, X11 and Wayland are missing. Install
  Fedora:   sudo dnf install gcc pkgconf mesa-libGL-devel mesa-libEGL-devel libX11-devel libXcursor-devel libXi-devel \\
              libXinerama-devel libXrandr-devel libXxf86vm-devel wayland-devel libxkbcommon-devel
  Arch:     sudo pacman -S gcc pkgconf libglvnd libx11 libxcursor libxi libxinerama libxrandr libxxf86vm \\
              wayland libxkbcommon
  openSUSE: sudo zypper install gcc pkgconf Mesa-libGL-devel Mesa-libEGL-devel libX11-devel libXcursor-devel libXi-devel \\
              libXinerama-devel libXrandr-devel libXxf86vm-devel wayland-devel libxkbcommon-devel
or what they are called on your system, then try again."
	[[ $purpose == build ]] && return
	local missing=() tool
	local tools=(g++ Xvfb openbox dbus-daemon xdotool xprop import)
	[[ $purpose == systems ]] && tools+=(wine x86_64-w64-mingw32-gcc sway grim wtype gnome-shell gjs kwin_wayland plasmashell Xwayland wl-paste clang gnustep-config desktop-file-validate appstreamcli plistutil npm)
	for tool in "${tools[@]}"; do
		command -v "$tool" >/dev/null || missing+=("$tool")
	done
	((${#missing[@]} == 0)) || fail "The tests need these programs, which are missing: ${missing[*]}"
}

setup_macos() {
	xcode-select -p >/dev/null 2>&1 || fail \
		"The command line tools of Xcode are missing. Install them with: xcode-select --install"
}

case "$(uname -s)" in
Linux)
	if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
		setup_debian
	else
		setup_other_linux
	fi
	;;
Darwin) setup_macos ;;
*) say "No set-up is known for $(uname -s): a C compiler and Go 1.26 are needed." ;;
esac
check_go
