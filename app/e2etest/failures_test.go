//go:build e2e

package e2etest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mac-stats/agents/testkit/realollama"
)

// longAnswer keeps saying new things, because an answer that repeats itself would be ended.
func longAnswer() string {
	var b strings.Builder
	b.WriteString("tick tock and so on")
	for i := range 1000 {
		fmt.Fprintf(&b, " %d", i)
	}
	return b.String() + " "
}

// linePace is the pace of a slow model: the long answer takes 25 s.
const linePace = 25 * time.Millisecond

// talker gives long or short answers.
var talker = realollama.Model{
	Name: "talker",
	Answers: map[string]string{
		"endless": longAnswer(),
		"short":   "Here I am again.",
	},
	Endless: []string{"endless"},
	Rules:   []realollama.Rule{{Contains: "Are you there", Answer: "short"}, {Contains: "Go on", Answer: "endless"}},
	Default: "short",
}

func TestEndInMidStreamLosesNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		signal os.Signal // nil: its screen goes away, as when the person logs out
		clean  bool      // the program ends by itself, without an error
		saved  bool      // it saves all of the answer
	}{
		"given SIGTERM":             {syscall.SIGTERM, true, true},
		"given kill -9":             {syscall.SIGKILL, false, false},
		"given Ctrl-C":              {os.Interrupt, true, true},
		"given a hangup":            {syscall.SIGHUP, false, true},
		"given a screen that ended": {nil, false, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.signal == syscall.SIGHUP && signal.Ignored(syscall.SIGHUP) { // under nohup the app would ignore it too
				signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
			}
			d := newDesk(t, talker)
			d.proxy.Pace(linePace)
			app, icon := d.launch(t)
			d.click(t, icon, "Open CPU window")
			d.screen.waitWindow(t, app.pid())
			d.screen.typeLine(t, "Go on for ever")
			first := ""
			waitFor(t, time.Minute, "a second checkpoint", func() bool {
				now := d.checkpoint(t)
				if first == "" {
					first = now
				}
				return first != "" && now != "" && now != first
			})
			if test.signal == nil {
				d.screen.server.kill()
			} else if err := app.cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			if test.clean {
				app.waitExit(t)
			} else {
				<-app.exited
			}
			if kept := strings.Contains(d.transcript(t), "tick tock and so on"); test.saved && !kept {
				t.Errorf("the transcript holds nothing of the answer:\n%s", d.transcript(t))
			}
			// when the person asks again in the same session, with a command
			out := d.run(t, "ask", "--session", d.session(t), "Are you there?")
			if out != "Here I am again." {
				t.Errorf("the next answer is %q", out)
			}
			// then the partial answer comes before it, marked
			before, _, found := strings.Cut(d.transcript(t), "Are you there?")
			if !found || !strings.Contains(before, "tick tock and so on") || !strings.Contains(before, "interrupted") {
				t.Errorf("the transcript does not keep the partial answer, marked interrupted:\n%s", d.transcript(t))
			}
			d.keep(t)
		})
	}
}

func TestSecondStartRaisesTheWindow(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker)
	app, _ := d.launch(t)
	if ids := d.screen.windows(app.pid()); len(ids) > 0 {
		t.Errorf("windows %v are shown before anybody asked for one", ids)
	}
	out := d.run(t)
	if !strings.Contains(out, "already running") {
		t.Errorf("the second start says %q", out)
	}
	d.screen.waitWindow(t, app.pid())
	if n := d.panel.Registrations(); n != 1 {
		t.Errorf("%d icons in the tray, want one", n)
	}
}

func TestCommandAndWindowShareASession(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker)
	app, icon := d.launch(t)
	d.click(t, icon, "Open CPU window")
	d.screen.waitWindow(t, app.pid())
	d.screen.typeLine(t, "Hello there")
	d.waitAnswer(t, 1, "Here I am again.")
	if out := d.run(t, "ask", "--session", d.session(t), "From the command line"); out != "Here I am again." {
		t.Errorf("the command says %q", out)
	}
	d.screen.typeLine(t, "And from the window")
	d.waitAnswer(t, 3, "Here I am again.")
	chat := lastChat(t, d)
	for _, text := range []string{"Hello there", "From the command line", "And from the window"} {
		if !holds(chat, text) {
			t.Errorf("the window's next request does not hold %q: %s", text, roles(chat))
		}
	}
	d.screen.shot(t, "shared-session")
}

func TestNoTrayHostOpensTheWindowAndSaysWhy(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker)
	d.panel.Close() // plain GNOME
	app := startProcess(t, "mac-stats", d.command(t))
	d.screen.waitWindow(t, app.pid())
	d.screen.waitDrawn(t)
	d.screen.shot(t, "no-tray-host")
}

func TestNoDisplaySaysSo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker)
	cmd := d.command(t)
	cmd.Env = append(cmd.Env, "DISPLAY=", "WAYLAND_DISPLAY=")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("without a display it ended with %v, want exit 1", err)
	}
	if text := string(out); !strings.Contains(text, "--headless") || strings.Contains(text, "panic") {
		t.Errorf("without a display it says %q", text)
	}
}

// given an X server that wants a cookie, when the app has none, then it says so
func TestAnXServerThatRefuses(t *testing.T) {
	t.Parallel()
	cookie := []byte("\x01\x00\x00\x04host\x00\x00\x00\x12MIT-MAGIC-COOKIE-1\x00\x10sixteen letters!")
	file := filepath.Join(t.TempDir(), "cookie")
	if err := os.WriteFile(file, cookie, 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, talker)
	d.screen = startDisplay(t, 800, 600, "-auth", file)
	cmd := d.command(t, "--window")
	cmd.Env = append(cmd.Env, "XAUTHORITY="+filepath.Join(d.user, "none"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if text := string(out); !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(text, "XAUTHORITY") || strings.Contains(text, "panic") {
		t.Errorf("it ended with %v and says %q", err, text)
	}
	if reports, err := filepath.Glob(filepath.Join(d.home, "logs", "crash-*")); err != nil || len(reports) > 0 {
		t.Errorf("crash reports: %v, %v", reports, err)
	}
}

func TestServerDownIsReportedAndNothingIsLost(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker)
	d.host = d.ollama.Host() // otherwise the proxy would still be there
	d.ollama.Stop()
	app, icon := d.launch(t)
	d.click(t, icon, "Open CPU window")
	d.screen.waitWindow(t, app.pid())
	d.screen.waitDrawn(t)
	d.screen.shot(t, "server-down")
	cmd := d.command(t, "ask", "--session", "down", "Is anybody there?")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "ollama serve") {
		t.Errorf("with the server down ask ends with %v and says %q", err, out)
	}
	if !strings.Contains(d.transcript(t), "Is anybody there?") {
		t.Errorf("the question is not on disk:\n%s", d.transcript(t))
	}
}

// checkpoint returns the saved part of the running answer; "" if there is none.
func (d *desk) checkpoint(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(d.home, "session", ".partial", "*.md"))
	if err != nil || len(files) == 0 {
		return ""
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return "" // it is being rewritten
	}
	return string(text)
}

// run runs a command of the program and returns its stdout.
func (d *desk) run(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	full := d.command(t, args...)
	cmd := exec.CommandContext(ctx, full.Path, args...)
	cmd.Env, cmd.Dir = full.Env, full.Dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("mac-stats %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// session returns the name of the only session.
func (d *desk) session(t *testing.T) string {
	t.Helper()
	_, rest, found := strings.Cut(d.transcript(t), "\nsession: ")
	if !found {
		t.Fatalf("the transcript names no session:\n%s", d.transcript(t))
	}
	name, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(name)
}
