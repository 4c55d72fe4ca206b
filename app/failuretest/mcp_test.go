//go:build unix

package failuretest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const discordText = "---\nformat: mac-stats-session/1\nsession: discord-9\nsource: discord\nstarted: 2026-01-02T08:00:00+01:00\ntitle: Otters\n---\n\n" +
	"## User · 2026-01-02T08:00:00+01:00\n<!-- id=d1 author=7 name=ben msg=71 -->\n\nThe otter steeps its tea in Kiel.\n\n"

// assistant connects the protocol's own client to the built program.
func assistant(t *testing.T, p *place) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "another-assistant" + strings.Repeat("-steep", 40), Version: "4.2"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: p.command("mcp"), TerminateDuration: 10 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// call returns a tool's text and whether it is an error.
func call(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) (string, bool) {
	t.Helper()
	got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	var b strings.Builder
	for _, c := range got.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String(), got.IsError
}

func TestAnotherAssistantSearchesAndProposes(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1")
	p.write("session/session-memory-discord-9-20260102-080000-otters.md", discordText)
	p.write("memory/user-7.md", "- ben keeps an otter\n")
	p.write("agents/agent-002/memory.md", "- The otter steeps green tea <!-- 2026-11-21 discord-2234 -->\n") // accepted from the inbox
	if got := p.run("memory", "reindex"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	s := assistant(t, p)

	tools, err := s.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 4 {
		t.Fatalf("%d tools, %v", len(tools.Tools), err)
	}
	text, failed := call(t, s, "search_memory", map[string]any{"query": "green tea steep", "old": true})
	if failed || !strings.Contains(text, "1 Jan 2026") || !strings.Contains(text, "How long does green tea steep?") {
		t.Errorf("found: %s", text)
	}
	if strings.Contains(text, "otter") {
		t.Errorf("it gives what was said on Discord: %s", text)
	}
	text, failed = call(t, s, "list_memory", nil)
	if failed || !strings.Contains(text, "I drink green tea.") || strings.Contains(text, "otter") {
		t.Errorf("memory: %s", text)
	}
	if text, failed = call(t, s, "read_vitals", map[string]any{"topic": "memory"}); failed || text == "" {
		t.Errorf("vitals: %s", text)
	}
	text, failed = call(t, s, "propose_memory", map[string]any{"text": "The user steeps green tea for two minutes"})
	if failed || !strings.Contains(text, "inbox") {
		t.Errorf("proposed: %s", text)
	}
	if got := p.run("memory", "inbox"); !strings.Contains(got.stdout, "another assistant proposed it\n  + The user steeps green tea for two minutes") {
		t.Errorf("the inbox: %s", got.stdout)
	}
	memory, err := os.ReadFile(filepath.Join(p.home, "agents", "memory.md"))
	if err != nil || string(memory) != memoryText {
		t.Errorf("the memory was written: %s, %v", memory, err)
	}
	log, err := os.ReadFile(filepath.Join(p.home, "logs", "mac-stats.log"))
	if err != nil || !strings.Contains(string(log), "another-assistant") || strings.Contains(string(log), strings.Repeat("-steep", 10)) || strings.Contains(string(log), "green tea") {
		t.Errorf("the log: %s, %v", log, err)
	}
}

func TestRequestsForUnsharedDataAreRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1")
	if got := p.run("memory", "reindex"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	s := assistant(t, p)
	config := filepath.Join(p.home, "config.toml")
	calls := map[string]map[string]any{
		"search_memory": {"query": "green tea", "old": true}, "list_memory": nil, "read_vitals": nil,
		"propose_memory": {"text": "The user likes tea"},
	}
	for name, settings := range map[string]string{
		"switched off":         "[mcp]\nconversations = false\nmemory = false\nvitals = false\npropose = false\n",
		"of a wrong type":      "[mcp]\nconversations = \"tea\"\nmemory = 3\nvitals = []\npropose = \"\"\n",
		"without conversation": "[mcp]\nconversations = false\nmemory = false\nvitals = false\npropose = false\ndiscord = true\n",
	} {
		if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		until(t, "the settings to hold: "+name, func() bool {
			_, refused := call(t, s, "list_memory", nil)
			return refused
		})
		for tool, args := range calls {
			if text, refused := call(t, s, tool, args); !refused {
				t.Errorf("%s: %s answers %s", name, tool, text)
			}
		}
	}
	for _, bad := range []map[string]any{{"query": ""}, {"query": " \n"}, {"query": strings.Repeat("tea ", 2000)}, {"query": 3}, {"limit": 2}, {"query": "tea", "limit": -1}, {"query": "tea", "limit": 5000}} {
		if text, refused := call(t, s, "search_memory", bad); !refused {
			t.Errorf("%.60v answers %s", bad, text)
		}
	}
}

func TestAnInvalidRequestHarmsNothing(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{
		"nothing":      "",
		"no JSON":      "hello\n",
		"half a call":  `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{`,
		"a huge line":  strings.Repeat("x", 4<<20) + "\n",
		"no greeting":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_memory","arguments":{}}}` + "\n",
		"an odd tool":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"../../etc/passwd"}}` + "\n",
		"bytes":        "\x00\xff\xfe\n",
		"deep nesting": strings.Repeat("[", 100_000) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "127.0.0.1:1")
			cmd := p.command("mcp")
			cmd.Stdin = strings.NewReader(said)
			if got := p.start(cmd).wait(); got.code != 0 && got.code != 1 || strings.Contains(got.stderr, "panic") || strings.Contains(got.stdout, "green tea.") && name != "no greeting" {
				t.Errorf("it ends with %d: %.300s %.300s", got.code, got.stdout, got.stderr)
			}
		})
	}
}
