package backend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/memory"
)

// While the app runs, a save that drops a remembered line is reported until the user
// decides about it; a save in progress isn't.
func TestMissingLinesAreANotice(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir()), Watch: true})
	path := b.Memory.Path(memory.Target{Kind: memory.TargetGlobal})
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Memory.Append(t.Context(), memory.Lesson{Text: "Cats purr at night", Confidence: 1}); err != nil {
		t.Fatal(err)
	}
	missing := waitNotice(t, b, "1 remembered line is no longer in memory.md", func() { write(t, path, string(before)) })
	if missing.Kind != NoticeMissing || len(missing.Missing) != 1 || missing.Missing[0].Text != "Cats purr at night" {
		t.Errorf("told is %+v", missing)
	}
	waitNotice(t, b, "no remembered line is missing any more", func() {
		if _, err := b.Memory.Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if slices.ContainsFunc(b.Notices(), func(n Notice) bool { return n.Kind == NoticeMissing }) {
		t.Errorf("still told: %+v", b.Notices())
	}
	n := waitNotice(t, b, "memory.md reloaded", func() {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, "")
		time.Sleep(700 * time.Millisecond) // longer than the watcher waits for a quiet file
		write(t, path, string(whole)+"- one more\n")
	})
	if !strings.HasSuffix(n.Text, "−0") {
		t.Errorf("a save in two steps is told as %q", n.Text)
	}
}

// The app writes a lesson that a killed command left in the inbox.
func TestTheAppWritesALessonThatACommandLeft(t *testing.T) {
	dir := t.TempDir()
	b := open(t, Options{Environ: environ(dir), Watch: true})
	waitNotice(t, b, "remembered: Cats purr at night", func() {
		write(t, filepath.Join(b.Paths.Home, "agents", "memory-inbox.md"), "- [k3x9qa] add to global: Cats purr at night <!-- 2026-11-21T10:15:02+01:00 session=cpu-a confidence=1 why=saving -->\n")
	})
	if waiting, err := b.Memory.Inbox(); err != nil || len(waiting) > 0 {
		t.Errorf("the inbox holds %+v, %v", waiting, err)
	}
	f, err := b.Memory.Load(memory.Target{Kind: memory.TargetGlobal})
	if err != nil || !strings.Contains(f.Text, "- Cats purr at night <!-- "+time.Now().Format(time.DateOnly)+" cpu-a -->\n") {
		t.Errorf("%q, %v", f.Text, err)
	}
}
