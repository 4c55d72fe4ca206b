package sieve_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
)

// A transcript that holds forgotten text isn't opened, whenever that text comes back. One
// without it is opened, also by the next process.
func TestTranscriptsWithForgottenTextAreNotOpened(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	path := filepath.Join(root, transcript.SessionDir, "a.md")
	filetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	log := slog.New(slog.DiscardHandler)
	record := forgotten.NewRecord(root, log)
	dir := sessiondir.New(filepath.Dir(path), log)
	filetest.Must(t, dir.Check())
	t.Cleanup(func() { filetest.Must(t, dir.Close()) })
	open := func() error {
		f, err := sieve.New(dir, cache, record).Open("a.md", func(string) string { return "cli-a" })
		if err == nil {
			err = f.Close()
		}
		return err
	}
	const clean, dirty = "## User\n\nhello\n", "## User\n\nmy locker code is zebra seven\n"
	filetest.Write(t, path, dirty)
	filetest.Must(t, open()) // nothing is forgotten yet
	traces, err := record.New(true, false)
	filetest.Must(t, err)
	traces.AddWords("zebra seven")
	traces.AddPhrase(dirty, traces.Phrase("zebra seven"))
	filetest.Must(t, record.Begin(traces))
	for range 2 {
		if err := open(); !errors.Is(err, sieve.ErrHoldsForgotten) {
			t.Errorf("opened: %v", err)
		}
		filetest.Write(t, path, clean)
		for range 2 {
			filetest.Must(t, open())
		}
		filetest.Write(t, path, dirty)
	}
	filetest.Must(t, os.Remove(path))
	filetest.Must(t, os.Mkdir(path, 0o700))
	if err := open(); !errors.Is(err, transcript.ErrNotFile) {
		t.Errorf("a folder: %v", err)
	}
}
