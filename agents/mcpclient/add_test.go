package mcpclient

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/filetest"
)

func TestAddAcceptsSnippets(t *testing.T) {
	t.Parallel()
	const one = `"web": {"url": "https://example.org/mcp"}`
	for name, tt := range map[string]struct {
		file, text, want, bad string
		names                 []string
	}{
		"no file": {
			text:  `{"mcpServers": {` + one + `}}`,
			want:  "{\n  \"mcpServers\": {\n    \"web\": {\n      \"url\": \"https://example.org/mcp\"\n    }\n  }\n}\n",
			names: []string{"web"},
		},
		"without braces, and a comma behind": {
			file:  "{\"mcpServers\": {}}",
			text:  one + ",\n",
			want:  "{\"mcpServers\": {\n    \"web\": {\n      \"url\": \"https://example.org/mcp\"\n    }\n  }}",
			names: []string{"web"},
		},
		"beside others, whose form stays": {
			file:  "\uFEFF{ \"other\" : {\"mcpServers\": 1}, \"list\": [\"mcpServers\"],\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\":\"x\",  \"new\": 1}\n\t}\n}",
			text:  `{"servers": {` + one + `, "b": {"command": "y"}}}`,
			want:  "{ \"other\" : {\"mcpServers\": 1}, \"list\": [\"mcpServers\"],\n\t\"mcpServers\": {\n    \"b\": {\n      \"command\": \"y\"\n    },\n    \"web\": {\n      \"url\": \"https://example.org/mcp\"\n    },\n\t\t\"a\": {\"command\":\"x\",  \"new\": 1}\n\t}\n}",
			names: []string{"b", "web"},
		},
		"into a file of other things": {
			file:  "{\n  \"theme\": \"dark\"\n}\n",
			text:  `{` + one + `}`,
			want:  "{\n  \"mcpServers\": {\n    \"web\": {\n      \"url\": \"https://example.org/mcp\"\n    }\n  },\n  \"theme\": \"dark\"\n}\n",
			names: []string{"web"},
		},
		"half of it":           {text: "{\"mcpServers\": {\n" + one, bad: "it isn't JSON (line 2"},
		"of smart quotes":      {text: `{“web”: {}}`, bad: "it isn't JSON (line 1"},
		"nothing":              {text: " ", bad: "it isn't JSON"},
		"no server":            {text: `{"mcpServers": {}}`, bad: "it contains no server"},
		"other JSON":           {text: `{"a": 1}`, bad: "it contains no server"},
		"a list":               {text: `{"mcpServers": [1]}`, bad: "mcpServers in line 1 must be an object"},
		"a server alone":       {text: `{"command": "npx", "args": ["x"]}`, bad: "the server has no name"},
		"a name that is there": {file: `{"mcpServers": {"WEB": {"command": "x"}}}`, text: one, bad: "mcp.json has a server WEB already"},
		"one of two is bad":    {file: `{}`, text: one + `, "my server": {"command": "x"}`, bad: "my server can't be used: a server's name can have up to 32 characters"},
		"neither":              {text: `"web": {}`, bad: "web can't be used: it needs either a command or a url"},
		"a file that is none":  {file: `{"mcpServers": {`, text: one, bad: "correct the file first"},
		"no object":            {file: `{"mcpServers": null}`, text: one, bad: "correct the file first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "mcp.json")
			if tt.file != "" {
				if err := os.WriteFile(file, []byte(tt.file), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			c := New(Params{File: file, State: filepath.Join(dir, "state"), Logs: dir})
			defer func() { _ = c.Close() }()
			names, err := c.Add(tt.text)
			if (err == nil) != (tt.bad == "") || err != nil && !strings.Contains(err.Error(), tt.bad) {
				t.Fatalf("%v, %v; want %q", names, err, tt.bad)
			}
			if diff := cmp.Diff(tt.names, names); diff != "" {
				t.Error(diff)
			}
			got, err := os.ReadFile(file)
			if tt.bad != "" {
				tt.want = tt.file
			}
			if string(got) != tt.want && (err == nil || tt.want != "") {
				t.Errorf("the file holds\n%s\nwant\n%s", got, tt.want)
			}
			if _, err := c.Servers(); err != nil && tt.bad == "" {
				t.Error(err)
			}
		})
	}
}

// complained waits until the log has the end of a server's stderr, which is more than a log
// holds. It may arrive after the server's response.
func (b *bench) complained() {
	b.t.Helper()
	filetest.Until(b.t, "its last words", func() bool {
		lines, err := b.Log("test", 3)
		if err != nil {
			b.t.Fatal(err)
		}
		return len(lines) == 3 && strings.HasPrefix(lines[1], "xxx") && len(lines[1]) <= 3*maxAbout && lines[2] == lastWords
	})
}

// The state shows that a server died until it runs again, and its log can be read.
func TestAServerThatDiedIsReported(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"test": "good"})
	if _, err := b.call("test.complain", ""); err != nil {
		t.Fatal(err)
	}
	state := func() (State, error) {
		list, err := b.Servers()
		if err != nil {
			t.Fatal(err)
		}
		return list[0].State, list[0].Err
	}
	if s, err := state(); s != StateRunning || err != nil {
		t.Errorf("%s %v", s, err)
	}
	b.complained()
	if _, err := b.call("test.die", ""); err == nil {
		t.Error("it answers")
	}
	if s, err := state(); s != StateIdle || !errors.Is(err, ErrEnded) {
		t.Errorf("after its end: %s %v", s, err)
	}
	if _, err := b.tool("test.echo").Run(t.Context(), &tools.Call{Args: map[string]any{"text": "x"}}); err != nil {
		t.Error(err)
	}
	if s, err := state(); s != StateRunning || err != nil {
		t.Errorf("started anew: %s %v", s, err)
	}
}

func TestAStartingServerIsReported(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"test": "slow"})
	done := make(chan error, 1)
	go func() { done <- b.Test(t.Context(), "test") }()
	for {
		if list, _ := b.Servers(); len(list) == 1 && list[0].State == StateStarting {
			break
		}
		select {
		case err := <-done:
			t.Fatalf("it has never been starting: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
