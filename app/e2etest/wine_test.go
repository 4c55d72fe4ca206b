//go:build e2e && systems

package e2etest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mac-stats/agents/testkit"
)

// The Windows program under Wine. scripts/wine.sh builds it and runs this.

// wineDesk is the desk of a person with Windows: a screen, and a home folder in it.
type wineDesk struct {
	screen *screen
	home   string // MAC_STATS_HOME
	server *testkit.Server
}

// winePrograms returns the folder with mac-stats.exe and winhand.exe.
func winePrograms(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MAC_STATS_TEST_WINDOWS")
	if dir == "" {
		t.Fatal("MAC_STATS_TEST_WINDOWS names no folder with the programs for Windows; run this with: scripts/wine.sh")
	}
	return dir
}

func newWineDesk(t *testing.T) *wineDesk {
	t.Helper()
	w := &wineDesk{screen: startScreen(t), home: filepath.Join(t.TempDir(), "home folder")}
	if err := os.MkdirAll(w.home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.home, "config.toml"), []byte("# nothing is set\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.server = testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "wine:8b", ContextLength: 16384, Capabilities: []string{"completion"}}},
		Rules:  []testkit.Rule{{UserContains: "fan loud", Reply: testkit.Reply{Text: fanAnswer}}},
	})
	t.Cleanup(func() { _ = w.serverCommand("-k").Run() }) // it serves only this screen
	return w
}

// serverCommand runs a command of Wine's server.
func (w *wineDesk) serverCommand(args ...string) *exec.Cmd {
	return exec.Command(os.Getenv("MAC_STATS_TEST_WINESERVER"), args...)
}

// command runs a Windows program on the screen.
func (w *wineDesk) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command("wine", append([]string{name}, args...)...)
	cmd.Env = append(append(os.Environ(), w.screen.environ()...),
		"MAC_STATS_HOME="+onDriveZ(w.home), "MAC_STATS_CACHE="+onDriveZ(filepath.Join(w.home, "cache")), "OLLAMA_HOST="+w.server.Addr(),
		"WINEDEBUG=-all", "LIBGL_ALWAYS_SOFTWARE=1", "LANG=C.UTF-8")
	return cmd
}

// onDriveZ returns Wine's form of a path on this machine.
func onDriveZ(path string) string { return "Z:" + strings.ReplaceAll(path, "/", `\`) }

// hand runs winhand.
func (w *wineDesk) hand(t *testing.T, args ...string) error {
	t.Helper()
	return w.command(filepath.Join(winePrograms(t), "winhand.exe"), args...).Run()
}

// window returns the IDs of the app's visible windows.
func (w *wineDesk) window() []string {
	out, err := w.screen.try("xdotool", "search", "--onlyvisible", "--name", "^mac-stats$")
	if err != nil {
		return nil
	}
	return strings.Fields(out)
}

// pick opens the icon's menu and clicks its first or its last line.
func (w *wineDesk) pick(t *testing.T, last bool) {
	t.Helper()
	var left, top, right, bottom int
	waitFor(t, patience, "the menu", func() bool {
		if err := w.hand(t, "icon", "right"); err != nil {
			return false
		}
		for range 20 {
			out, err := w.command(filepath.Join(winePrograms(t), "winhand.exe"), "menu").Output()
			if _, scanErr := fmt.Sscan(string(out), &left, &top, &right, &bottom); err == nil && scanErr == nil {
				return true
			}
		}
		return false
	})
	w.screen.shot(t, "menu")
	const line = 10 // half a line, in pixels
	y := top + line
	if last {
		y = bottom - line
	}
	w.screen.run(t, "xdotool", "mousemove", strconv.Itoa((left+right)/2), strconv.Itoa(y), "click", "1")
}

// transcript returns the only transcript.
func (w *wineDesk) transcript(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.home, "session", "session-memory-*.md"))
	if err != nil || len(files) != 1 {
		return ""
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWineWalk(t *testing.T) {
	rounds := 1
	if n, err := strconv.Atoi(os.Getenv("MAC_STATS_TEST_ROUNDS")); err == nil {
		rounds = n
	}
	for i := range rounds {
		t.Run(strconv.Itoa(i+1), wineWalk)
	}
}

func wineWalk(t *testing.T) {
	w := newWineDesk(t)
	app := startProcess(t, "mac-stats", w.command(filepath.Join(winePrograms(t), "mac-stats.exe")))
	waitFor(t, patience, "the icon", func() bool { return w.hand(t, "icon", "left") == nil || !app.running() })

	// when the icon is clicked, then the window opens
	waitFor(t, patience, "the window", func() bool { return len(w.window()) > 0 || !app.running() })
	if !app.running() {
		t.Fatalf("mac-stats ended: %v\n%s", app.err, app.output.tail(40))
	}
	w.screen.run(t, "xdotool", "windowactivate", "--sync", w.window()[0])
	w.screen.waitDrawn(t)
	empty := w.screen.shot(t, "window")

	// and a typed question is answered
	w.screen.typeLine(t, "Why is my fan loud?")
	waitFor(t, patience, "the answer", func() bool { return strings.Contains(w.transcript(t), fanAnswer) })
	waitFor(t, patience, "the answer on the screen", func() bool { return differing(empty, w.screen.picture(t)) >= 2000 })
	w.screen.shot(t, "answer")

	// closing hides it, and the menu opens it again
	w.screen.run(t, "xdotool", "key", "--clearmodifiers", "alt+F4")
	waitFor(t, patience, "the window to go", func() bool { return len(w.window()) == 0 })
	if !app.running() {
		t.Fatal("closing the window ended the app")
	}
	w.pick(t, false) // Open CPU window
	waitFor(t, patience, "the window again", func() bool { return len(w.window()) > 0 })
	w.screen.waitDrawn(t)

	// and Quit ends the app, with nothing on stderr
	w.pick(t, true)
	app.waitExit(t)
	if out := app.output.tail(100); strings.Contains(out, "panic") || strings.Contains(out, "systray error") {
		t.Errorf("it wrote:\n%s", out)
	}
}
