package forgotten

import (
	"os"
	"path/filepath"
	"testing"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/transcript"
)

var (
	must      = filetest.Must
	readFile  = filetest.Read
	writeFile = filetest.Write
)

// rig is a data folder in which phrases are forgotten.
type rig struct {
	t    *testing.T
	root string
}

// newRig creates a data folder that the app has used: the folder of the locks exists.
func newRig(t *testing.T) rig {
	r := rig{t, t.TempDir()}
	must(t, os.MkdirAll(filepath.Join(r.root, transcript.SessionDir, transcript.LocksDir), 0o700))
	return r
}

// forget forgets a phrase of a text.
func (r rig) forget(text, phrase string) {
	r.t.Helper()
	record := NewRecord(r.root, nil)
	tr, err := record.New(true, false)
	must(r.t, err)
	tr.AddWords(phrase)
	if !tr.AddPhrase(text, tr.Phrase(phrase)) {
		r.t.Fatalf("%q does not stand in %q", phrase, text)
	}
	must(r.t, record.Begin(tr))
	must(r.t, record.Done(tr.Traces, nil))
}
