package sessionmem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// TestStoreConformance checks what every store promises with the one on disk
// (also with a restart before each look) and the one in memory.
func TestStoreConformance(t *testing.T) {
	stores := []struct {
		name string
		open func(t *testing.T) func() *sessionmem.Store
	}{
		{"on disk", func(t *testing.T) func() *sessionmem.Store {
			s := openStore(t, t.TempDir())
			return func() *sessionmem.Store { return s }
		}},
		{"on disk, restarted at every step", func(t *testing.T) func() *sessionmem.Store {
			root := t.TempDir()
			return func() *sessionmem.Store { return openStore(t, root) }
		}},
		{"in memory only", func(t *testing.T) func() *sessionmem.Store {
			s, err := sessionmem.Open(sessionmem.Config{InMemoryOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			return func() *sessionmem.Store { return s }
		}},
	}
	for _, st := range stores {
		t.Run(st.name, func(t *testing.T) {
			for name, check := range conformance {
				t.Run(name, func(t *testing.T) { check(t, st.open(t)) })
			}
		})
	}
}

var conformance = map[string]func(t *testing.T, store func() *sessionmem.Store){
	"given no session, then its context is empty and loading it says so": func(t *testing.T, store func() *sessionmem.Store) {
		c, err := store().Context(t.Context(), "cli-none")
		if err != nil || c.Total != 0 || len(c.Messages) != 0 || c.Summary != nil {
			t.Errorf("context %+v, %v", c, err)
		}
		if _, err := store().Load(t.Context(), "cli-none"); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("load: %v", err)
		}
		if err := store().Reset(t.Context(), "cli-none"); err != nil {
			t.Errorf("reset: %v", err)
		}
		if err := store().SetTitle(t.Context(), "cli-none", "x"); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("title: %v", err)
		}
	},
	"given blocks of all kinds, then they load as they were given and messages alone are context": func(t *testing.T, store func() *sessionmem.Store) {
		var want []transcript.Block
		for _, b := range []transcript.Block{
			{Kind: transcript.KindUser, Text: "hi\n\n## User\n", Context: "time: 10:15\n  vitals\n"},
			{Kind: transcript.KindAgent, Agent: "coder", Model: "m", Task: "do", Text: "done"},
			{Kind: transcript.KindTool, Agent: "SYSTEM_STATS", Text: "cpu 5 %"},
			{Kind: transcript.KindAssistant, Agent: "orchestrator", Text: "yes", Attrs: map[string]string{"author": "Ann B."}},
			{Kind: transcript.KindNote, Note: transcript.NoteError, Text: "boom"},
		} {
			want = append(want, mustAppend(t, store(), "cli-a", b))
		}
		tr, err := store().Load(t.Context(), "cli-a")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, tr.Blocks, equalBlocks); diff != "" {
			t.Error(diff)
		}
		c, err := store().Context(t.Context(), "cli-a")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(transcript.Context{Messages: []transcript.Block{want[0], want[3]}, Total: 2}, c, equalBlocks); diff != "" {
			t.Error(diff)
		}
	},
	"given a Summary, then the context is it and what follows the block it goes through": func(t *testing.T, store func() *sessionmem.Store) {
		mustAppend(t, store(), "cli-a", user("1"))
		through := mustAppend(t, store(), "cli-a", assistant("2"))
		mustAppend(t, store(), "cli-a", user("3"))
		sum := mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindSummary, Through: through.ID, Text: "S"})
		mustAppend(t, store(), "cli-a", assistant("4"))
		c, err := store().Context(t.Context(), "cli-a")
		if err != nil {
			t.Fatal(err)
		}
		if c.Summary == nil || c.Summary.ID != sum.ID || c.Total != 4 {
			t.Errorf("summary %+v, total %d", c.Summary, c.Total)
		}
		if diff := cmp.Diff([]string{"3", "4"}, texts(t, store(), "cli-a")); diff != "" {
			t.Error(diff)
		}
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindSummary, Through: "gone", Text: "S2"})
		mustAppend(t, store(), "cli-a", user("5"))
		if diff := cmp.Diff([]string{"5"}, texts(t, store(), "cli-a")); diff != "" {
			t.Errorf("with the block it goes through deleted: %s", diff)
		}
	},
	"given a reset, then nothing before it is context and a rewind does not cross it": func(t *testing.T, store func() *sessionmem.Store) {
		first := mustAppend(t, store(), "cli-a", user("1"))
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindSummary, Through: first.ID, Text: "S"})
		if err := store().Reset(t.Context(), "cli-a"); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, store(), "cli-a", user("2"))
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: first.ID})
		c, err := store().Context(t.Context(), "cli-a")
		if err != nil || c.Summary != nil || c.Total != 1 || c.Messages[0].Text != "2" {
			t.Errorf("context %+v, %v", c, err)
		}
	},
	"given a rewind, then the message that follows takes the branch's place": func(t *testing.T, store func() *sessionmem.Store) {
		mustAppend(t, store(), "cli-a", user("1"))
		mustAppend(t, store(), "cli-a", assistant("2"))
		third := mustAppend(t, store(), "cli-a", user("3"))
		mustAppend(t, store(), "cli-a", assistant("4"))
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: third.ID})
		mustAppend(t, store(), "cli-a", user("3b"))
		if diff := cmp.Diff([]string{"1", "2", "3b"}, texts(t, store(), "cli-a")); diff != "" {
			t.Error(diff)
		}
	},
	"given rewinds and a reset, then the branch shows what is left of both sides": func(t *testing.T, store func() *sessionmem.Store) {
		first := mustAppend(t, store(), "cli-a", user("1"))
		mustAppend(t, store(), "cli-a", user("2"))
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteEnded})
		third := mustAppend(t, store(), "cli-a", user("3"))
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindTool, Agent: "FETCH_URL", Text: "page"})
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: third.ID})
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: first.ID})
		mustAppend(t, store(), "cli-a", user("3b"))
		tr, err := store().Load(t.Context(), "cli-a")
		must(t, err)
		var got []string
		for _, b := range tr.Branch() {
			got = append(got, b.Note+b.Text)
		}
		if diff := cmp.Diff([]string{"1", "2", "ended", "3b"}, got); diff != "" {
			t.Error(diff)
		}
	},
	"given a rewind to before a Summary, then the Summary leaves too": func(t *testing.T, store func() *sessionmem.Store) {
		mustAppend(t, store(), "cli-a", user("1"))
		second := mustAppend(t, store(), "cli-a", user("2"))
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindSummary, Through: second.ID, Text: "S"})
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: second.ID})
		if diff := cmp.Diff([]string{"1"}, texts(t, store(), "cli-a")); diff != "" {
			t.Error(diff)
		}
	},
	"given an interrupted answer, then it is a message": func(t *testing.T, store func() *sessionmem.Store) {
		u := mustAppend(t, store(), "cli-a", user("1"))
		mustAppend(t, store(), "cli-a", assistant("half"))
		mustAppend(t, store(), "cli-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteInterrupted, Parent: u.ID})
		if diff := cmp.Diff([]string{"1", "half"}, texts(t, store(), "cli-a")); diff != "" {
			t.Error(diff)
		}
	},
	"given a retry of the same block, then it is there once": func(t *testing.T, store func() *sessionmem.Store) {
		b := mustAppend(t, store(), "cli-a", user("1"))
		mustAppend(t, store(), "cli-a", b)
		if diff := cmp.Diff([]string{"1"}, texts(t, store(), "cli-a")); diff != "" {
			t.Error(diff)
		}
		b.Text = "other"
		if _, err := store().Append(t.Context(), "cli-a", b); err == nil {
			t.Error("another block with a taken id was accepted")
		}
	},
	"given a session, then reading it block by block and writing it gives all of it": func(t *testing.T, store func() *sessionmem.Store) {
		var want, got []transcript.Block
		for _, b := range []transcript.Block{user("1"), {Kind: transcript.KindTool, Agent: "FETCH_URL", Text: "page"}, assistant("2")} {
			want = append(want, mustAppend(t, store(), "cli-a", b))
		}
		must(t, store().Each(t.Context(), "cli-a", nil, func(b transcript.Block) error { got = append(got, b); return nil }))
		if diff := cmp.Diff(want, got, equalBlocks); diff != "" {
			t.Error(diff)
		}
		var text strings.Builder
		n, err := store().Write(t.Context(), "cli-a", &text)
		must(t, err)
		tr, err := transcript.Parse(strings.NewReader(text.String()))
		if diff := cmp.Diff(want, tr.Blocks, equalBlocks); diff != "" || n != 3 || err != nil {
			t.Errorf("%d blocks are written, %v: %s", n, err, diff)
		}
	},
	"given another version of a message, then its branch is current": func(t *testing.T, store func() *sessionmem.Store) {
		first := mustAppend(t, store(), "cli-a", user("1"))
		must(t, second(store().Rewind(t.Context(), "cli-a", first.ID, user("1b"), assistant("2b"))))
		must(t, store().UseVersion(t.Context(), "cli-a", first.ID))
		mustAppend(t, store(), "cli-a", assistant("2"))
		if diff := cmp.Diff([]string{"1", "2"}, texts(t, store(), "cli-a")); diff != "" {
			t.Error(diff)
		}
		if err := store().UseVersion(t.Context(), "cli-a", "none"); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("a version that isn't there: %v", err)
		}
	},
	"given an edit and a deletion, then the context has neither old text": func(t *testing.T, store func() *sessionmem.Store) {
		one, two := mustAppend(t, store(), "cli-a", user("1")), mustAppend(t, store(), "cli-a", user("2"))
		must(t, store().Correct(t.Context(), "cli-a", transcript.Block{Note: transcript.NoteEdited, Parent: one.ID, Text: "1b"}, transcript.Block{Note: transcript.NoteDeleted, Parent: two.ID}))
		if diff := cmp.Diff([]string{"1b"}, texts(t, store(), "cli-a")); diff != "" {
			t.Error(diff)
		}
	},
	"given that nothing was removed or deleted, then nothing comes back": func(t *testing.T, store func() *sessionmem.Store) {
		mustAppend(t, store(), "cli-a", user("1"))
		for what, call := range map[string]func(context.Context, string) (session.Removed, error){"missing": store().Removed, "kept": store().KeepRemoved, "restored": store().Restore} {
			if got, err := call(t.Context(), "cli-a"); err != nil || got != (session.Removed{Session: "cli-a"}) {
				t.Errorf("%s: %+v, %v", what, got, err)
			}
		}
		if got, err := store().Undelete(t.Context(), ""); !errors.Is(err, sessionmem.ErrNothingDeleted) {
			t.Errorf("brought back %q, %v", got, err)
		}
	},
	"given a title, then the list shows it": func(t *testing.T, store func() *sessionmem.Store) {
		mustAppend(t, store(), "cli-a", user("first line\nsecond"))
		checkTitle(t, store(), "first line")
		if err := store().SetTitle(t.Context(), "cli-a", " My\n title "); err != nil {
			t.Fatal(err)
		}
		checkTitle(t, store(), "My title")
		if err := store().SetTitle(t.Context(), "cli-a", " \n"); err == nil {
			t.Error("an empty title was accepted")
		}
	},
	"given names, then they resolve": func(t *testing.T, store func() *sessionmem.Store) {
		for _, n := range []string{"cli-notes", "cpu-k3x9qa", "discord-notes", "cli-other"} {
			mustAppend(t, store(), n, user("x"))
		}
		for _, tc := range []struct {
			typed, want string
			err         error
		}{
			{"cpu-k3x9qa", "cpu-k3x9qa", nil},
			{"notes", "cli-notes", nil},
			{"9qa", "", session.ErrNotFound},
			{"CPU-K3X9QA", "cpu-k3x9qa", nil},
			{"otes", "", session.ErrNotFound},
			{"Notes", "cli-notes", nil},
			{"nothing", "", session.ErrNotFound},
			{"", "", session.ErrNotFound},
		} {
			got, err := store().Resolve(t.Context(), "cli", tc.typed)
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("%q resolved to %q, %v", tc.typed, got, err)
			}
			if tc.typed == "otes" && !strings.Contains(err.Error(), "similar names: cli-notes, discord-notes") {
				t.Errorf("the error does not name what is similar: %v", err)
			}
		}
	},
	"given a bad name, then nothing is written": func(t *testing.T, store func() *sessionmem.Store) {
		for _, n := range badNames {
			if _, err := store().Append(t.Context(), n, user("x")); !errors.Is(err, transcript.ErrBadName) {
				t.Errorf("%q: %v", n, err)
			}
			if _, err := store().Session(n).LockTurn(t.Context(), "test", nil); !errors.Is(err, transcript.ErrBadName) {
				t.Errorf("locking %q: %v", n, err)
			}
			if _, err := store().Load(t.Context(), n); !errors.Is(err, session.ErrNotFound) {
				t.Errorf("loading %q: %v", n, err)
			}
		}
	},
	"given goroutines that append at once, then every block is there once": func(t *testing.T, store func() *sessionmem.Store) {
		s := store()
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if _, err := s.Append(t.Context(), "cli-a", user(fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		seen := map[string]bool{}
		for _, text := range texts(t, store(), "cli-a") {
			seen[text] = true
		}
		if len(seen) != 20 {
			t.Errorf("%d of 20 messages", len(seen))
		}
	},
	"given a checkpoint, then committing it leaves one block and none of it when discarded": func(t *testing.T, store func() *sessionmem.Store) {
		s := store()
		l, err := s.Session("cli-a").LockTurn(t.Context(), "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Unlock()
		c := s.Session("cli-a").Checkpoint(t.Context(), assistant(""))
		c.SetText("ha")
		got, err := c.Commit(t.Context(), assistant("half"))
		if err != nil || got.ID != c.ID() {
			t.Fatalf("%+v, %v", got, err)
		}
		d := s.Session("cli-a").Checkpoint(t.Context(), assistant(""))
		d.SetText("gone")
		d.Discard()
		if diff := cmp.Diff([]string{"half"}, texts(t, store(), "cli-a")); diff != "" {
			t.Error(diff)
		}
	},
	"given a cancelled context, then nothing is written": func(t *testing.T, store func() *sessionmem.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := store().Append(ctx, "cli-a", user("x")); !errors.Is(err, context.Canceled) {
			t.Errorf("append: %v", err)
		}
		if got := texts(t, store(), "cli-a"); len(got) != 0 {
			t.Errorf("written all the same: %v", got)
		}
	},
}

func checkTitle(t *testing.T, s *sessionmem.Store, want string) {
	t.Helper()
	infos, err := s.List(t.Context())
	if err != nil || len(infos) != 1 || infos[0].Title != want || infos[0].Messages != 1 {
		t.Errorf("want title %q of 1 message, got %+v, %v", want, infos, err)
	}
}

var badNames = []string{
	"", ".", "..", "../x", "a/b", `a\b`, "A-b", "a b", "cli-ä", "nul", "-a", "a-", "a.md", "a\x00", "a:b", "~",
	"cli-20261121-101500", strings.Repeat("a", 65),
}

func TestNewSessionOnDisk(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cpu-k3x9qa", transcript.Block{Kind: transcript.KindUser, Time: stamp, Text: "Warum ist mein Lüfter so LAUT?  Sag's mir / jetzt bitte, ich warte\nzweite"})
	file := onlyFile(t, root)
	if got, want := filepath.Base(file), "session-memory-cpu-k3x9qa-20261121-101502-warum-ist-mein-lüfter-so-laut-sag-s-mir.md"; got != want {
		t.Errorf("file name\n got %s\nwant %s", got, want)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700, filepath.Join(filepath.Dir(file), transcript.LocksDir): 0o700, filepath.Join(filepath.Dir(file), transcript.PartialDir): 0o700} {
			if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != want {
				t.Errorf("%s: mode %v, want %v (%v)", path, fi.Mode().Perm(), want, err)
			}
		}
	}
}

func TestNewNameIsValidAndUnused(t *testing.T) {
	s := openStore(t, t.TempDir())
	seen := map[string]bool{}
	for range 50 {
		n := s.NewName("cpu")
		if err := transcript.CheckName(n); err != nil || seen[n] || !strings.HasPrefix(n, "cpu-") {
			t.Errorf("%q: %v, seen before: %v", n, err, seen[n])
		}
		seen[n] = true
	}
}

func TestAppendToAnOlderFile(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, transcript.SessionDir, "session-memory-1234567890-20260102-101500-cooking.md")
	writeFile(t, path, "## User\n\nRust form\n\n## Assistant\n\nyes")
	s := openStore(t, root)
	mustAppend(t, s, "1234567890", user("## Assistant"))
	if diff := cmp.Diff([]string{"Rust form", "yes", "## Assistant"}, texts(t, openStore(t, root), "1234567890")); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(readFile(t, path), "## User\n\nRust form\n\n## Assistant\n\nyes\n\n## User · ") {
		t.Errorf("what was there changed:\n%s", readFile(t, path))
	}
}

