#!/usr/bin/env bash
# Checks the Objective-C code for macOS on any system with clang: its syntax, and the names
# and types of what it calls, against headers written from Apple's documentation.
source "$(dirname "$0")/lib.sh"

headers=app/desktop/testdata/macos
check() {
	clang -target x86_64-apple-macos12 -fsyntax-only -fobjc-arc -fblocks -Wall -Wextra -Werror -Wno-unused-parameter \
		-nostdinc -isystem "$(clang -print-resource-dir)/include" -I "$headers" -I "$(dirname "$1")" -x objective-c "$1"
}
for file in app/*/*_darwin.m; do
	check "$file"
	say "checked: $file"
done

# Prove that the check can fail.
wrong=$(mktemp -d)
trap 'rm -rf "$wrong"' EXIT
cp app/desktop/cocoa_darwin.h "$wrong/"
sed 's/replyToApplicationShouldTerminate:YES/replyToApplicationShouldTerminated:YES/' app/desktop/cocoa_darwin.m >"$wrong/cocoa_darwin.m"
! check "$wrong/cocoa_darwin.m" 2>/dev/null || fail "A misspelt method is not found: the check checks nothing."
