package cpuwindow

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// onDisk writes a session of two messages, shows it, and returns its file.
func (b *bench) onDisk() (*sessionmem.Store, string) {
	b.t.Helper()
	store, err := sessionmem.Open(sessionmem.Config{Root: b.t.TempDir()})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = store.Close() })
	b.with(func(p *parts) { p.sessions, p.library = store, store })
	for _, block := range []transcript.Block{{Kind: transcript.KindUser, Text: "the first question"}, {Kind: transcript.KindAssistant, Text: "the first answer"}} {
		if _, err := store.Append(b.t.Context(), "cpu-a", block); err != nil {
			b.t.Fatal(err)
		}
	}
	t, err := store.Load(b.t.Context(), "cpu-a")
	if err != nil {
		b.t.Fatal(err)
	}
	b.shown()
	b.w.OpenSession("cpu-a")
	b.Settle()
	return store, t.Info.Path
}

// A transcript that was moved is opened where it is now; no new file is created.
func TestOpenFileCreatesNoTranscript(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		store, path := b.onDisk()
		tools := t.TempDir()
		opened := filepath.Join(tools, "opened")
		if err := os.WriteFile(filepath.Join(tools, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" > "+opened+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", tools)
		if moved, err := store.Archive(t.Context(), sessionmem.ArchiveRule{After: time.Nanosecond}); err != nil || len(moved) != 1 {
			t.Fatal(moved, err)
		}
		b.tap("Open file")
		b.Settle()
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.md")); len(left) > 0 {
			t.Errorf("it made %q", left)
		}
		b.SeesNot("not there any more")
		if err := os.RemoveAll(filepath.Join(filepath.Dir(path), "archive")); err != nil {
			t.Fatal(err)
		}
		b.tap("Open file")
		b.Settle()
		b.Sees("no longer exists")
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.md")); len(left) > 0 {
			t.Errorf("it made %q", left)
		}
	})
}
