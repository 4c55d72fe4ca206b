package erase_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
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
	f, err := e.Begin(traces, nil, time.Time{}, false)
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
	f, err := e.Begin(traces, map[string]bool{"cli-a": true}, time.Time{}, true)
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

// rig is a session folder in which zebra is forgotten.
type rig struct {
	t     *testing.T
	below string
	e     *erase.Eraser
}

func newRig(t *testing.T) *rig {
	root := t.TempDir()
	below := filepath.Join(root, transcript.SessionDir)
	filetest.Must(t, os.MkdirAll(below, 0o700))
	log := slog.New(slog.DiscardHandler)
	dir := sessiondir.New(below, log)
	filetest.Must(t, dir.Check())
	t.Cleanup(func() { filetest.Must(t, dir.Close()) })
	all := catalog.New(catalog.Config{Dir: dir, Sieve: sieve.New(dir, "", forgotten.NewRecord(root, log)), Logger: log})
	return &rig{t, below, erase.New(dir, all, log)}
}

// write writes a file of the session folder, last changed a minute ago.
func (r *rig) write(name, text string) string {
	r.t.Helper()
	path := filepath.Join(r.below, filepath.FromSlash(name))
	filetest.Write(r.t, path, text)
	then := time.Now().Add(-time.Minute)
	filetest.Must(r.t, os.Chtimes(path, then, then))
	return path
}

func transcriptOf(session string, texts ...string) string {
	out := []byte(strings.Replace(front, "cli-a", session, 1))
	for i, text := range texts {
		out = transcript.AppendBlock(out, block("u"+strconv.Itoa(i+1), text))
	}
	return string(out)
}

// traces returns what forgets these texts; typed is that of forgotten.Record.New.
func (r *rig) traces(typed bool, add func(*forgotten.Draft)) *forgotten.Traces {
	r.t.Helper()
	draft, err := forgotten.NewRecord(r.t.TempDir(), nil).New(typed, false)
	filetest.Must(r.t, err)
	add(draft)
	return draft.Traces
}

// run erases in all sessions, and returns what it did by the base of the path.
func (r *rig) run(t *forgotten.Traces) map[string][]string {
	r.t.Helper()
	f, err := r.e.Begin(t, nil, time.Time{}, false)
	filetest.Must(r.t, err)
	var found []forgotten.Touched
	for _, step := range []func() ([]forgotten.Touched, error){func() ([]forgotten.Touched, error) { return f.Attachments(r.t.Context()) }, f.AttachedTexts} {
		more, err := step()
		filetest.Must(r.t, err)
		found = append(found, more...)
	}
	for _, s := range f.Sessions() {
		s.Erase(r.t.Context())
		found = append(found, s.Found()...)
	}
	done := map[string][]string{}
	for _, f := range found {
		done[filepath.Base(f.Path)] = append(done[filepath.Base(f.Path)], f.Action)
		if f.Action == forgotten.Refused && f.Why == "" {
			r.t.Errorf("refused without a reason: %+v", f)
		}
	}
	return done
}

func zebra(d *forgotten.Draft) { d.AddWords("zebra") }

// A file that names its first message gets another name, and never that of another file.
func TestFilesNamedAfterWhatGoesAreRenamed(t *testing.T) {
	r := newRig(t)
	const stem = "session-memory-cli-a-20261120-101010-"
	r.write(stem+"a-zebra.md", transcriptOf("cli-a", "a zebra"))
	const parts = "session-memory-cli-p-20261120-101010-"
	r.write(parts+"a-zebra.md", transcriptOf("cli-p", "a zebra"))
	r.write(transcript.PartFile(parts+"a-zebra", 2), transcriptOf("cli-p", "the second part"))
	r.write(stem+"forgotten.md", transcriptOf("cli-a", "hello"))
	r.write("session-memory-cli-b-20261120-101010-harbour.md", transcriptOf("cli-b", "the harbour", "a zebra"))
	r.run(r.traces(true, zebra))
	entries, err := os.ReadDir(r.below)
	filetest.Must(t, err)
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, strings.TrimPrefix(e.Name(), "session-memory-"))
		}
	}
	want := []string{
		"cli-a-20261120-101010-forgotten-2.md", "cli-a-20261120-101010-forgotten.md", "cli-b-20261120-101010-harbour.md",
		"cli-p-20261120-101010-forgotten.md", transcript.PartFile("cli-p-20261120-101010-forgotten", 2),
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if left := holding(t, r.below); left != nil {
		t.Errorf("still in %v", left)
	}
}

