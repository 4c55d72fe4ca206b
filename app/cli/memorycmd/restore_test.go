package memorycmd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
	"mac-stats/sessionmem/filetest"
)

// dropped returns a memory from which an editor's save took the last two of three lines.
func dropped(t *testing.T) (e *clitest.Env, path string) {
	t.Helper()
	e = clitest.New(t, testkit.Script{})
	path = filepath.Join(e.Home, "agents", "memory.md")
	e.Must(t, "memory", "add", "Ada drinks tea")
	before := filetest.Read(t, path)
	e.Must(t, "memory", "add", "Cats purr at night")
	e.Must(t, "memory", "add", "Dogs bark")
	filetest.Replace(t, path, before)
	return e, path
}

func TestRestoreOfLines(t *testing.T) {
	t.Parallel()
	e, path := dropped(t)
	const said = "mac-stats: 2 remembered lines are no longer in memory.md. `mac-stats memory restore` puts back what another program's save took out; --keep-removed leaves it out.\n"
	if o := e.Run(t, "memory", "list"); o.Code != clitest.Done || o.Stderr != said || strings.Contains(o.Stdout, "Cats") {
		t.Errorf("listed as %+v", o)
	}
	list := clitest.Objects(t, e.Run(t, "memory", "restore", "--list", "--json").Stdout)
	if len(list) != 2 {
		t.Fatalf("missing are %v", list)
	}
	if diff := cmp.Diff([]string{"file", "from", "id", "line", "state", "text", "type"}, clitest.Fields(list[0])); diff != "" {
		t.Error(diff)
	}
	ids := map[string]string{}
	for _, line := range list {
		if line["type"] != "missing" || line["state"] != "missing" || line["line"] != 0.0 || line["file"] != path {
			t.Errorf("missing is %v", line)
		}
		ids[line["text"].(string)] = line["id"].(string)
	}
	if o := e.Run(t, "memory", "restore", "--list"); !strings.Contains(o.Stdout, "missing: Dogs bark\n  "+ids["Dogs bark"]+" · "+path+"\n") {
		t.Errorf("listed as %+v", o)
	}

	o := e.Run(t, "memory", "restore", "--keep-removed", ids["Dogs bark"])
	if o.Code != clitest.Done || o.Stdout != "removed: Dogs bark\n  "+ids["Dogs bark"]+" · "+path+"\n" {
		t.Errorf("kept out: %+v", o)
	}
	back := clitest.Objects(t, e.Must(t, "memory", "restore", "--json", ids["Cats purr at night"]))
	if len(back) != 1 || back[0]["state"] != "restored" || back[0]["text"] != "Cats purr at night" || back[0]["line"].(float64) < 1 {
		t.Errorf("restored: %v", back)
	}
	if got := filetest.Read(t, path); !strings.Contains(got, "Ada") || !strings.Contains(got, "Cats") || strings.Contains(got, "Dogs") {
		t.Errorf("the file is\n%s", got)
	}
	for _, args := range [][]string{{}, {"--list"}, {"--keep-removed"}} {
		if o := e.Run(t, append([]string{"memory", "restore"}, args...)...); o.Code != clitest.Done || o.Stdout != "No remembered line is missing.\n" || o.Stderr != "" {
			t.Errorf("%q with nothing missing: %+v", args, o)
		}
	}
	if got := e.Must(t, "memory", "restore", "--json"); got != "" {
		t.Errorf("nothing missing as JSON: %q", got)
	}
}

func TestAllLinesAreRestoredAtOnce(t *testing.T) {
	t.Parallel()
	e, path := dropped(t)
	if o := e.Run(t, "memory", "restore"); o.Code != clitest.Done || !strings.Contains(o.Stdout, "restored: Cats purr at night\n") || !strings.Contains(o.Stdout, "restored: Dogs bark\n") {
		t.Errorf("got %+v", o)
	}
	if got := filetest.Read(t, path); strings.Count(got, "\n- ") != 3 {
		t.Errorf("the file is\n%s", got)
	}
	e, path = dropped(t)
	if o := e.Run(t, "memory", "restore", "--keep-removed"); o.Code != clitest.Done || strings.Count(o.Stdout, "removed: ") != 2 {
		t.Errorf("kept out: %+v", o)
	}
	if got := filetest.Read(t, path); strings.Count(got, "\n- ") != 1 {
		t.Errorf("the file is\n%s", got)
	}
}

func TestRestoreRefusesWhatIsNotMissing(t *testing.T) {
	t.Parallel()
	e, _ := dropped(t)
	for _, args := range [][]string{{"memory", "restore", "nosuch"}, {"memory", "restore", "--keep-removed", "nosuch"}} {
		if o := e.Run(t, args...); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "`mac-stats memory restore --list` shows what is missing.") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	e.Refuses(t, "--list shows all of them and changes nothing: give it alone", "memory", "restore", "--list", "x")
	e.Refuses(t, "--list shows all of them and changes nothing: give it alone", "memory", "restore", "--list", "--keep-removed")
}
