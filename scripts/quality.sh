#!/usr/bin/env bash
# Walks through chat, memory, transcript and search with a real Ollama server and real small
# models, which it downloads, and measures how long a conversation of 40 turns waits for its first
# tokens: nothing else should compute meanwhile.
#
#   scripts/quality.sh
#
# With a folder of test conversations, which are not part of the project, it also prints a
# table of how well the built program finds messages again, by category, and what each part of
# the ranking adds.
#
#   MAC_STATS_BENCH=FOLDER scripts/quality.sh            search by words; FOLDER has locomo-*.json and beam-*.json
#   MAC_STATS_BENCH=FOLDER scripts/quality.sh model      also by meaning and by both, with a real
#                                                        embedding model: half an hour on two
#                                                        processors
#
# It also measures how well a model does the app's work, with tasks of our own on any Ollama
# server (see app/quality). Without OLLAMA_HOST it downloads the model smollm2 and starts a
# server for it.
#
#   scripts/quality.sh chat MODEL [SMALL] [EMBED] [TIER] [ONLY] [MORE FLAGS]
#   scripts/quality.sh compare RESULTS RESULTS
source "$(dirname "$0")/lib.sh"

# serve starts a server with the small real models.
serve() {
	local ollama
	ollama=$(scripts/ollama.sh native)
	export OLLAMA_HOST=127.0.0.1:21435
	HOME="$work" OLLAMA_MODELS="$work/models" "$ollama" serve >"$work/server.log" 2>&1 &
	server=$!
	for ((i = 0; i < 100; i++)); do
		curl -sf "http://$OLLAMA_HOST/api/version" >/dev/null && break
		sleep .1
	done
	scripts/models.sh create "$OLLAMA_HOST"
}

work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$work"' EXIT

case ${1:-} in
compare)
	CGO_ENABLED=0 go run -tags nogui ./app/quality "$@"
	exit
	;;
chat)
	[[ -n ${OLLAMA_HOST:-} || $2 != smollm2 ]] || serve
	# shellcheck disable=SC2086 # several flags
	CGO_ENABLED=0 go run -tags nogui ./app/quality run -model "$2" -small "${3:-}" -embed "${4:-}" -tier "${5:-auto}" \
		-only "${6:-}" -label "${MAC_STATS_QUALITY_LABEL:-}" ${7:-}
	exit
	;;
esac

say "== the main job, with real models"
ollama=$(scripts/ollama.sh native)
CGO_ENABLED=0 MAC_STATS_TEST_OLLAMA=$ollama go test -count=1 -v -vet=off -timeout 1h -tags "realollama,$test_tags" \
	-run '^(TestTheMainJobWithRealModels|TestALongConversationStaysFast)$' ./app/failuretest

if [[ -z ${MAC_STATS_BENCH:-} ]]; then
	say "Search isn't measured: name a folder with chats, with make quality BENCH=FOLDER."
	exit
fi
[[ -d $MAC_STATS_BENCH ]] || fail "There is no folder $MAC_STATS_BENCH."
say "== search"
if [[ ${1:-} == model ]]; then
	serve
	export MAC_STATS_TEST_EMBEDDINGS=1 MAC_STATS_OLLAMA_EMBED_MODEL=all-minilm
else
	export OLLAMA_HOST=127.0.0.1:1 # no server: the index makes no vectors
fi
CGO_ENABLED=0 go build -tags nogui -trimpath -o "$work/mac-stats" ./app
CGO_ENABLED=0 MAC_STATS_TEST_BINARY="$work/mac-stats" MAC_STATS_BENCH="$(realpath "$MAC_STATS_BENCH")" \
	go test -count=1 -v -vet=off -timeout 4h -tags "$test_tags" -run '^TestQuality$' ./sessionmem/recall |
	sed -E -e '/^(=== |PASS)/d' -e 's/^ *[a-z_]+_test\.go:[0-9]+: //'