// What can't be rewritten is refused with a reason, and the rest is done.
func TestEraseReportsWhatItCannotDo(t *testing.T) {
	r := newRig(t)
	const stem = "session-memory-cli-%s-20261120-101010-x.md"
	name := func(session string) string { return strings.Replace(stem, "%s", session, 1) }
	r.write(name("newer"), strings.Replace(transcriptOf("cli-newer", "one", "a zebra"), "session/1", "session/9", 1))
	filetest.Must(t, os.Chmod(r.write(name("readonly"), transcriptOf("cli-readonly", "one", "a zebra")), 0o400))
	topic := strings.Replace(name("named"), "-x.", "-zebra.", 1)
	filetest.Must(t, os.Chmod(r.write(topic, transcriptOf("cli-named", "a zebra")), 0o400))
	outside := filepath.Join(t.TempDir(), "outside.md")
	filetest.Write(t, outside, transcriptOf("cli-link", "a zebra"))
	filetest.Must(t, os.Symlink(outside, filepath.Join(r.below, name("link"))))
	filetest.Must(t, os.Symlink("nowhere", filepath.Join(r.below, name("dangling"))))
	filetest.Must(t, os.Mkdir(filepath.Join(r.below, name("folder")), 0o700))
	filetest.Must(t, os.Link(r.write(name("twice"), transcriptOf("cli-twice", "one", "a zebra")), filepath.Join(t.TempDir(), "other.md")))
	r.write(name("fine"), transcriptOf("cli-fine", "one", "a zebra"))
	done := r.run(r.traces(true, zebra))
	want := map[string][]string{
		name("newer"): {forgotten.Refused}, name("readonly"): {forgotten.Refused}, topic: {forgotten.Refused},
		name("twice"): {forgotten.Emptied, forgotten.Kept}, name("fine"): {forgotten.Emptied},
		name("link"): {forgotten.Refused}, name("dangling"): {forgotten.Refused},
	}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(filetest.Read(t, outside), "zebra") {
		t.Error("a file outside was changed")
	}
	f, err := r.e.Begin(r.traces(true, zebra), map[string]bool{"cli-newer": true}, time.Time{}, false)
	filetest.Must(t, err)
	busy := f.Sessions()[0]
	busy.Refuse(errors.New("an answer is being written"), true)
	if found := busy.Found(); len(found) != 1 || found[0].Action != forgotten.Pending || found[0].Why != "an answer is being written" {
		t.Errorf("busy: %+v", found)
	}
}

// An editor saved a transcript in a charset that can only be guessed: the letters that stay are the same bytes.
func TestWhatStaysKeepsItsCharset(t *testing.T) {
	r := newRig(t)
	path := r.write("session-memory-cli-a-20261120-101010-x.md", strings.NewReplacer("·", "\xb7", "hello", "\xcf\xf0\xe8\xe2\xe5\xf2").Replace(transcriptOf("cli-a", "hello", "a zebra")))
	r.run(r.traces(true, zebra))
	if text := filetest.Read(t, path); strings.Contains(text, "zebra") || !strings.Contains(text, "\n\xcf\xf0\xe8\xe2\xe5\xf2\n") {
		t.Errorf("%q", text)
	}
}

// A file that people attached goes with the last message that links to it, and with its
// own text.
func TestAttachmentsGoWithTheirMessages(t *testing.T) {
	const shared, own, text = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff.txt",
		"ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100.txt", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.txt"
	links := func(files ...string) string {
		var all []transcript.Attachment
		for _, file := range files {
			all = append(all, transcript.Attachment{Name: "x.txt", File: file})
		}
		return transcript.WithLinks("look", all...)
	}
	for _, tc := range []struct {
		name  string
		typed bool
		add   func(*forgotten.Draft)
		left  []string
	}{
		{"a message", false, func(d *forgotten.Draft) { d.AddBlock("cli-a", "u2") }, []string{shared, text}},
		{"a file's own text", true, zebra, []string{shared, own}},
		{"a file's own text, which stays", false, zebra, []string{shared, text, own}},
		{"nothing of it", true, func(d *forgotten.Draft) { d.AddWords("elephant") }, []string{shared, text, own}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			trashed := catalog.TrashDir + "/20261121-101010.000.cli-c/"
			r.write("session-memory-cli-a-20261120-101010-x.md", transcriptOf("cli-a", "one", links(shared, own), links(text)))
			r.write("session-memory-cli-b-20261120-101010-x.md", transcriptOf("cli-b", links(shared)))
			for file, content := range map[string]string{shared: "a map", own: "a plan", text: "a zebra"} {
				r.write(transcript.FilesDir+"/"+file, content)
			}
			r.write(trashed+transcript.FilesDir+"/"+own, "a plan")
			r.write(trashed+transcript.FilesDir+"/"+text, "a zebra")
			done := r.run(r.traces(tc.typed, tc.add))
			var left []string
			for _, place := range []string{"", trashed} {
				left = nil
				for _, file := range []string{shared, text, own} {
					if _, err := os.Stat(filepath.Join(r.below, filepath.FromSlash(place), transcript.FilesDir, file)); err == nil || place != "" && file == shared {
						left = append(left, file)
					}
				}
				if diff := cmp.Diff(tc.left, left); diff != "" {
					t.Errorf("in %q: %s", place, diff)
				}
			}
			if kept := len(done[text]) > 0 && done[text][0] == forgotten.Kept; kept != (tc.name == "a file's own text, which stays") {
				t.Errorf("done %v", done)
			}
		})
	}
}

// What came back in a session's files is taken out again, or the session isn't read.
func TestPurge(t *testing.T) {
	r := newRig(t)
	traces := r.traces(true, zebra)
	const name = "session-memory-cli-a-20261120-101010-x.md"
	path := r.write(name, transcriptOf("cli-a", "one", "a zebra"))
	other := r.write(strings.Replace(name, "cli-a", "cli-b", 1), transcriptOf("cli-b", "a zebra"))
	filetest.Must(t, r.e.Purge(t.Context(), traces, "cli-a"))
	if strings.Contains(filetest.Read(t, path), "zebra") || !strings.Contains(filetest.Read(t, other), "zebra") {
		t.Error("one session is cleaned, and no other")
	}
	filetest.Must(t, os.Chmod(r.write(name, transcriptOf("cli-a", "one", "a zebra")), 0o400))
	if err := r.e.Purge(t.Context(), traces, "cli-a"); !errors.Is(err, sieve.ErrHoldsForgotten) || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("read-only: %v", err)
	}
}
