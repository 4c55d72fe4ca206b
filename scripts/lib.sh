# Functions shared by this folder's scripts; source it.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The cache folder: test tools and the Ollama server for tests are built once.
test_cache="${XDG_CACHE_HOME:-$HOME/.cache}/mac-stats-test"

# The build tags of tests without a window.
test_tags=ci,migrated_fynedo

say() { printf '%s\n' "$*"; }
fail() {
	printf '%s\n' "$@" >&2
	exit 1
}

# confirm QUESTION asks the person at the terminal; in CI, where nobody can be asked, the
# answer is yes.
confirm() {
	[[ ${CI:-} == true ]] && return 0
	[[ -t 0 ]] || return 1
	local answer
	read -r -p "$1 [y/N] " answer
	[[ $answer == [yY]* ]]
}
