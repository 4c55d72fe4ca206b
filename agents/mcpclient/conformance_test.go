//go:build systems

package mcpclient

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/agents/reply"
	"mac-stats/agents/tools"
)

// outOfReach are the scenarios of the conformance suite for what the app doesn't do on
// purpose, or only by agreement between companies. A scenario that passes although it is
// listed fails the test, as a new one does that isn't.
var outOfReach = map[string]string{
	"auth/2025-03-26-oauth-metadata-backcompat": "the sign-in's own description names another issuer, which the library refuses as RFC 8414 demands",
	"elicitation-sep1034-client-defaults":       "the app says that it takes no questions, and the suite asks all the same, on a stream that an idle app doesn't hold open",
	"auth/client-credentials-jwt":               "a program signs a statement with a key pair of its own, which services have and people don't",
	"auth/cross-app-access-complete-flow":       "a company's sign-in service vouches for its people, whose token no person has at hand",
}

// The client passes the scenarios of the protocol's official conformance suite. scripts/mcp.sh
// installs that.
func TestConformance(t *testing.T) {
	modules := os.Getenv("MAC_STATS_TEST_MCP")
	if modules == "" {
		t.Fatal("scripts/mcp.sh sets MAC_STATS_TEST_MCP to the folder with the suite")
	}
	suite := filepath.Join(modules, ".bin", "conformance")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list, err := exec.CommandContext(t.Context(), suite, "list", "--client").Output()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(string(list)) {
		scenario, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			continue
		}
		scenario, _, _ = strings.Cut(scenario, " ")
		ran++
		t.Run(scenario, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), suite, "client", "--command", exe, "--scenario", scenario)
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			_, listed := outOfReach[scenario]
			if (err != nil) != listed {
				t.Errorf("%v, expected to fail: %v\n%s", err, listed, out)
			}
		})
	}
	if ran < 20 {
		t.Errorf("%d scenarios: %s", ran, list)
	}
}

// Public servers understand every type of argument.
func TestPublicServers(t *testing.T) {
	modules := os.Getenv("MAC_STATS_TEST_MCP")
	if modules == "" {
		t.Fatal("scripts/mcp.sh sets MAC_STATS_TEST_MCP to the folder with the servers")
	}
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "a.txt"), []byte("hello file"), 0o600); err != nil {
		t.Fatal(err)
	}
	zod := filepath.Join(modules, "zod-test.mjs")
	if err := os.WriteFile(zod, []byte(zodServer), 0o600); err != nil {
		t.Fatal(err)
	}
	program := func(name string, args ...string) config {
		return config{Command: "node", Args: append([]string{filepath.Join(modules, "@modelcontextprotocol", "server-"+name, "dist", "index.js")}, args...)}
	}
	memory := program("memory")
	memory.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(files, "memory.json")}
	b := newBench(t, nil)
	b.write(map[string]config{"everything": program("everything"), "filesystem": program("filesystem", files), "memory": memory, "zod": {Command: "node", Args: []string{zod}}})
	for _, tt := range []struct{ tool, args, want string }{
		{"everything.echo", `{"message": "10"}`, "10"},
		{"everything.get-sum", `{"a": "3", "b": 4.5}`, "7.5"},
		{"filesystem.read_text_file", `{"path": "` + files + `/a.txt", "head": 1, "tail": null}`, "hello file"},
		{"filesystem.read_multiple_files", `{"paths": ["` + files + `/a.txt"]}`, "hello file"},
		{"memory.create_entities", `{"entities": [{"name": "A", "entityType": "t", "observations": ["one", "two"]}]}`, `"two"`},
		{"zod.types", `{"s": "5", "i": "5", "l": "[1, 2.5]", "o": {"a": null}, "u": ["x"], "n": null, "k": {"kind": "box", "w": 1}}`, `{"s":"5","i":5,"l":[1,2.5],"o":{"a":null},"u":["x"],"n":null,"k":{"kind":"box","w":1}}`},
		{"zod.create", `{"method": "get", "parameters": {"method": "delete", "id": 1}}`, `{"method":"get","parameters":{"method":"delete","id":1}}`},
	} {
		var args map[string]any
		if err := decodeExact([]byte(tt.args), &args); err != nil {
			t.Fatal(err)
		}
		call := tools.NewCall(reply.Call{Name: tt.tool, Args: args}, nil, []tools.Tool{b.tool(tt.tool)})
		if got, err := b.tool(tt.tool).Run(t.Context(), call); err != nil || !strings.Contains(got.Text, tt.want) {
			t.Errorf("%s %s: %q %v", tt.tool, tt.args, got.Text, err)
		}
	}
}

const zodServer = `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
const server = new McpServer({ name: 'zod', version: '1' });
const tool = (name, inputSchema) => server.registerTool(name, { inputSchema }, async (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }));
tool('types', {
  s: z.string(), i: z.number().int(), l: z.array(z.number()), o: z.object({ a: z.string().nullable() }), u: z.union([z.string(), z.number(), z.array(z.string())]),
  n: z.number().nullable(), k: z.discriminatedUnion('kind', [z.object({ kind: z.literal('circle'), r: z.number() }), z.object({ kind: z.literal('box'), w: z.number() })]), missing: z.string().optional(),
});
tool('create', { method: z.string(), parameters: z.object({ method: z.string(), id: z.number() }) });
console.log('listening');
await server.connect(new StdioServerTransport());
`
