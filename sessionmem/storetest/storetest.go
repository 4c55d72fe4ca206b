// Package storetest opens and fills stores for the tests of packages below the store, which
// use it as callers do. Only tests import it.
package storetest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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

// Ago returns a message of the user written that long ago.
func Ago(d time.Duration, text string) transcript.Block {
	b := User(text)
	b.Time = time.Now().Add(-d)
	return b
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

// SameAfterRestart checks that a new process sees the same context.
func SameAfterRestart(t testing.TB, s *sessionmem.Store, root, name string) {
	t.Helper()
	running, err := s.Context(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := Open(t, root).Context(t.Context(), name)
	if diff := cmp.Diff(running, fresh, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("a restart gives another context (%v):\n%s", err, diff)
	}
}

// Names returns the names of the listed sessions.
func Names(list []transcript.Info) []string {
	var out []string
	for _, i := range list {
		out = append(out, i.Name)
	}
	return out
}

// Missing returns how many messages of a session are reported as removed by a save.
func Missing(t testing.TB, s *sessionmem.Store, name string) int {
	t.Helper()
	r, err := s.Removed(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return r.Messages
}

// Load loads a whole session.
func Load(t testing.TB, s *sessionmem.Store, name string) *transcript.Transcript {
	t.Helper()
	tr, err := s.Load(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// OnlyInfo returns the only entry of the list, without an error.
func OnlyInfo(t testing.TB, s *sessionmem.Store) transcript.Info {
	t.Helper()
	list, err := s.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Err != nil {
		t.Fatalf("want one session, got %+v, %v", list, err)
	}
	return list[0]
}

// OnlyFile returns the only transcript of a data folder.
func OnlyFile(t testing.TB, root string) string {
	t.Helper()
	files := Files(t, root)
	if len(files) != 1 {
		t.Fatalf("want one transcript, got %v", files)
	}
	return filepath.Join(root, transcript.SessionDir, files[0])
}

// Files returns the names of the transcripts in a session folder, in order.
func Files(t testing.TB, root string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, transcript.SessionDir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	return files
}

// PartLimit makes a transcript of ThreeParts three parts.
const PartLimit = 500

// Limited opens a store whose transcripts may have that many bytes.
func Limited(t testing.TB, root string, most int64) *sessionmem.Store {
	t.Helper()
	return With(t, sessionmem.Config{Root: root, MaxFileBytes: func() int64 { return most }})
}

// ThreeParts writes six messages to cpu-a, two in each of three parts.
func ThreeParts(t testing.TB, s *sessionmem.Store) []transcript.Block {
	t.Helper()
	var out []transcript.Block
	at := time.Now().Add(-40 * 24 * time.Hour).Truncate(time.Second)
	for i := range 6 {
		b := User(fmt.Sprintf("message %d %s", i, strings.Repeat("x", 150)))
		if i%2 == 1 {
			b.Kind = transcript.KindAssistant
		}
		b.Time = at.Add(time.Duration(i) * time.Minute)
		out = append(out, Append(t, s, "cpu-a", b))
	}
	return out
}

// Attach attaches a text file to a session.
func Attach(t testing.TB, s *sessionmem.Store, session, name, text string) transcript.Attachment {
	t.Helper()
	u, err := attach.New(t.Context(), name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Attach(t.Context(), session, u)
	if err != nil {
		t.Fatal(err)
	}
	return a
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

// Attached returns the names of the attached files of a data folder.
func Attached(t testing.TB, root string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, transcript.SessionDir, transcript.FilesDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	return files
}
