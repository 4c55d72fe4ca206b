//go:build e2e && unix

package e2etest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestACrashIsReportedAtTheNextStart(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker)
	app, _ := d.launch(t)
	if err := app.cmd.Process.Signal(syscall.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	<-app.exited
	if app.err == nil {
		t.Error("it ended well")
	}
	app, icon := d.launch(t)
	reports, err := filepath.Glob(filepath.Join(d.home, "logs", "crash-*.new.txt"))
	if err != nil || len(reports) != 1 {
		t.Fatalf("reports %v, %v", reports, err)
	}
	text, err := os.ReadFile(reports[0])
	for _, want := range []string{"cause:   SIGSEGV", "goroutine ", "main.main", "msg=start"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v, %q is not in the report:\n%s", err, want, text)
		}
	}
	d.click(t, icon, "Open CPU window")
	d.screen.waitWindow(t, app.pid())
	d.screen.waitDrawn(t)
	d.screen.shot(t, "crash-told")
	if err := app.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	app.waitExit(t)
	if left, err := filepath.Glob(filepath.Join(d.home, "logs", "*.part")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if out := app.output.tail(100); strings.Contains(out, "EOF") {
		t.Errorf("at the end it wrote:\n%s", out)
	}
}

func TestTheHotkeyShowsTheWindow(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker)
	config := "[window]\nhotkey = \"Ctrl+Alt+Space\"\n"
	if err := os.WriteFile(filepath.Join(d.home, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	app, _ := d.launch(t)
	if ids := d.screen.windows(app.pid()); len(ids) > 0 {
		t.Errorf("windows %v are shown before anybody asked for one", ids)
	}
	for range 20 { // until the app has registered the key
		d.screen.run(t, "xdotool", "key", "ctrl+alt+space")
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if len(d.screen.windows(app.pid())) > 0 {
				return
			}
		}
	}
	t.Errorf("the key shows no window; mac-stats wrote:\n%s", app.output.tail(20))
}
