package modelcmd_test

import (
	"strings"
	"testing"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
)

func TestModels(t *testing.T) {
	t.Parallel()
	script := testkit.Script{
		Models: []testkit.Model{clitest.Model("qwen3:8b")},
		Pulls:  map[string]testkit.Pull{"small:1b": {Model: clitest.Model("small:1b")}, "broken:1b": {Model: clitest.Model("broken:1b"), Error: "no space left on device"}},
	}
	e := clitest.New(t, script)
	list := clitest.Objects(t, e.Must(t, "models", "list", "--json"))
	if len(list) != 1 || list[0]["type"] != "model" || list[0]["name"] != "qwen3:8b" || list[0]["max_context"] != 32768.0 || list[0]["context"] != 16384.0 {
		t.Errorf("got %v", list)
	}
	if text := e.Must(t, "models", "list"); !strings.Contains(text, "16,384 of 32,768") || !strings.Contains(text, "general") {
		t.Errorf("text: %s", text)
	}
	lines := clitest.Objects(t, e.Must(t, "models", "pull", "small:1b", "--json"))
	if last := lines[len(lines)-1]; last["done"] != true || last["name"] != "small:1b" || last["type"] != "pull" {
		t.Errorf("pull: %v", lines)
	}
	e.Terminal = true
	if o := e.Run(t, "models", "pull", "small:1b"); o.Code != clitest.Done || o.Stdout != "small:1b is installed.\n" || !strings.Contains(o.Stderr, "\r\x1b[K") {
		t.Errorf("on a terminal: %+v", o)
	}
	e.Terminal = false
	for _, name := range []string{"broken:1b", "nothing:1b"} {
		if o := e.Run(t, "models", "pull", name); o.Code != clitest.Failed || o.Stdout != "" || !clitest.OneLineOn(o.Stderr, "mac-stats: ") {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	e := clitest.At(t, "127.0.0.1:1")
	e.Refuses(t, "needs one model", "models", "pull")
}
