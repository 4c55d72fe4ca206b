package memorycmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
)

// remembersTwice returns a model that remembers two sentences in one turn.
func remembersTwice() testkit.Script {
	return testkit.Script{Models: []testkit.Model{textOnly("qwen3:8b")}, Rules: []testkit.Rule{
		{Times: 1, Reply: testkit.Reply{Text: "MEMORY_APPEND: Likes green tea\nMEMORY_APPEND: Rides a red bicycle"}},
		{Reply: testkit.Reply{Text: "Noted."}},
	}}
}

func textOnly(name string) testkit.Model {
	m := clitest.Model(name)
	m.Capabilities = []string{"completion"}
	return m
}

func TestMemoryInbox(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, remembersTwice())
	e.Write(t, "config.toml", "[memory]\nwrite = \"ask\"\n")
	if got := e.Must(t, "memory", "inbox"); got != "Nothing is proposed.\n" {
		t.Errorf("an empty inbox: %q", got)
	}
	if got := e.Must(t, "memory", "inbox", "list", "--json"); got != "" {
		t.Errorf("an empty inbox in JSON: %q", got)
	}
	e.Must(t, "ask", "--session", "notes", "Remember that I like green tea")
	list := clitest.Objects(t, e.Must(t, "memory", "inbox", "--json"))
	if len(list) != 2 {
		t.Fatalf("waiting: %v", list)
	}
	want := []string{"change", "confidence", "file", "from", "id", "line", "old", "session", "state", "target", "text", "time", "to", "type", "undo", "why"}
	if diff := cmp.Diff(want, clitest.Fields(list[0])); diff != "" {
		t.Error(diff)
	}
	p := list[0]
	if p["type"] != "proposal" || p["change"] != "add" || p["target"] != "global" || p["text"] != "Likes green tea" || p["session"] != "cli-notes" || p["from"] == "" || p["state"] != "waiting" {
		t.Errorf("waiting: %v", p)
	}
	id, other := p["id"].(string), list[1]["id"].(string)
	if text := e.Must(t, "memory", "inbox"); !strings.Contains(text, id+"  add, global · cli-notes · ") || !strings.Contains(text, "\n  + Likes green tea\n") {
		t.Errorf("text: %s", text)
	}
	edited := clitest.Objects(t, e.Must(t, "memory", "inbox", "edit", id, "Likes", "black tea", "--json"))[0]
	if edited["text"] != "Likes black tea" || edited["id"] != id {
		t.Errorf("edited: %v", edited)
	}
	accepted := clitest.Objects(t, e.Must(t, "memory", "inbox", "accept", id, "--json"))[0]
	if accepted["state"] != "accepted" || accepted["undo"] == "" || !strings.HasSuffix(accepted["file"].(string), "memory.md") {
		t.Errorf("accepted: %v", accepted)
	}
	if got := e.Must(t, "memory", "list"); !strings.Contains(got, "Likes black tea") || strings.Contains(got, "bicycle") {
		t.Errorf("memory: %s", got)
	}
	if got := e.Must(t, "memory", "inbox", "discard", other); !strings.HasPrefix(got, "discarded: ") || !strings.Contains(got, "Rides a red bicycle") {
		t.Errorf("discarded: %s", got)
	}
	if got := e.Must(t, "memory", "inbox"); got != "Nothing is proposed.\n" {
		t.Errorf("afterwards: %q", got)
	}
	if got := e.Must(t, "memory", "undo"); !strings.HasPrefix(got, "undone in ") || !strings.HasSuffix(got, "memory.md\n- Likes black tea\n") {
		t.Errorf("undo: %q", got)
	}
	if got := e.Must(t, "memory", "list"); strings.Contains(got, "black tea") {
		t.Errorf("after undo: %s", got)
	}
}

func TestMemoryInboxByHand(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	e.Must(t, "memory", "add", "Likes tea")
	e.Write(t, "agents/memory-inbox.md", "- [ab] remove from global: Likes tea\n- [cd] replace in global: Likes jazz => Likes rock\n")
	if got := e.Must(t, "memory", "inbox"); !strings.Contains(got, "ab  remove, global\n  - Likes tea\n") || !strings.Contains(got, "  - Likes jazz\n  + Likes rock\n") {
		t.Errorf("listed: %s", got)
	}
	for name, args := range map[string][]string{
		"a line that isn't there": {"memory", "inbox", "accept", "cd"},
		"an unknown proposal":     {"memory", "inbox", "accept", "zz"},
		"an unknown one to drop":  {"memory", "inbox", "discard", "zz"},
		"an edit of a removal":    {"memory", "inbox", "edit", "ab", "other words"},
		"a bad undo id":           {"memory", "undo", "nonsense"},
	} {
		if o := e.Run(t, args...); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: ") {
			t.Errorf("%s: %+v", name, o)
		}
	}
	for name, args := range map[string][]string{
		"no id": {"memory", "inbox", "accept"}, "no text": {"memory", "inbox", "edit", "ab"}, "no such command": {"memory", "inbox", "acept", "ab"}, "two ids": {"memory", "undo", "a", "b"},
	} {
		if o := e.Run(t, args...); o.Code != clitest.WrongUsage {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if got := e.Must(t, "memory", "inbox", "accept", "ab"); !strings.HasPrefix(got, "forgotten: Likes tea\n") {
		t.Errorf("accepted: %s", got)
	}
	e.Must(t, "memory", "undo")
	e.Must(t, "memory", "undo") // undoes the line added first
	if o := e.Run(t, "memory", "undo"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "There is no change") {
		t.Errorf("nothing to undo: %+v", o)
	}
	data, err := os.ReadFile(filepath.Join(e.Home, "agents", "memory.md"))
	if err != nil || strings.Contains(string(data), "Likes tea") {
		t.Errorf("memory %q, %v", data, err)
	}
}

// What the owner adds is written whatever memory.write says and however full the memory is;
// a full memory causes a warning.
func TestMemoryAddAlwaysWrites(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	e.Write(t, "config.toml", "[memory]\nwrite = \"off\"\nglobal_budget = 500\n")
	e.Write(t, "agents/memory.md", "- an old line\n")
	for i := range 20 {
		out := e.Must(t, "memory", "add", fmt.Sprintf("fact number %d of those that fill the memory", i))
		full := strings.Contains(out, " %")
		if !strings.Contains(out, "remembered: ") || full != (i >= 8) {
			t.Errorf("fact %d: %s", i, out)
		}
		if i == 19 && !strings.Contains(out, "characters do not fit a prompt") {
			t.Errorf("more than full: %s", out)
		}
	}
	if list := e.Must(t, "memory", "list"); !strings.Contains(list, "fact number 19") || !strings.Contains(list, "an old line") {
		t.Errorf("list: %s", list)
	}
}
