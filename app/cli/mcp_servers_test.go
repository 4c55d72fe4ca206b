package cli

import (
	"strings"
	"testing"

	"mac-stats/agents/ollamatest"
)

func TestMCPServersAreListed(t *testing.T) {
	t.Parallel()
	e := newEnv(t, ollamatest.Script{})
	if out := e.must(t, "mcp", "list"); !strings.Contains(out, "There are no servers") {
		t.Errorf("%s", out)
	}
	e.write(t, "mcp.json", `{"mcpServers": {"gone": {"command": "no-such-program"}, "off": {"command": "x", "disabled": true}, "a.b": {"command": "x"}}}`)
	if o := e.run(t, "mcp", "test", "gone"); o.code != exitFailed || !strings.Contains(o.stderr, "no-such-program isn't installed or not in PATH") {
		t.Errorf("%+v", o)
	}
	list := objects(t, e.must(t, "mcp", "list", "--json"))
	if len(list) != 3 || list[0]["name"] != "gone" || list[0]["state"] != "idle" || list[1]["state"] != "off" || list[2]["state"] != "failed" {
		t.Errorf("%+v", list)
	}
	for _, args := range [][]string{{"test", "nothing"}, {"on", "nothing.read"}, {"login", "nothing"}} {
		if o := e.run(t, append([]string{"mcp"}, args...)...); o.code != exitFailed || !strings.Contains(o.stderr, "mcp.json has no server") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	if o := e.run(t, "mcp", "lsit"); o.code != exitUsage || !strings.Contains(o.stderr, "did you mean list?") {
		t.Errorf("%+v", o)
	}
}
