package trash_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/transcript"
)

var (
	must      = filetest.Must
	readFile  = filetest.Read
	writeFile = filetest.Write
)

func openStore(t testing.TB, root string) *sessionmem.Store {
	t.Helper()
	s, err := sessionmem.Open(sessionmem.Config{Root: root})
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

func mustAppend(t testing.TB, s *sessionmem.Store, name string, b transcript.Block) transcript.Block {
	t.Helper()
	out, err := s.Append(t.Context(), name, b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func user(text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindUser, Text: text}
}

func assistant(text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindAssistant, Text: text}
}

// texts gives the texts of the context's messages.
func texts(t testing.TB, s *sessionmem.Store, name string) []string {
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

func onlyFile(t testing.TB, root string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, transcript.SessionDir, "*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("want one transcript, got %v (%v)", files, err)
	}
	return files[0]
}

// ago is a user block written that long ago.
func ago(d time.Duration, text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindUser, Time: time.Now().Add(-d), Text: text}
}

func names(infos []transcript.Info) []string {
	var out []string
	for _, i := range infos {
		out = append(out, i.Name)
	}
	return out
}

func mustArchive(t *testing.T, s *sessionmem.Store, rule sessionmem.ArchiveRule) []string {
	t.Helper()
	moved, err := s.Archive(t.Context(), rule)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(moved)
	return moved
}

const month = 30 * 24 * time.Hour
