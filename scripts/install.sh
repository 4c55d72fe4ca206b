#!/usr/bin/env bash
# Puts the built mac-stats where the shell finds it, or takes it away again.
#
#   PREFIX=~/.local scripts/install.sh install | uninstall
#
# On Linux a menu entry and an icon go with it.
source "$(dirname "$0")/lib.sh"

prefix="${PREFIX:-$HOME/.local}"
[[ $prefix == /* ]] || fail "PREFIX must be an absolute path: $prefix"
prefix="${prefix%/}"
program="$prefix/bin/mac-stats"
entry="$prefix/share/applications/mac-stats.desktop"
icon="$prefix/share/icons/hicolor/scalable/apps/mac-stats.svg"
built="${MAC_STATS_BINARY:-bin/mac-stats}"

# menu_entry prints the entry of the applications menu. In Exec a path is quoted,
# and % means something.
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
		Comment=The machine's vitals and a chat with agents on your own Ollama
		Exec="${exec//%/%%}" --window
		Icon=mac-stats
		Terminal=false
		Categories=Utility;System;Monitor;
		StartupNotify=false
	END
}

install_all() {
	[[ -x $built ]] || fail "$built is not there: run \`make build\` first"
	mkdir -p "$prefix/bin"
	install -m 755 "$built" "$program.new"
	mv -f "$program.new" "$program" # a running one keeps its own
	say "installed: $program"
	if [[ $(uname -s) == Linux ]]; then
		mkdir -p "$(dirname "$entry")" "$(dirname "$icon")"
		menu_entry >"$entry"
		install -m 644 assets/icons/icon.svg "$icon"
		say "installed: $entry" "installed: $icon"
	fi
	case ":$PATH:" in
	*":$prefix/bin:"*) say "Start it with: mac-stats" ;;
	*) say "$prefix/bin is not on your PATH: start it as $program, or add to your shell's profile:" "  export PATH=\"$prefix/bin:\$PATH\"" ;;
	esac
}

uninstall_all() {
	local path removed=
	for path in "$program" "$entry" "$icon"; do
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
*) fail "usage: scripts/install.sh install | uninstall" ;;
esac
