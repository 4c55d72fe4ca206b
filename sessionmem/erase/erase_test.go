package erase_test

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/erase"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

const (
	secret = "my locker code is zebra seven"
	front  = "---\nformat: mac-stats-session/1\nsession: cli-a\nstarted: 2026-11-20T10:10:10Z\n---\n"
	file   = "session-memory-cli-a-20261120-101010-hello.md"
)

// said is the transcript.
var said = front + string(transcript.AppendBlock(transcript.AppendBlock(nil, block("u1", "hello")), block("u2", secret)))

func block(id, text string) transcript.Block {
	return transcript.Block{ID: id, Kind: transcript.KindUser, Time: time.Date(2026, 11, 20, 10, 10, 10, 0, time.UTC), Text: text}
}

// folder returns a session folder that holds the secret in every place where a session can
// be, without the program that wrote it.
func folder(t *testing.T) (root string, e *erase.Eraser, traces *forgotten.Traces) {
	root = t.TempDir()
	below := filepath.Join(root, transcript.SessionDir)
	for _, path := range []string{
		file, "session-memory-cli-a-20261120-101010-hello copy.md", "notes of mine.md",
		catalog.ArchiveDir + "/2026-11/session-memory-cli-a-20261020-101010-hello.md",
		catalog.TrashDir + "/20261121-101010.000.cli-a/" + file,
		transcript.JournalDir + "/cli-a.md", transcript.PartialDir + "/cli-a.u3.md",
	} {
		path = filepath.Join(below, filepath.FromSlash(path))
		filetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		filetest.Write(t, path, said)
	}
	log := slog.New(slog.DiscardHandler)
	record := forgotten.NewRecord(root, log)
	dir := sessiondir.New(below, log)
	filetest.Must(t, dir.Check())
	t.Cleanup(func() { filetest.Must(t, dir.Close()) })
	all := catalog.New(catalog.Config{Dir: dir, Sieve: sieve.New(dir, "", record), Logger: log})
	draft, err := record.New(true, false)
	filetest.Must(t, err)
	draft.AddWords(secret)
	draft.AddPhrase(said, draft.Phrase(secret))
	return root, erase.New(dir, all, log), draft.Traces
}

// holding returns the files that hold the secret.
func holding(t *testing.T, root string) (files []string) {
	filetest.Must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(filetest.Read(t, path), "zebra") {
			files = append(files, filepath.Base(path))
		}
		return err
	}))
	return files
}

func TestEraseReachesEveryPlaceInTheFolder(t *testing.T) {
	root, e, traces := folder(t)
	f, err := e.Begin(traces, nil, false)
	filetest.Must(t, err)
	for _, s := range f.Sessions() {
		if !s.Plan() {
			t.Errorf("nothing is to be done in %s", s.Name)
		}
		s.Erase(t.Context())
		for _, touched := range s.Found() {
			if touched.Action == forgotten.Refused {
				t.Errorf("refused: %+v", touched)
			}
		}
	}
	if left := holding(t, root); left != nil {
		t.Errorf("still in %v", left)
	}
	now := filetest.Read(t, filepath.Join(root, transcript.SessionDir, file))
	if want := strings.Replace(said, secret, forgotten.Text, 1); now != want {
		t.Errorf("what stays has changed (-want +got):\n%s", cmp.Diff(want, now))
	}
}

func TestADryRunChangesNothingAndShowsWhatGoes(t *testing.T) {
	root, e, traces := folder(t)
	before := holding(t, root)
	f, err := e.Begin(traces, map[string]bool{"cli-a": true}, true)
	filetest.Must(t, err)
	if len(f.Sessions()) != 1 || !f.Sessions()[0].Plan() {
		t.Fatalf("sessions %v", f.Sessions())
	}
	shown := false
	for _, touched := range f.Sessions()[0].Found() {
		shown = shown || strings.Contains(touched.Text, "zebra seven")
	}
	if !shown {
		t.Errorf("no text is shown: %+v", f.Sessions()[0].Found())
	}
	if diff := cmp.Diff(before, holding(t, root)); diff != "" {
		t.Error(diff)
	}
}

func TestABlockOfAJournalIsReportedOnce(t *testing.T) {
	_, e, _ := folder(t)
	times := map[string]int{}
	filetest.Must(t, e.Each(t.Context(), map[string]bool{"cli-a": true}, func(_, path string, b transcript.Block) {
		if strings.Contains(path, transcript.JournalDir) {
			times[b.ID]++
		}
	}))
	if len(times) != 0 {
		t.Errorf("what stands in a transcript too is told of the journal: %v", times)
	}
}
