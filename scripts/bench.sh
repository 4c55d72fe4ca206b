#!/usr/bin/env bash
# Runs the benchmarks and prints a table of results beside the promised figures, then
# the proofs by very many random steps. The benchmarks of the built app on a screen
# (app/e2etest) come last. It takes a quarter of an hour; the figures are only right on
# an otherwise idle machine.
#
#   scripts/bench.sh [PACKAGE…]      only these packages' benchmarks
#   RECALL_LARGE=1 scripts/bench.sh ./sessionmem/recall      600,000 messages too
source "$(dirname "$0")/lib.sh"

packages=("$@")
((${#packages[@]})) || mapfile -t packages < <(grep -rlE --include='*_test.go' '^func Benchmark' . | xargs -r -n1 dirname | sort -u | grep -v '^./app/e2etest$')
results=$(mktemp -d)
# The results so far are printed even after a failure or an interruption.
trap 'table; rm -rf "$results"' EXIT

# table: the name, the repetitions, and every value with its unit. A value with a promise
# (unit-promised) gets its own line, with the promise beside it. For values per second more
# is better, for all others less.
table() {
	find "$results" -type f | sort | xargs -r cat | awk '
		/^pkg: / { printf "\n%s\n", $2 }
		/^proof / { sub(/^proof /, "  "); print }
		/^Benchmark/ && !/-promised/ {
			line = sprintf("  %-58s", $1)
			for (i = 3; i < NF; i += 2) line = line sprintf(" %12s %-9s", $i, $(i + 1))
			print line
		}
		/^Benchmark/ && /-promised/ {
			delete value
			for (i = 3; i < NF; i += 2) value[$(i + 1)] = $i
			print "  " $1
			for (i = 3; i < NF; i += 2) {
				unit = $(i + 1)
				if (unit ~ /-promised$|^(ns|B|allocs)\/op$/) continue
				promise = ""
				if ((unit "-promised") in value) {
					promise = "promised " value[unit "-promised"]
					more = $i - value[unit "-promised"]
					if (unit ~ /\/s$/ ? more < 0 : more > 0) { promise = promise "  MISSED"; missed++ }
				}
				printf "    %-24s %12s  %s\n", unit, $i, promise
			}
			for (unit in value)
				if (sub(/-promised$/, "", unit) && !(unit in value)) printf "    %-24s is promised and not measured\n", unit
		}
		END { if (missed) printf "\n%d of the promised figures missed\n", missed }'
}

# proof runs a test with many random steps; make test runs it with a few.
proof() { # NAME PACKAGE VARIABLE=STEPS
	local out code=0
	out=$(mktemp)
	env CGO_ENABLED=0 "$3" go test -tags "$test_tags" -count=1 -timeout 60m -v -run "^$1\$" "$2" >"$out" 2>&1 || code=$?
	if ((code)); then
		grep -E '^ *--- FAIL|^panic|^ {4,}[a-z_]+\.go:[0-9]+: ' "$out" | tail -n 200
		say "All it said is in $out."
		return "$code"
	fi
	{
		printf '\npkg: mac-stats/%s\n' "${2#./}"
		# The result of the test itself, not of its parts.
		awk -v name="$1" '
			/^=== / { of = $3 }
			of == name && sub(/^    [a-z_]+\.go:[0-9]+: /, "proof " name ": ")
			sub("^--- PASS: " name " ", "proof " name " passed ")' "$out"
	} >"$results/2-$1"
	rm -f "$out"
}

((${#packages[@]})) && CGO_ENABLED=0 go test -tags "$test_tags" -timeout 60m -run '^$' -bench . -benchmem "${packages[@]}" | tee "$results/1-packages"
if (($# == 0)); then
	say "100,000 random steps, and 200 kills …"
	proof TestModel ./sessionmem/session MAC_STATS_MODEL_STEPS=100000 &
	model=$!
	proof TestKillStorm ./app/failuretest MAC_STATS_STORM_CYCLES=200 &
	storm=$!
	failed=0
	wait "$model" || failed=1
	wait "$storm" || failed=1
	((!failed)) || exit 1
	scripts/setup.sh test
	make --no-print-directory build
	CGO_ENABLED=0 MAC_STATS_TEST_OLLAMA=$(scripts/ollama.sh) MAC_STATS_TEST_BINARY="$PWD/bin/mac-stats" \
		go test -count=1 -timeout 30m -tags e2e -run '^$' -bench . -skip SideBySide -benchtime 1x ./app/e2etest | tee "$results/3-screen"
fi
