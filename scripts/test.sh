#!/usr/bin/env bash
# Runs all checks, the quickest to fail first, and prints the time of each step at the end.
# It stops at the first step that fails; with KEEP_GOING=1 or CI=true it continues and
# reports all failures.
#
#   scripts/test.sh [STEP…]      only these steps
source "$(dirname "$0")/lib.sh"

fuzz_time="${FUZZ_TIME:-2s}"
keep_going="${KEEP_GOING:-}"
[[ ${CI:-} == true ]] && keep_going=1

# Without the path of this checkout in binaries, all checkouts share the build cache.
GOFLAGS="$(go env GOFLAGS) -trimpath"
export GOFLAGS

steps=(setup tidy format vet lint build unit race ollama e2e) # fuzz only on request: its finds are chance

step_setup() {
	scripts/setup.sh test
	scripts/tools.sh
	scripts/ollama.sh
}

step_tidy() {
	go mod tidy -diff
	(cd tools && go mod verify)
}

step_format() {
	local unformatted
	unformatted=$("$(scripts/tools.sh)/gofumpt" -l .)
	[[ -z $unformatted ]] || fail "Not formatted (make fmt does it):" "$unformatted"
}

# Other systems are vetted without cgo, with the window where pure Go allows it, and without
# compiling the dependencies for them. Without a window only the packages differ that have files
# for it.
step_vet() {
	local system windowless
	windowless=$(grep -rlE --include='*.go' '^//go:build .*nogui' app agents sessionmem | xargs dirname | sort -u | sed 's|^|./|')
	for system in linux windows darwin; do
		vet "$system" "$test_tags" ./...
		# shellcheck disable=SC2086 # one argument per package
		vet "$system" "nogui,$test_tags" $windowless
	done
}

vet() { # SYSTEM TAGS PACKAGE…
	say "go vet for $1, -tags $2"
	if [[ $1 == "$(go env GOHOSTOS)" ]]; then
		CGO_ENABLED=0 go vet -tags "$2" "${@:3}"
	else
		GOOS=$1 CGO_ENABLED=0 "$(scripts/tools.sh)/vetother" -tags "$2" "${@:3}"
	fi
}

step_lint() {
	CGO_ENABLED=0 "$(scripts/tools.sh)/golangci-lint" run
}

step_build() {
	make --no-print-directory build build-nogui
	local linked
	linked=$(go list -deps -tags nogui ./app | grep -E '^fyne\.io/|/go-gl/' || true)
	[[ -z $linked ]] || fail "The nogui build links a window system:" "$linked"
}

# More packages and tests in parallel than processors, because many of them wait for a
# server, a debounce or a disk. Another step vets them.
test_flags=(-vet=off -p 4 -parallel 8 -timeout 20m -tags "$test_tags")

# postgres enables the tests of the memory server if PostgreSQL is available.
postgres() {
	MAC_STATS_TEST_POSTGRES=$(scripts/postgres.sh) || true # it reports what is skipped
	export MAC_STATS_TEST_POSTGRES
}

# unit leaves the packages to race of which that runs every test in full, unless it is to run
# without race.
step_unit() {
	local packages
	in_memory
	postgres
	packages=$(go list -tags "$test_tags" ./... | sort)
	if [[ " ${steps[*]} " == *" race "* ]]; then
		packages=$(comm -23 <(echo "$packages") <(comm -23 <(raced) <(shortened)))
	fi
	# shellcheck disable=SC2046 # one argument per package
	CGO_ENABLED=0 go test "${test_flags[@]}" $(slowest_first "$packages")
}

# With -short, random models take fewer steps and measurements are smaller. A program with
# the race detector sleeps for a second before it ends, unless GORACE says otherwise, and
# tests start many. SQLite itself is left out: no two goroutines share a connection, and watching
# it triples the tests' processor time. Only translated C may be left out, because generic
# functions of the standard library that another package compiles are used by all. CI shuffles the
# tests; elsewhere Go keeps the results of unchanged packages, which it doesn't of shuffled ones.
step_race() {
	local packages flags=(-race -short "-gcflags=modernc.org/sqlite/lib=-race=false")
	[[ ${CI:-} == true ]] && flags+=(-shuffle=on)
	in_memory
	postgres
	packages=$(raced)
	# shellcheck disable=SC2046 # one argument per package
	GORACE="atexit_sleep_ms=50 ${GORACE:-}" go test "${flags[@]}" "${test_flags[@]}" $(slowest_first "$packages")
}

