package catalog_test

import (
	"fmt"
	"path/filepath"
	"strings"
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

// openLimited opens a store whose transcripts may have that many bytes.
func openLimited(t testing.TB, root string, most int64) *sessionmem.Store {
	t.Helper()
	s, err := sessionmem.Open(sessionmem.Config{Root: root, MaxFileBytes: func() int64 { return most }})
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

// transcripts gives the names of the files in the session folder, in order.
func transcripts(t testing.TB, root string) []string {
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

const threePartsLimit = 500

// threeParts writes six messages, two in each of three parts.
func threeParts(t testing.TB, s *sessionmem.Store) []transcript.Block {
	t.Helper()
	var out []transcript.Block
	at := time.Now().Add(-40 * 24 * time.Hour).Truncate(time.Second)
	for i := range 6 {
		b := transcript.Block{Kind: []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[i%2], Time: at.Add(time.Duration(i) * time.Minute), Text: fmt.Sprintf("message %d %s", i, strings.Repeat("x", 150))}
		out = append(out, mustAppend(t, s, "cpu-a", b))
	}
	return out
}
