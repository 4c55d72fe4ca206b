package toolcmd_test

import (
	"strings"
	"testing"

	"mac-stats/agents/ollamatest"
	"mac-stats/app/cli/clitest"
)

func TestMCPServersAreListed(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, ollamatest.Script{})
	if out := e.Must(t, "mcp", "list"); !strings.Contains(out, "There are no servers") {
		t.Errorf("%s", out)
	}
	e.Write(t, "mcp.json", `{"mcpServers": {"gone": {"command": "no-such-program"}, "off": {"command": "x", "disabled": true}, "a.b": {"command": "x"}}}`)
	if o := e.Run(t, "mcp", "test", "gone"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "no-such-program isn't installed or not in PATH") {
		t.Errorf("%+v", o)
	}
	list := clitest.Objects(t, e.Must(t, "mcp", "list", "--json"))
	if len(list) != 3 || list[0]["name"] != "gone" || list[0]["state"] != "idle" || list[1]["state"] != "off" || list[2]["state"] != "failed" {
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
