package toolcmd_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
)

func TestMCPServersAreListed(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	if out := e.Must(t, "mcp", "list"); !strings.Contains(out, "There are no servers") {
		t.Errorf("%s", out)
	}
	e.Write(t, "mcp.json", `{"mcpServers": {"gone": {"command": "no-such-program"}, "off": {"command": "x", "disabled": true}, "a.b": {"command": "x"}}}`)
	if o := e.Run(t, "mcp", "test", "gone"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "no-such-program isn't installed or not in PATH") {
		t.Errorf("%+v", o)
	}
	list := clitest.Objects(t, e.Must(t, "mcp", "list", "--json"))
	if len(list) != 3 || list[0]["name"] != "gone" || list[0]["state"] != "failed" || list[0]["error"] != "no-such-program isn't installed or not in PATH" || list[1]["state"] != "off" || list[2]["state"] != "failed" {
		t.Errorf("%+v", list)
	}
	for _, args := range [][]string{{"test", "nothing"}, {"on", "nothing.read"}, {"login", "nothing"}} {
		if o := e.Run(t, append([]string{"mcp"}, args...)...); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "mcp.json has no server") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	if o := e.Run(t, "mcp", "lsit"); o.Code != clitest.WrongUsage || !strings.Contains(o.Stderr, "did you mean list?") {
		t.Errorf("%+v", o)
	}
}

// web returns the mcp.json of a real server with two tools.
func web(t *testing.T) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	for _, name := range []string{"read_note", "write_note"} {
		server.AddTool(&mcp.Tool{Name: name, Description: "Does it\nwith notes", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(s.Close)
	return `{"mcpServers": {"notes": {"url": "` + s.URL + `"}, "other": {"command": "no-such-program"}}}`
}

func TestToolsOfAServerAreListedAndSwitched(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	e.Write(t, "mcp.json", web(t))
	if got := e.Must(t, "mcp", "test", "notes"); !strings.Contains(got, "\n  notes.read_note   on ") || !strings.Contains(got, "Does it with notes") || strings.Contains(got, "other") {
		t.Errorf("tested: %s", got)
	}
	if got := e.Must(t, "mcp", "off", "notes.write_note"); got != "notes.write_note is off.\n" {
		t.Errorf("switched off: %q", got)
	}
	state := func() map[any]any {
		t.Helper()
		list := clitest.Objects(t, e.Must(t, "mcp", "list", "--json"))
		states := map[any]any{}
		for _, tool := range list[0]["tools"].([]any) {
			tool := tool.(map[string]any)
			states[tool["name"]] = tool["on"]
		}
		return states
	}
	if diff := cmp.Diff(map[any]any{"notes.read_note": true, "notes.write_note": false}, state()); diff != "" {
		t.Error(diff)
	}
	if got := e.Must(t, "mcp", "list"); !strings.Contains(got, "\n  notes.write_note  off ") || !strings.Contains(got, "\nother") {
		t.Errorf("listed: %s", got)
	}
	if got := e.Must(t, "mcp", "on", "notes.write_note"); got != "notes.write_note is on.\n" || state()["notes.write_note"] != true {
		t.Errorf("switched on: %q", got)
	}
	e.Write(t, "mcp.json", "{")
	for _, args := range [][]string{{"list"}, {"test", "notes"}, {"on", "notes.read_note"}} {
		if o := e.Run(t, append([]string{"mcp"}, args...)...); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: ") || !strings.Contains(o.Stderr, "mcp.json") {
			t.Errorf("%q with a broken mcp.json: %+v", args, o)
		}
	}
}
