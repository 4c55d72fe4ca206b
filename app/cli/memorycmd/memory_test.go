package memorycmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
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

func TestWhatAMemoryFileHolds(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	e.Must(t, "memory", "list") // makes the data folder
	e.Write(t, "agents/agent-100.md", "---\nname: Single\nslug: single\n---\nAnswer.\n")
	e.Write(t, "agents/memory.md", "# Notes\n\n"+strings.Repeat("- A line that takes about eighty characters, so that a hundred are too many of them.\n", 150))
	if got := e.Must(t, "memory", "list"); !strings.Contains(got, "characters do not fit a prompt\n") {
		t.Errorf("an overfull file: %.300s", got)
	}
	if got := e.Must(t, "memory", "list", "--agent", "coder"); !strings.HasSuffix(got, ": nothing yet\n") {
		t.Errorf("an agent without memory: %q", got)
	}
	for _, args := range [][]string{{"memory", "list", "--agent", "single"}, {"memory", "add", "--agent", "single", "x y z"}} {
		if o := e.Run(t, args...); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: single is a single file and has no memory of its own. Leave --agent out") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	if err := os.Remove(filepath.Join(e.Home, "agents", "memory.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(e.Home, "agents", "memory.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if o := e.Run(t, "memory", "list"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "memory.md can't be read: ") {
		t.Errorf("a folder in the file's place: %+v", o)
	}
}

func TestAddReadsStdin(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	o := e.RunWith(t.Context(), "is called\n  Kestrel\n", "memory", "add", "The disk", "-")
	if o.Code != clitest.Done || !strings.HasPrefix(o.Stdout, "remembered: The disk is called Kestrel\n") {
		t.Errorf("got %+v", o)
	}
}