func TestNewerFormatIsReadOnly(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, transcript.SessionDir, "session-memory-cli-new-20260104-101500-x.md")
	text := "---\nformat: mac-stats-session/2\nsession: cli-new\n---\n\n## User · " + stampText + "\n<!-- id=1 -->\n\nnewer\n"
	writeFile(t, path, text)
	s := openStore(t, root)
	if _, err := s.Append(t.Context(), "cli-new", user("x")); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("append: %v", err)
	}
	if got := readFile(t, path); got != text {
		t.Errorf("the file changed:\n%s", got)
	}
	if diff := cmp.Diff([]string{"newer"}, texts(t, s, "cli-new")); diff != "" {
		t.Error(diff)
	}
}

func TestOpenReadOnlyFolder(t *testing.T) {
	for _, tc := range []struct {
		name    string
		prepare func(t *testing.T, root string)
		open    bool
		listed  int
	}{
		{"given a file for the data folder, then it is an error", func(t *testing.T, root string) { writeFile(t, root, "x") }, false, 0},
		{"given a file for the session folder, then reading finds nothing", func(t *testing.T, root string) { writeFile(t, filepath.Join(root, transcript.SessionDir), "x") }, true, 0},
		{"given no way to make the locks, then what is there is read", func(t *testing.T, root string) {
			writeFile(t, filepath.Join(root, transcript.SessionDir, "session-memory-cli-a-20261121-101502-x.md"), "## User\n\nhi\n")
			writeFile(t, filepath.Join(root, transcript.SessionDir, transcript.LocksDir), "a file")
		}, true, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "data")
			tc.prepare(t, root)
			s, err := sessionmem.Open(sessionmem.Config{Root: root})
			if (err == nil) != tc.open {
				t.Fatalf("open: %v", err)
			}
			if !tc.open {
				return
			}
			infos, err := s.List(t.Context())
			if err != nil || len(infos) != tc.listed {
				t.Errorf("listed %v, %v", infos, err)
			}
			if got := texts(t, s, "cli-a"); len(got) != tc.listed {
				t.Errorf("context %v", got)
			}
			for _, err := range []error{
				second(s.Append(t.Context(), "cli-a", user("x"))), second(s.Session("cli-a").LockTurn(t.Context(), "test", nil)),
			} {
				if err == nil || !strings.Contains(err.Error(), "move it away") {
					t.Errorf("no clear error: %v", err)
				}
			}
			must(t, s.Close())
		})
	}
}

