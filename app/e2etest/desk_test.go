//go:build e2e

package e2etest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/agents/testkit/realollama"
	"mac-stats/app/apptest"
)

// desk is a person's desk: a screen, a panel with a tray, a home folder, and an Ollama
// server behind a recording proxy.
type desk struct {
	screen *screen
	bus    *apptest.Bus
	panel  *apptest.TrayHost
	ollama *realollama.Server
	proxy  *realollama.Proxy
	host   string   // OLLAMA_HOST: the proxy's address
	user   string   // the user's home folder
	home   string   // ~/.mac-stats
	extra  []string // additions to the environment of started programs
}

// newDesk sets up a desk for a person who has used mac-stats before: there is a
// config.toml, so that a start doesn't show a window by itself.
func newDesk(t testing.TB, models ...realollama.Model) *desk {
	t.Helper()
	d := newcomersDesk(t, startScreen(t), models...)
	if err := os.WriteFile(filepath.Join(d.home, "config.toml"), []byte("# nothing is set\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// newcomersDesk sets up a desk for a person who has never started mac-stats.
func newcomersDesk(t testing.TB, s *screen, models ...realollama.Model) *desk {
	t.Helper()
	d := &desk{screen: s, user: t.TempDir()}
	d.home = filepath.Join(d.user, ".mac-stats")
	for _, dir := range []string{d.home, filepath.Join(d.user, "run"), filepath.Join(d.user, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if d.bus, err = apptest.StartBus(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.bus.Close() })
	if d.panel, err = apptest.StartTrayHost(d.bus.Address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.panel.Close() })
	d.ollama = realollama.Start(t)
	d.ollama.Create(t, models...)
	d.proxy = d.ollama.Record(t)
	d.host = d.proxy.Host()
	return d
}

func (d *desk) environ() []string {
	return append(append(d.screen.environ(), d.extra...),
		"HOME="+d.user,
		"PATH="+filepath.Dir(os.Getenv("MAC_STATS_TEST_OLLAMA"))+string(os.PathListSeparator)+os.Getenv("PATH"), // Ollama is installed
		"LANG=C.UTF-8",
		"TMPDIR="+filepath.Join(d.user, "tmp"),
		"XDG_RUNTIME_DIR="+filepath.Join(d.user, "run"),
		"XDG_CACHE_HOME="+filepath.Join(d.user, "cache"),
		"DBUS_SESSION_BUS_ADDRESS="+d.bus.Address,
		"LIBGL_ALWAYS_SOFTWARE=1",
		"MAC_STATS_HOME="+d.home,
		"MAC_STATS_AGENTS_PROMPT_TIER=middle", "MAC_STATS_AGENTS_TOOLS_TIER=middle", // the test's models are tiny
		"OLLAMA_HOST="+d.host,
	)
}

// launch starts the program and waits for its icon in the tray.
func (d *desk) launch(t testing.TB, args ...string) (*process, *apptest.Item) {
	t.Helper()
	before := d.panel.Registrations()
	app := startProcess(t, "mac-stats", d.command(t, args...))
	waitFor(t, patience, "the icon in the tray", func() bool {
		return d.panel.Registrations() > before || !app.running()
	})
	if !app.running() {
		t.Fatalf("mac-stats ended at once: %v\n%s", app.err, app.output.tail(40))
	}
	return app, d.icon(t)
}

// command returns the built program with arguments, as the person at the desk runs it.
func (d *desk) command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	cmd.Env = d.environ()
	cmd.Dir = d.user
	return cmd
}

func binary(t testing.TB) string {
	t.Helper()
	path := os.Getenv("MAC_STATS_TEST_BINARY")
	if path == "" {
		t.Fatal("MAC_STATS_TEST_BINARY names no program to test; run this with: make e2e")
	}
	return path
}

func (d *desk) icon(t testing.TB) *apptest.Item {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	item, err := d.panel.Item(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return item
}

// click clicks a line of the icon's menu.
func (d *desk) click(t testing.TB, icon *apptest.Item, label string) {
	t.Helper()
	if err := icon.Click(t.Context(), label); err != nil {
		t.Fatal(err)
	}
}

// transcript reads the only transcript.
func (d *desk) transcript(t testing.TB) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(d.home, "session", "session-memory-*.md"))
	if err != nil || len(files) > 1 {
		t.Fatalf("transcripts %v, %v; want at most one", files, err)
	}
	if len(files) == 0 {
		return ""
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// waitAnswer waits until the transcript has n answers, the last of which contains text.
func (d *desk) waitAnswer(t testing.TB, n int, text string) {
	t.Helper()
	waitFor(t, patience, fmt.Sprintf("answer %d: %q", n, text), func() bool {
		answers := strings.Split(d.transcript(t), "\n## Assistant · ")[1:]
		return len(answers) >= n && strings.Contains(answers[n-1], text)
	})
}

// edit changes a file as many editors do: a new file, renamed over the old one.
func (d *desk) edit(t testing.TB, name string, change func(string) string) {
	t.Helper()
	path := filepath.Join(d.home, name)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"~new", []byte(change(string(old))), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~new", path); err != nil {
		t.Fatal(err)
	}
}

// keep copies the transcript to the artifacts.
func (d *desk) keep(t testing.TB) {
	t.Helper()
	path := filepath.Join(artifacts(t), "transcript.md")
	if err := os.WriteFile(path, []byte(d.transcript(t)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// editAsVim changes a file as vim does with the option backup: it checks that it can write
// in the folder, moves the old file away and writes a new one in its place.
func (d *desk) editAsVim(t testing.TB, name string, change func(string) string) {
	t.Helper()
	path := filepath.Join(d.home, name)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	probe, swap := filepath.Join(filepath.Dir(path), "4913"), filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".swp")
	err = errors.Join(
		os.WriteFile(swap, []byte("b0VIM 9.0"), 0o600),
		os.WriteFile(probe, nil, 0o600), os.Remove(probe),
		os.Rename(path, path+"~"),
		os.WriteFile(path, []byte(change(string(old))), 0o600),
		os.Remove(path+"~"), os.Remove(swap),
	)
	if err != nil {
		t.Fatal(err)
	}
}