# raced prints the packages that are tested with the race detector. Left out are
# - packages that are tested with a window, because the toolkit's test driver runs the code
#   for its single goroutine on any goroutine,
# - failuretest, which runs the built program, built without the race detector,
# - packages whose tests start themselves as the reader of PDFs, whose limit of memory the race
#   detector's own exceeds,
# - bundle, markdown and reply, which start no goroutine and have no state that two could share.
raced() {
	go list -tags "$test_tags" -f '{{.ImportPath}} {{join .Deps " "}}' ./... |
		grep -v ' fyne\.io/fyne/' | cut -d' ' -f1 | grep -vE '/(app/failuretest|app/bundle|app/ui/markdown|agents/reply|agents/fetch|sessionmem/attach|sessionmem/pdftext)$' | sort
}

# shortened prints the packages with tests that do less with -short or with the race detector.
shortened() {
	grep -rlE --include='*.go' 'testing\.Short\(\)|^//go:build .*!race' app agents sessionmem |
		xargs dirname | sed "s|^|$(go list -m)/|" | sort -u
}

# slowest_first prints the packages with those at the beginning that take longest, so that
# none of them runs alone at the end.
slowest_first() {
	local slow='/(failuretest|discord|backend|recall|agents|command|cpuwindow|session)$'
	grep -E "$slow" <<<"$1"
	grep -vE "$slow" <<<"$1"
}

# in_memory keeps the tests' folders in memory if there is enough of it, because they write
# and sync thousands of small files. The folder is the same for each run of a checkout: where
# temporary files lie is part of what Go keeps results by. MAC_STATS_TEST_DISK=1 leaves the
# folders on the disk.
in_memory() {
	local shm=/dev/shm free held
	[[ -z ${MAC_STATS_TEST_DISK:-} && -z ${TMPDIR:-} && -w $shm ]] || return 0
	free=$(df -Pk "$shm" | awk 'NR == 2 {print $4}')
	((free > 4 << 20)) || return 0
	memory=$shm/$(pwd | cksum | cut -c1-6) # short, because a socket's path must be
	mkdir -p "$memory"
	exec {held}<"$memory"
	flock -s "$held"
	mkdir -p "$memory"  # an earlier run may just have removed it
	chmod 755 "$memory" # where permissions matter, another user runs the program
	# shellcheck disable=SC2064 # now
	trap "flock -xn $held && rm -rf '$memory'" EXIT # unless another run of this checkout uses it
	printf '#!/bin/sh\n' >"$memory/runs"
	chmod +x "$memory/runs"
	"$memory/runs" 2>/dev/null || return 0 # programs may not run there
	export TMPDIR=$memory
}

# The unit tests run the seeds and earlier finds; this searches for new ones (make fuzz).
step_fuzz() {
	local file target found=0
	while IFS=: read -r file target; do
		found=$((found + 1))
		target=${target#func }
		target=${target%%(*}
		say "$target in $(dirname "$file")"
		CGO_ENABLED=0 go test -tags "$test_tags" -run '^$' -fuzz "^$target\$" -fuzztime "$fuzz_time" -fuzzminimizetime 20x "./$(dirname "$file")"
	done < <(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*\(' . | sort)
	((found > 0)) || fail "There is no fuzz target, which can't be."
}

# The two run at once, because they wait for their servers most of the time.
step_ollama() {
	local binary turns code=0
	binary=$(scripts/ollama.sh)
	in_memory
	export CGO_ENABLED=0 MAC_STATS_TEST_OLLAMA=$binary
	go test -count=1 -vet=off -parallel 3 -tags realollama ./agents/testkit/... &
	turns=$!
	go test -count=1 -vet=off -tags "realollama,$test_tags" -run '^TestRealOllama' ./app/failuretest || code=$?
	wait "$turns" && return "$code"
}

# compile_opengl compiles the window's OpenGL binding while other steps run: an empty cache
# takes one processor minutes for it. What goes wrong is reported by the step build.
compile_opengl() {
	go build github.com/go-gl/gl/v2.1/gl >/dev/null 2>&1 &
	# shellcheck disable=SC2064 # now
	trap "kill $! 2>/dev/null || true" EXIT
}

step_e2e() {
	make --no-print-directory e2e
}

run_step() { (
	set -e
	"step_$1"
); }

report() {
	say "" "step        result    time"
	local line
	for line in "${results[@]}"; do
		# shellcheck disable=SC2086 # three words
		printf '%-10s  %-6s  %3d:%02d\n' $line
	done
}

(($# == 0)) || steps=("$@")
results=()
failed=0
for step in "${steps[@]}"; do
	declare -F "step_$step" >/dev/null || fail "There is no step $step."
	say "" "== $step"
	started=$SECONDS
	[[ $step == build ]] && wait
	set +e
	run_step "$step"
	code=$?
	set -e
	took=$((SECONDS - started))
	result=ok
	if ((code != 0)); then
		result=FAILED
		failed=1
	fi
	[[ $step == setup ]] && compile_opengl
	results+=("$step $result $((took / 60)) $((took % 60))")
	((failed == 0)) || [[ -n $keep_going ]] || break
done
report
exit "$failed"
