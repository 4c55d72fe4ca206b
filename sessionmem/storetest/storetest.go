// Package storetest opens and fills stores for the tests of packages below the store, which
// use it as callers do. Only tests import it.
package storetest

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// Open opens a store and closes it at the end of the test.
func Open(t testing.TB, root string) *sessionmem.Store {
	t.Helper()
	return With(t, sessionmem.Config{Root: root})
}

// With opens a store with these settings.
func With(t testing.TB, cfg sessionmem.Config) *sessionmem.Store {
	t.Helper()
	s, err := sessionmem.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Append appends a block to a session.
func Append(t testing.TB, s *sessionmem.Store, name string, b transcript.Block) transcript.Block {
	t.Helper()
	out, err := s.Append(t.Context(), name, b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// User returns a message of the user.
func User(text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindUser, Text: text}
}

// Assistant returns an answer.
func Assistant(text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindAssistant, Text: text}
}

// Texts returns the texts of the context's messages.
func Texts(t testing.TB, s *sessionmem.Store, name string) []string {
	t.Helper()
	c, err := s.Context(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range c.Messages {
		out = append(out, m.Text)
	}
	return out
}

// OnlyFile returns the only transcript of a data folder.
func OnlyFile(t testing.TB, root string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, transcript.SessionDir, "*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("want one transcript, got %v (%v)", files, err)
	}
	return files[0]
}

// Month is how long a session must be untouched before Archive moves it, in most tests.
const Month = 30 * 24 * time.Hour

// Archive moves finished transcripts to the archive.
func Archive(t testing.TB, s *sessionmem.Store, rule sessionmem.ArchiveRule) []string {
	t.Helper()
	moved, err := s.Archive(t.Context(), rule)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(moved)
	return moved
}
