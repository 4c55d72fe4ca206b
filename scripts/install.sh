#!/usr/bin/env bash
# Installs the built mac-stats on the PATH, or uninstalls it.
#
#   PREFIX=~/.local ./install.sh install | uninstall
#
# On Linux it also installs a menu entry and icons. It works in the source tree
# (scripts/install.sh, after `make build`) and in an unpacked package.
set -euo pipefail

say() { printf '%s\n' "$@"; }
fail() {
	printf '%s\n' "$@" >&2
	exit 1
}

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
prefix="${PREFIX:-$HOME/.local}"
[[ $prefix == /* ]] || fail "PREFIX must be an absolute path: $prefix"
prefix="${prefix%/}"
program="$prefix/bin/mac-stats"
entry="$prefix/share/applications/mac-stats.desktop"
icons="$prefix/share/icons/hicolor"
sizes=(16 22 24 32 48 64 128 256 512)
if [[ -d $here/share ]]; then
	built="$here/bin/mac-stats" hint="unpack the whole package first"
else
	built="${MAC_STATS_BINARY:-$here/../bin/mac-stats}" hint="run \`make build\` first"
fi

# menu_entry prints the entry of the applications menu. In Exec a path must be quoted,
# and % escaped.
menu_entry() {
	local exec="${program//\\/\\\\}"
	exec="${exec//\"/\\\"}"
	exec="${exec//\$/\\\$}"
	exec="${exec//\`/\\\`}"
	exec="${exec//\\/\\\\}" # once more: it is a string of the file's format too
	cat <<-END
		[Desktop Entry]
		Type=Application
		Name=mac-stats
		GenericName=System monitor and agent chat
		Comment=The machine's vitals and a chat with agents on your own Ollama
		Exec="${exec//%/%%}" --window
		Icon=mac-stats
		Terminal=false
		Categories=Utility;System;Monitor;
		Keywords=cpu;ollama;chat;agent;
		StartupNotify=false
		StartupWMClass=mac-stats
	END
}

# put FILE TARGET
put() {
	mkdir -p "$(dirname "$2")"
	install -m 644 "$1" "$2"
}

install_icons() {
	local size
	if [[ -d $here/share ]]; then
		for size in "${sizes[@]}"; do
			put "$here/share/icons/hicolor/${size}x$size/apps/mac-stats.png" "$icons/${size}x$size/apps/mac-stats.png"
		done
		put "$here/share/icons/hicolor/scalable/apps/mac-stats.svg" "$icons/scalable/apps/mac-stats.svg"
	else
		put "$here/../assets/icons/icon.svg" "$icons/scalable/apps/mac-stats.svg"
	fi
	say "installed: $icons/*/apps/mac-stats.*"
}

install_all() {
	[[ -x $built ]] || fail "$built is not there: $hint"
	mkdir -p "$prefix/bin"
	install -m 755 "$built" "$program.new"
	mv -f "$program.new" "$program" # a running process keeps the old file
	say "installed: $program"
	if [[ $(uname -s) == Linux ]]; then
		mkdir -p "$(dirname "$entry")"
		menu_entry >"$entry"
		say "installed: $entry"
		install_icons
	fi
	case ":$PATH:" in
	*":$prefix/bin:"*) say "Start it with: mac-stats" ;;
	*) say "$prefix/bin is not on your PATH: start it as $program, or add to your shell's profile:" "  export PATH=\"$prefix/bin:\$PATH\"" ;;
	esac
}

uninstall_all() {
	local path removed= all=("$program" "$entry" "$icons/scalable/apps/mac-stats.svg")
	for size in "${sizes[@]}"; do
		all+=("$icons/${size}x$size/apps/mac-stats.png")
	done
	for path in "${all[@]}"; do
		if [[ -e $path || -L $path ]]; then
			rm -f "$path"
			say "removed: $path"
			removed=yes
		fi
	done
	[[ $removed ]] || say "Nothing of mac-stats is installed below $prefix."
	say "Your conversations, memory and settings stay in ${MAC_STATS_HOME:-$HOME/.mac-stats}."
}

case "${1:-}" in
install) install_all ;;
uninstall) uninstall_all ;;
*) fail "usage: $0 install | uninstall" ;;
esac