func second[T any](_ T, err error) error { return err }

func TestInMemoryOnlyWritesNothing(t *testing.T) {
	root := t.TempDir()
	s, err := sessionmem.Open(sessionmem.Config{Root: root, InMemoryOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	disk := t.TempDir()
	private := openStore(t, disk)
	private.SetPrivate("cpu-p")
	for _, s := range []*sessionmem.Store{s, private} {
		l, err := s.Session("cpu-p").LockTurn(t.Context(), "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		mustAppend(t, s, "cpu-p", user("classified"))
		c := s.Session("cpu-p").Checkpoint(t.Context(), assistant(""))
		c.SetText("classified")
		time.Sleep(20 * time.Millisecond)
		l.Unlock()
		if !s.IsPrivate("cpu-p") {
			t.Error("not private")
		}
	}
	for _, dir := range []string{root, disk} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				t.Errorf("%s was written", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestRenamingDoesNotCountAsActivity(t *testing.T) {
	s := openStore(t, t.TempDir())
	mustAppend(t, s, "cpu-a", ago(5*time.Hour, "fan?"))
	if err := s.Reset(t.Context(), "cpu-a"); err != nil {
		t.Fatal(err)
	}
	before, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, "cpu-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: "Fan", Time: time.Now().Add(time.Hour)})
	after, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if was, is := before[0], after[0]; is.Title != "Fan" || !is.Active.Equal(was.Active) || !is.Ended {
		t.Errorf("was %+v, is %+v", was, is)
	}
}

// A link that leads nowhere, or out of the folder, is reported as such.
func TestTranscriptReplacedByALink(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	outside := filepath.Join(t.TempDir(), "outside.md")
	writeFile(t, outside, "# mine")
	for name, to := range map[string]string{"cli-nowhere": "nothing.md", "cli-outside": outside} {
		must(t, os.Symlink(to, filepath.Join(root, transcript.SessionDir, transcript.FileName(name, time.Now(), "x"))))
		_, lerr := s.Load(t.Context(), name)
		_, aerr := s.Append(t.Context(), name, user("one"))
		for _, err := range []error{lerr, aerr, s.Reset(t.Context(), name)} {
			if !errors.Is(err, sessiondir.ErrLink) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 2 || !errors.Is(list[0].Err, sessiondir.ErrLink) || !errors.Is(list[1].Err, sessiondir.ErrLink) {
		t.Errorf("listed: %+v, %v", list, err)
	}
	if got := readFile(t, outside); got != "# mine" {
		t.Errorf("outside stands %q", got)
	}
}

func TestExists(t *testing.T) {
	s := openStore(t, t.TempDir())
	mustAppend(t, s, "cli-here", user("one"))
	mustAppend(t, s, "cli-archived", ago(40*24*time.Hour, "two"))
	mustArchive(t, s, sessionmem.ArchiveRule{After: storetest.Month})
	s.SetPrivate("cli-private")
	for name, want := range map[string]bool{"cli-here": true, "cli-archived": true, "cli-none": false, "cli-private": false} {
		if there, err := s.Exists(t.Context(), name); there != want || err != nil {
			t.Errorf("%s is there: %t, %v", name, there, err)
		}
	}
	mustAppend(t, s, "cli-private", user("three"))
	if there, err := s.Exists(t.Context(), "cli-private"); !there || err != nil {
		t.Errorf("in memory: %t, %v", there, err)
	}
}

// A new name isn't looked up on disk again and again, but a file that gets it from elsewhere a
// while later is found.
func TestNewNameIsNotLookedUpAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		s := openStore(t, root)
		name := s.NewName("cpu")
		file := filepath.Join(root, transcript.SessionDir, "session-memory-"+name+"-20261121-101500-hello.md")
		text := "---\nformat: mac-stats-session/1\nsession: " + name + "\n---\n\n## User · 2026-11-21T10:15:02Z\n<!-- id=a1 -->\n\nhello\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if window, err := s.Context(t.Context(), name); err != nil || len(window.Messages) != 0 {
			t.Errorf("it was looked for: %v, %v", window.Messages, err)
		}
		time.Sleep(2*time.Second + 1)
		if window, err := s.Context(t.Context(), name); err != nil || len(window.Messages) != 1 {
			t.Errorf("the file isn't found: %v, %v", window.Messages, err)
		}
	})
}

func TestANewNameIsForgottenWithItsFirstMessage(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	name := s.NewName("cpu")
	b, err := s.Append(t.Context(), name, transcript.Block{Kind: transcript.KindUser, Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	// a file that an editor renames at once is followed
	must(t, os.Rename(onlyFile(t, root), filepath.Join(root, transcript.SessionDir, "session-memory-"+name+"-20261121-101500-renamed.md")))
	if window, err := s.Context(t.Context(), name); err != nil || len(window.Messages) != 1 || window.Messages[0].ID != b.ID {
		t.Errorf("the renamed file isn't found: %v, %v", window.Messages, err)
	}
}

// What a store reads is there for an index too, with its place.
func TestPlacesOfAStore(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	b := mustAppend(t, s, "cpu-a", user("hello"))
	files, err := s.Catalog().Files(t.Context())
	if err != nil || len(files) != 1 || len(files[0].Files) != 1 {
		t.Fatal(files, err)
	}
	var got []string
	must(t, second(s.Places().Each(t.Context(), []string{files[0].Files[0].File}, func(b transcript.Block, _ places.Place) error {
		got = append(got, b.ID)
		return nil
	})))
	if diff := cmp.Diff([]string{b.ID}, got); diff != "" {
		t.Error(diff)
	}
	f, err := s.OpenPart(t.Context(), onlyFile(t, root))
	must(t, err)
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != readFile(t, onlyFile(t, root)) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestStoreWithoutAFolderIsAMistake(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it opens")
		}
	}()
	must(t, second(sessionmem.Open(sessionmem.Config{})))
}
