#!/usr/bin/env bash
# Tests the MCP client against others' code: the protocol's official conformance suite, and
# public servers, with arguments of every type. npm and pip put these into the cache folder.
source "$(dirname "$0")/lib.sh"

conformance=0.1.16 sdk=1.32.2 servers=2026.8.31 node=22.23.3 # the suite needs Node 22

scripts/setup.sh systems
dir=$test_cache/mcp-$conformance-$servers
if [[ ! -e $dir/done ]]; then
	rm -rf "$dir"
	mkdir -p "$dir"
	say "Installing the MCP conformance suite and servers into $dir"
	(cd "$dir" && npm install --silent --no-audit --no-fund --no-save --prefix "$dir" \
		"node@$node" "@modelcontextprotocol/conformance@$conformance" "@modelcontextprotocol/sdk@$sdk" zod@4.6.7 \
		"@modelcontextprotocol/server-everything@$servers" "@modelcontextprotocol/server-filesystem@$servers" "@modelcontextprotocol/server-memory@$servers") ||
		fail "npm could not install them: check the network, then try again."
	touch "$dir/done"
fi
PATH="$dir/node_modules/.bin:$PATH" CGO_ENABLED=0 MAC_STATS_TEST_MCP="$dir/node_modules" \
	go test -count=1 -v -trimpath -vet=off -timeout 10m -tags "$test_tags,systems" -run '^Test(Conformance|PublicServers)$' ./agents/mcpclient
