package catalog_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

var (
	must       = filetest.Must
	readFile   = filetest.Read
	writeFile  = filetest.Write
	openStore  = storetest.Open
	mustAppend = storetest.Append
	user       = storetest.User
	assistant  = storetest.Assistant
	texts      = storetest.Texts
	onlyFile   = storetest.OnlyFile
)

// openLimited opens a store whose transcripts may have that many bytes.
func openLimited(t testing.TB, root string, most int64) *sessionmem.Store {
	t.Helper()
	return storetest.With(t, sessionmem.Config{Root: root, MaxFileBytes: func() int64 { return most }})
}

// transcripts returns the names of the files in the session folder in order.
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
