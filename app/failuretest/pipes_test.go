//go:build unix

package failuretest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mac-stats/agents/testkit"
)

// used returns a folder in which everything was used once.
func used(t *testing.T) *place {
	t.Helper()
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	p := newPlace(t, server.Addr())
	attached := filepath.Join(p.base, "note.txt")
	if err := os.WriteFile(attached, []byte("a note"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.write("config.toml", "[memory]\nwrite = \"auto\"\n")
	for _, args := range [][]string{
		{"ask", "--session", "now", question},
		{"ask", "--session", "now", "--file", attached, question},
		{"memory", "add", "Cats purr at night."},
		{"memory", "search", "cats"},
		{"memory", "forget", "--text", "purr", "--yes"},
		{"doctor"},
	} {
		p.run(args...)
	}
	app := p.start(p.command("--headless"))
	until(t, "the app to run", func() bool { return app.stdout.String() != "" })
	p.run("ask", "--session", "two", question)
	app.signal(os.Interrupt)
	app.wait()
	clear(p.had) // the tests remove files
	return p
}

// fixed returns the files that the program opens by a known name, relative to the base.
func (p *place) fixed() []string {
	p.t.Helper()
	var found []string
	err := filepath.WalkDir(p.base, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && slices.Contains([]string{"agent-002", "agent-003", "agent-004", "summarize"}, d.Name()) { // like the others
			return fs.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			rel, relErr := filepath.Rel(p.base, path)
			found, err = append(found, rel), relErr
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range []string{
		"home/config.toml", "home/.config.lock", "home/session/.partial/cli-now.md", "home/session/.journal/cli-now.jsonl", "home/session/state.json",
		"home/forgotten.jsonl", "home/logs/mac-stats.log", "home/logs/memory.jsonl", "home/agents/.shipped.json",
		"home/agents/reset-phrases.md", "home/agents/memory-inbox.md", "home/session/.locks/cli-now.lock", "home/discord/channels.toml", "home/api-token",
		"cache/vitals.history", "cache/launch-at-login",
	} {
		if !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

// A pipe in place of any file blocks no command.
func TestAPipeInPlaceOfAFileBlocksNothing(t *testing.T) {
	t.Parallel()
	p := used(t)
	commands := [][]string{
		{"ask", "--session", "now", "Cats?"},
		{"sessions", "list"},
		{"sessions", "show", "cli-now"},
		{"memory", "list"},
		{"memory", "search", "cats"},
		{"memory", "add", "Dogs bark."},
		{"memory", "inbox"},
		{"agents", "list"},
		{"doctor"},
		{"memory", "forget", "--text", "barkk", "--yes"},
	}
	files := p.fixed()
	t.Logf("%d files: %s", len(files), strings.Join(files, " "))
	var all sync.WaitGroup
	slots := make(chan bool, 4)
	for _, name := range files {
		all.Go(func() {
			slots <- true
			defer func() { <-slots }()
			copied := p.copied(name)
			if err := os.MkdirAll(filepath.Dir(filepath.Join(copied.base, name)), 0o700); err != nil {
				t.Error(err)
				return
			}
			pipe := filepath.Join(copied.base, name)
			for _, args := range commands {
				_ = os.Remove(pipe) // it may be missing
				if err := syscall.Mkfifo(pipe, 0o600); err != nil {
					t.Error(err)
					return
				}
				if copied.hangs(args...) {
					t.Errorf("%s hangs: %s is a pipe", strings.Join(args, " "), name)
				}
			}
		})
	}
	all.Wait()
}

// hangs runs a command, however it ends, and reports whether it blocks; an app is ended as
// soon as it runs.
func (p *place) hangs(args ...string) bool {
	r := &process{t: p.t, cmd: p.command(args...), ended: make(chan struct{})}
	r.cmd.Stdout = &r.stdout
	if err := r.cmd.Start(); err != nil {
		p.t.Error(err)
		return false
	}
	go func() {
		_ = r.cmd.Wait() // it may refuse
		close(r.ended)
	}()
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(5 * time.Millisecond) {
		select {
		case <-r.ended:
			return false
		default:
		}
		if args[0] == "--headless" && r.stdout.String() != "" {
			_ = r.cmd.Process.Signal(os.Interrupt) // it may have ended
		}
	}
	_ = r.cmd.Process.Kill()
	<-r.ended
	return true
}

// copied returns a copy of a place for one of its files.
func (p *place) copied(name string) *place {
	base := filepath.Join(p.t.TempDir(), strings.ReplaceAll(name, "/", "_"))
	if err := os.CopyFS(base, os.DirFS(p.base)); err != nil {
		p.t.Error(err)
	}
	return &place{t: p.t, base: base, home: filepath.Join(base, "home"), env: p.env}
}
