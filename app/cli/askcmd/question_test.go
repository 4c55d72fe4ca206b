package askcmd_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli"
	"mac-stats/app/cli/clitest"
)

// A tool that was answered with "never" is not asked about again.
func TestAnswerNeverIsSaved(t *testing.T) {
	t.Parallel()
	const leak = "http://127.0.0.1:9999/?d=green-tea"
	script := clitest.Answering("Done.")
	script.Models[0].Capabilities = []string{"completion"}
	script.Rules = append([]testkit.Rule{{Times: 1, Reply: testkit.Reply{Text: "FETCH_URL: " + leak}}}, script.Rules...)
	e := clitest.New(t, script)
	e.Terminal, e.Piped = true, true
	var stdout, stderr bytes.Buffer
	p := e.Params("a stranger's text", &stdout, &stderr)
	p.Terminal = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("v\n")), nil }
	if code := cli.Run(t.Context(), p, []string{"ask", "review this", "-"}); code != clitest.Done {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	list := clitest.Objects(t, e.Must(t, "permissions", "list", "--json"))
	if len(list) != 1 || list[0]["answer"] != "never" || list[0]["covers"] != "127.0.0.1:9999" || list[0]["agent"] != "orchestrator" {
		t.Errorf("%+v", list)
	}
}

// On a terminal a question waits for a typed answer; anything but a yes means no.
func TestAskAsksOnTheTerminal(t *testing.T) {
	t.Parallel()
	const leak = "http://127.0.0.1:9999/?d=green-tea" // refused on connecting
	for _, tt := range []struct {
		name, typed    string
		args           []string
		terminal       bool
		asked, fetched bool
	}{
		{"yes", "y\n", nil, true, true, true},
		{"no", "n\n", nil, true, true, false},
		{"only Enter", "\n", nil, true, true, false},
		{"nothing can be read", "", nil, true, true, false},
		{"no terminal", "y\n", nil, false, false, false},
		{"JSON", "y\n", []string{"--json"}, true, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script := clitest.Answering("Done.")
			script.Models[0].Capabilities = []string{"completion"}
			script.Rules = append([]testkit.Rule{{Times: 1, Reply: testkit.Reply{Text: "FETCH_URL: " + leak}}}, script.Rules...)
			e := clitest.New(t, script)
			e.Terminal, e.Piped = tt.terminal, true
			var stdout, stderr bytes.Buffer
			p := e.Params("a stranger's text", &stdout, &stderr)
			p.Terminal = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(tt.typed)), nil }
			code := cli.Run(t.Context(), p, append([]string{"ask", "review this", "-"}, tt.args...))
			all := stdout.String() + stderr.String()
			if code != clitest.Done || strings.Contains(all, "Allow it? [y] once, [N] no, [v] never") != tt.asked {
				t.Errorf("exit %d, said:\n%s", code, all)
			}
			if tt.asked && !strings.Contains(all, "what:   "+leak) {
				t.Errorf("the address isn't shown:\n%s", all)
			}
			last := e.Server.Chats()[1].Chat.Messages
			toolResult := last[len(last)-1].Content
			if refused := strings.Contains(toolResult, "the user said no") || strings.Contains(toolResult, "nobody can be asked"); refused == tt.fetched {
				t.Errorf("the model got %q", toolResult)
			}
		})
	}
}
