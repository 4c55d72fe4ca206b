package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSchedules(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("All is well."))
	file := filepath.Join(e.home, "schedules.toml")
	if o := e.run(t, "schedule", "list"); o.code != 0 || !strings.HasPrefix(o.stdout, "No schedules.") {
		t.Errorf("none: %+v", o)
	}
	for _, bad := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"schedule"}, exitUsage, "Say what to do: list, add, remove, run, enable, disable."},
		{[]string{"schedule", "add", "A"}, exitUsage, "needs a NAME and a TEXT"},
		{[]string{"schedule", "add", "A", "x"}, exitUsage, `--when: write it like "every day at 8"`},
		{[]string{"schedule", "add", "A", "x", "--when", "every hour", "--quiet", "night"}, exitUsage, "--quiet: it must be two times"},
		{[]string{"schedule", "add", "A", "x", "--when", "every hour", "--agent", "nobody"}, exitFailed, "nobody"},
		{[]string{"schedule", "add", "A", "x", "--when", "every hour", "--allow", "FETCH_URL"}, exitFailed, `No tool called "FETCH_URL" asks before it acts; there are RUN_CMD with a program`},
		{[]string{"schedule", "run", "A"}, exitFailed, `There is no schedule called "A". `},
		{[]string{"schedule", "add", "A", "x", "--when", "every hour", "--demo"}, exitUsage, "does nothing with --demo"},
	} {
		if o := e.run(t, bad.args...); o.code != bad.code || !strings.Contains(o.stderr, bad.want) {
			t.Errorf("%q: %+v", bad.args, o)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("there is a file already")
	}
	if o := e.run(t, "schedule", "add", "Morning", "What is new?", "--when", "every weekday at 8", "--quiet", "22-7", "--allow", "RUN_CMD git"); o.code != 0 ||
		!strings.HasPrefix(o.stdout, "Morning runs next on ") || !strings.Contains(o.stdout, "start `mac-stats`, or `mac-stats --headless`") {
		t.Errorf("add: %+v", o)
	}
	if o := e.run(t, "permissions", "list", "--json"); !strings.Contains(o.stdout, `"agent":"orchestrator","tool":"RUN_CMD","covers":"git","answer":"always","session":"","schedule":"Morning"`) {
		t.Errorf("permissions: %+v", o)
	}
	if o := e.run(t, "schedule", "add", "morning", "Again", "--when", "every hour"); o.code != exitFailed || !strings.Contains(o.stderr, "Another schedule has this name") {
		t.Errorf("add twice: %+v", o)
	}
	if o := e.run(t, "schedule", "run", "Morning"); o.code != 0 || o.stdout != "All is well.\n" {
		t.Errorf("run: %+v", o)
	}
	if o := e.run(t, "sessions", "show", "schedule-morning"); o.code != 0 || !strings.Contains(o.stdout, "What is new?") {
		t.Errorf("its session: %+v", o)
	}
	o := e.run(t, "schedule", "list", "--json")
	var line scheduleLine
	if err := json.Unmarshal([]byte(o.stdout), &line); err != nil || line.Name != "Morning" || line.When != "every weekday at 8" || line.Next == "" || line.Last == "" || line.Quiet != "22:00-7:00" || !line.OnBattery || line.Session != "schedule-morning" {
		t.Errorf("list: %+v, %v", o, err)
	}
	for _, step := range []struct{ command, want, list string }{
		{"disable", "Morning is off.\n", "off"}, {"enable", "Morning is on.\n", ", 08:00"}, {"remove", "Morning is removed.\n", "No schedules."},
	} {
		if o := e.run(t, "schedule", step.command, "Morning"); o.code != 0 || o.stdout != step.want {
			t.Errorf("%s: %+v", step.command, o)
		}
		if o := e.run(t, "schedule", "list"); !strings.Contains(o.stdout, step.list) {
			t.Errorf("after %s: %+v", step.command, o)
		}
	}
	if o := e.run(t, "permissions", "list", "--json"); o.stdout != "" {
		t.Errorf("its permission stays: %+v", o)
	}
	if err := os.WriteFile(file, []byte("[[schedule]]\nname = \"B\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := e.run(t, "schedule", "list"); !strings.Contains(o.stderr, "schedules.toml, line 1 (B): when is missing") {
		t.Errorf("a broken one: %+v", o)
	}
}
