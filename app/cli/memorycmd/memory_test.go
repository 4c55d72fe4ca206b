package memorycmd_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/ollamatest"
	"mac-stats/app/cli/clitest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, ollamatest.Script{})
	added := clitest.Objects(t, e.Must(t, "memory", "add", "The backup disk", "is called Backup", "--json"))[0]
	want := []string{"budget", "file", "from", "line", "text", "type", "used_chars"}
	if diff := cmp.Diff(want, clitest.Fields(added)); diff != "" {
		t.Error(diff)
	}
	list := clitest.Objects(t, e.Must(t, "memory", "list", "--json"))
	if len(list) != 1 || !cmp.Equal(list[0], added) || list[0]["text"] != "The backup disk is called Backup" || list[0]["budget"] != 8000.0 {
		t.Errorf("added %v, listed %v", added, list)
	}
	e.Must(t, "memory", "add", "--agent", "coder", "Use tabs in Go")
	own := clitest.Objects(t, e.Must(t, "memory", "list", "--agent", "coder", "--json"))
	if len(own) != 1 || own[0]["text"] != "Use tabs in Go" || own[0]["budget"] != 4000.0 || !strings.Contains(own[0]["file"].(string), "agent-002") {
		t.Errorf("the coder's: %v", own)
	}
	if text := e.Must(t, "memory", "list"); !strings.Contains(text, " of 8,000 characters") || !strings.Contains(text, "The backup disk is called Backup") {
		t.Errorf("text: %s", text)
	}
	for name, args := range map[string][]string{
		"twice":            {"memory", "add", "The backup disk is called Backup"},
		"an unknown agent": {"memory", "add", "--agent", "nobody", "x y z"},
	} {
		if o := e.Run(t, args...); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: ") {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
