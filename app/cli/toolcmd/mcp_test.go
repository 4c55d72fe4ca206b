package toolcmd_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli"
	"mac-stats/app/cli/clitest"
)

// assistant is another program that started `mac-stats mcp`.
type assistant struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
	n   int
}

func newAssistant(t *testing.T, e *clitest.Env, name string) *assistant {
	t.Helper()
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	params := e.Params("", stdout, io.Discard)
	params.Stdin = stdin
	ended := make(chan int, 1)
	go func() { ended <- cli.Run(t.Context(), params, []string{"mcp"}); _ = stdout.Close() }()
	t.Cleanup(func() {
		_ = in.Close()
		go func() { _, _ = io.Copy(io.Discard, out) }()
		if code := <-ended; code != clitest.Done {
			t.Errorf("mcp: exit %d", code)
		}
	})
	a := &assistant{t: t, in: in, out: bufio.NewReader(out)}
	a.ask("initialize", fmt.Sprintf(`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"%s","version":"1"}}`, name))
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

func (a *assistant) send(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// ask sends a request and returns its answer.
func (a *assistant) ask(method, params string) string {
	a.t.Helper()
	a.n++
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, a.n, method, params))
	line, err := a.out.ReadString('\n')
	if err != nil {
		a.t.Fatal(err)
	}
	return line
}

// call calls a tool and returns its text.
func (a *assistant) call(tool, args string) string {
	a.t.Helper()
	var got struct {
		Result struct {
			Content []struct{ Text string }
		}
		Error struct{ Message string }
	}
	line := a.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		a.t.Fatal(err)
	}
	if len(got.Result.Content) == 0 {
		return got.Error.Message
	}
	return got.Result.Content[0].Text
}

// An assistant finds messages, even ones too new for any app to have read, and nothing that
// the user withholds from it.
func TestAnotherAssistantIsServed(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	begun := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	e.Transcript(t, "cpu-a", begun, "The heron stands in the blue boat", "It does.")
	e.Transcript(t, "cpu-b", begun, "The heron knows the word quagga", "It does.")
	e.Write(t, "session/session-memory-discord-7-20261120-100000-talk.md", "---\nformat: mac-stats-session/1\nsession: discord-7\nsource: discord\n---\n\n## User · 2026-11-20T10:00:00Z\n<!-- id=d1 author=1 -->\n\nThe heron is on Discord\n")
	a := newAssistant(t, e, `Other \u001b[31mOne`)
	search := func() string { return a.call("search_memory", `{"query":"heron"}`) }
	if got := search(); !strings.Contains(got, "blue boat") || !strings.Contains(got, "quagga") || strings.Contains(got, "on Discord") || !strings.Contains(got, "20 Nov 2026") {
		t.Errorf("found %q", got)
	}
	e.Must(t, "memory", "forget", "--text", "quagga", "--yes")
	if got := search(); !strings.Contains(got, "blue boat") || strings.Contains(got, "quagga") {
		t.Errorf("after it was forgotten: %q", got)
	}
	e.Must(t, "memory", "add", "The heron eats at noon")
	a = newAssistant(t, e, "Another") // a running one compares the files with the index every ten seconds
	if got := search(); !strings.Contains(got, "at noon") {
		t.Errorf("what is new: %q", got)
	}
	if got := a.call("list_memory", `{}`); !strings.Contains(got, "at noon") {
		t.Errorf("memory: %q", got)
	}
	if got := a.call("propose_memory", `{"text":"Ada likes herons."}`); !strings.Contains(got, "waits in the user's inbox") {
		t.Errorf("proposed: %q", got)
	}
	if got := a.call("list_memory", `{}`); strings.Contains(got, "likes herons") {
		t.Errorf("a proposal is remembered: %q", got)
	}
	e.Write(t, "config.toml", "[mcp]\nconversations = false\nmemory = false\nvitals = false\npropose = false\n")
	for tool, args := range map[string]string{"search_memory": `{"query":"heron"}`, "list_memory": `{}`, "read_vitals": `{}`, "propose_memory": `{"text":"x"}`} {
		if got := a.call(tool, args); !strings.Contains(got, " is false)") {
			t.Errorf("%s is off, and says %q", tool, got)
		}
	}
	e.Write(t, "config.toml", "[mcp]\ndiscord = true\n")
	a = newAssistant(t, e, "A third") // a running one gives up privacy only after a while
	if got := search(); !strings.Contains(got, "on Discord") {
		t.Errorf("with Discord: %q", got)
	}
	log, err := os.ReadFile(filepath.Join(e.Home, "logs", "mac-stats.log"))
	if err != nil || !strings.Contains(string(log), "an assistant is connected") || !strings.Contains(string(log), "One") || strings.Contains(string(log), "\x1b") || strings.Contains(string(log), "heron") {
		t.Errorf("%v, the log: %s", err, log)
	}
}
