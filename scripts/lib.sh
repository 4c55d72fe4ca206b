# Shared by the scripts of this folder; source it.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What is built once and kept: test tools and the Ollama server for tests.
test_cache="${XDG_CACHE_HOME:-$HOME/.cache}/mac-stats-test"

# Build tags of what is tested without a window.
test_tags=ci,migrated_fynedo

say() { printf '%s\n' "$*"; }
fail() {
	printf '%s\n' "$@" >&2
	exit 1
}

# confirm QUESTION: yes where nobody can be asked because it is CI, or where a
# person at the terminal says so.
confirm() {
	[[ ${CI:-} == true ]] && return 0
	[[ -t 0 ]] || return 1
	local answer
	read -r -p "$1 [y/N] " answer
	[[ $answer == [yY]* ]]
}
