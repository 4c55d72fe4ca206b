package schedulecmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/app/cli/clitest"
)

func TestSchedules(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("All is well."))
	file := filepath.Join(e.Home, "schedules.toml")
	if o := e.Run(t, "schedule", "list"); o.Code != 0 || !strings.HasPrefix(o.Stdout, "No schedules.") {
		t.Errorf("none: %+v", o)
	}
	for _, bad := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"schedule"}, clitest.WrongUsage, "Say what to do: list, add, remove, run, enable, disable."},
		{[]string{"schedule", "add", "A"}, clitest.WrongUsage, "needs a NAME and a TEXT"},
		{[]string{"schedule", "add", "A", "x"}, clitest.WrongUsage, `--when: write it like "every day at 8"`},
		{[]string{"schedule", "add", "A", "x", "--when", "every hour", "--quiet", "night"}, clitest.WrongUsage, "--quiet: it must be two times"},
		{[]string{"schedule", "add", "A", "x", "--when", "every hour", "--agent", "nobody"}, clitest.Failed, "nobody"},
		{[]string{"schedule", "add", "A", "x", "--when", "every hour", "--allow", "FETCH_URL"}, clitest.Failed, `No tool called "FETCH_URL" asks before it acts; there are RUN_CMD with a program`},
		{[]string{"schedule", "run", "A"}, clitest.Failed, `There is no schedule called "A". `},
		{[]string{"schedule", "add", "A", "x", "--when", "every hour", "--demo"}, clitest.WrongUsage, "does nothing with --demo"},
	} {
		if o := e.Run(t, bad.args...); o.Code != bad.code || !strings.Contains(o.Stderr, bad.want) {
			t.Errorf("%q: %+v", bad.args, o)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("there is a file already")
	}
	if o := e.Run(t, "schedule", "add", "Morning", "What is new?", "--when", "every weekday at 8", "--quiet", "22-7", "--allow", "RUN_CMD git"); o.Code != 0 ||
		!strings.HasPrefix(o.Stdout, "Morning runs next on ") || !strings.Contains(o.Stdout, "start `mac-stats`, or `mac-stats --headless`") {
		t.Errorf("add: %+v", o)
	}
	leap := time.Now()
	for leap.Month() != time.February || leap.Day() != 29 || leap.Before(time.Now()) {
		leap = time.Date(leap.Year(), leap.Month(), leap.Day()+1, 8, 0, 0, 0, time.Local)
	}
	want := leap.Format("Mon Jan 2, 15:04")
	if leap.Year() != time.Now().Year() {
		want = leap.Format("Mon Jan 2 2006, 15:04")
	}
	if o := e.Run(t, "schedule", "add", "Leap", "x", "--when", "0 8 29 2 *"); o.Code != 0 || !strings.HasPrefix(o.Stdout, "Leap runs next on "+want+".\n") {
		t.Errorf("add: %+v", o)
	}
	if o := e.Run(t, "schedule", "add", "Night", "x", "--when", "30 2 * * *", "--quiet", "22-7:15"); o.Code != 0 || !strings.Contains(o.Stdout, ", 07:15, after quiet hours.\n") {
		t.Errorf("add: %+v", o)
	}
	if o := e.Run(t, "schedule", "list"); !strings.Contains(o.Stdout, want+" ") || !strings.Contains(o.Stdout, ", 07:15 (after quiet hours)") {
		t.Errorf("list: %+v", o)
	}
	for _, name := range []string{"Leap", "Night"} {
		if o := e.Run(t, "schedule", "remove", name); o.Code != 0 {
			t.Errorf("remove: %+v", o)
		}
	}
	if o := e.Run(t, "permissions", "list", "--json"); !strings.Contains(o.Stdout, `"agent":"orchestrator","tool":"RUN_CMD","covers":"git","answer":"always","session":"","schedule":"Morning"`) {
		t.Errorf("permissions: %+v", o)
	}
	if o := e.Run(t, "schedule", "add", "morning", "Again", "--when", "every hour"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "Another schedule has this name") {
		t.Errorf("add twice: %+v", o)
	}
	if o := e.Run(t, "schedule", "run", "Morning"); o.Code != 0 || o.Stdout != "All is well.\n" {
		t.Errorf("run: %+v", o)
	}
	if o := e.Run(t, "sessions", "show", "schedule-morning"); o.Code != 0 || !strings.Contains(o.Stdout, "What is new?") {
		t.Errorf("its session: %+v", o)
	}
	o := e.Run(t, "schedule", "list", "--json")
	var line struct {
		Name, When, Next, Last, Quiet, Session string
		OnBattery                              bool `json:"on_battery"`
	}
	if err := json.Unmarshal([]byte(o.Stdout), &line); err != nil || line.Name != "Morning" || line.When != "every weekday at 8" || line.Next == "" || line.Last == "" || line.Quiet != "22:00-7:00" || !line.OnBattery || line.Session != "schedule-morning" {
		t.Errorf("list: %+v, %v", o, err)
	}
	for _, step := range []struct{ command, want, list string }{
		{"disable", "Morning is off.\n", "off"}, {"enable", "Morning is on.\n", ", 08:00"}, {"remove", "Morning is removed.\n", "No schedules."},
	} {
		if o := e.Run(t, "schedule", step.command, "Morning"); o.Code != 0 || o.Stdout != step.want {
			t.Errorf("%s: %+v", step.command, o)
		}
		if o := e.Run(t, "schedule", "list"); !strings.Contains(o.Stdout, step.list) {
			t.Errorf("after %s: %+v", step.command, o)
		}
	}
	if o := e.Run(t, "permissions", "list", "--json"); o.Stdout != "" {
		t.Errorf("its permission stays: %+v", o)
	}
	if err := os.WriteFile(file, []byte("[[schedule]]\nname = \"B\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := e.Run(t, "schedule", "list"); !strings.Contains(o.Stderr, "schedules.toml, line 1 (B): when is missing") {
		t.Errorf("a broken one: %+v", o)
	}
}
