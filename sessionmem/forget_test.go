package sessionmem_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/summary"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// forgetRig is a data folder in which something is forgotten.
type forgetRig struct {
	t    *testing.T
	root string
	s    *sessionmem.Store
	m    *memory.Memory
}

func newForgetRig(t *testing.T) *forgetRig {
	root := t.TempDir()
	r := &forgetRig{t: t, root: root, m: memory.New(memory.Config{Root: root})}
	r.open(nil)
	return r
}

// open opens the store with transcripts limited to that size.
func (r *forgetRig) open(most func() int64) {
	s, err := sessionmem.Open(sessionmem.Config{Root: r.root, CacheDir: filepath.Join(r.root, "..", filepath.Base(r.root)+"-cache"), MaxFileBytes: most})
	must(r.t, err)
	r.t.Cleanup(func() { must(r.t, s.Close()) })
	r.s = s
}

// text forgets a phrase wherever it occurs, as package forget does.
func (r *forgetRig) text(phrase string) []forgotten.Touched {
	r.t.Helper()
	return r.forget(func(t *forgotten.Draft) {
		t.AddWords(phrase)
		must(r.t, filepath.WalkDir(r.root, func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				t.AddPhrase(readFile(r.t, p), t.Phrase(phrase))
			}
			return nil
		}))
	})
}

func (r *forgetRig) forget(add func(*forgotten.Draft)) []forgotten.Touched {
	r.t.Helper()
	tr, err := r.s.Forgotten().New(true, false)
	must(r.t, err)
	add(tr)
	plan, err := r.s.Forget(r.t.Context(), tr.Traces, sessionmem.ForgetOptions{Dry: true})
	must(r.t, err)
	tr.AddFound(plan)
	must(r.t, r.s.Forgotten().Begin(tr))
	found, err := r.m.Forget(r.t.Context(), tr.Traces, false)
	must(r.t, err)
	more, err := r.s.Forget(r.t.Context(), tr.Traces, sessionmem.ForgetOptions{})
	must(r.t, err)
	found = append(found, more...)
	must(r.t, r.s.Forgotten().Done(tr.Traces, found))
	return found
}

// residue fails if a file below the folder contains the words, or has them in its name.
func (r *forgetRig) residue(words ...string) {
	r.t.Helper()
	for _, root := range []string{r.root, r.root + "-cache"} {
		filetest.Lacks(r.t, root, words...)
	}
}

func actions(found []forgotten.Touched) map[string]int {
	out := map[string]int{}
	for _, t := range found {
		out[t.Place+" "+t.Action]++
	}
	return out
}

// What a save removed is only in the journal: forgetting reaches it there, even in the same
// second in which it was written.
func TestForgettingReachesBlocksASaveRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newForgetRig(t)
		mustAppend(t, r.s, "cli-a", user("Where is the harbour?"))
		path := onlyFile(t, r.root)
		before := readFile(t, path)
		mustAppend(t, r.s, "cli-a", user("One moment."))
		mustAppend(t, r.s, "cli-a", user("My locker code is zebra seven."))
		mustAppend(t, r.s, "cli-a", user("Yes, zebra seven."))
		writeFile(t, path, before) // an editor that had read it before
		time.Sleep(time.Second / 2)
		if diff := cmp.Diff(map[string]int{"journal forgotten": 1}, actions(r.text("zebra seven"))); diff != "" {
			t.Error(diff)
		}
		r.residue("zebra")
	})
}

func TestForgettingEmptiesABlockAndKeepsTheRest(t *testing.T) {
	r := newForgetRig(t)
	first := mustAppend(t, r.s, "cli-a", user("Where is the harbour?"))
	secret := mustAppend(t, r.s, "cli-a", transcript.Block{Kind: transcript.KindUser, Text: "My locker code is zebra seven.", Context: "Time: now", Parent: ""})
	mustAppend(t, r.s, "cli-a", transcript.Block{Kind: transcript.KindAgent, Agent: "coder", Model: "m", Parent: secret.ID, Task: "keep zebra seven in mind", Text: "Done."})
	mustAppend(t, r.s, "cli-a", assistant("First paragraph.\n\nSo ZEBRA  seven it is.\n\nLast paragraph."))
	before, err := r.s.Load(t.Context(), "cli-a")
	must(t, err)
	found := r.text("zebra seven")
	if diff := cmp.Diff(map[string]int{"user forgotten": 1, "agent forgotten": 1, "assistant forgotten": 1, "journal forgotten": 1}, actions(found)); diff != "" {
		t.Error(diff)
	}
	for _, s := range []*sessionmem.Store{r.s, openStore(t, r.root)} {
		after, err := s.Load(t.Context(), "cli-a")
		must(t, err)
		want := before.Blocks
		want[1].Text = forgotten.Text
		want[2].Task = forgotten.Text
		want[3].Text = forgotten.Text
		if diff := cmp.Diff(want, after.Blocks); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if got := texts(t, r.s, "cli-a"); got[0] != first.Text || got[1] != forgotten.Text {
		t.Errorf("the context is %q", got)
	}
	r.residue("zebra")
	mustAppend(t, r.s, "cli-a", user("next"))
	r.residue("zebra")
	storetest.SameAfterRestart(t, r.s, r.root, "cli-a")
}

func TestForgettingTheFirstMessageCleansTitleAndFileNames(t *testing.T) {
	r := newForgetRig(t)
	limited := int64(0)
	r.open(func() int64 { return limited })
	first := mustAppend(t, r.s, "cli-a", user("Zebra seven opens my locker"))
	limited = 1
	mustAppend(t, r.s, "cli-a", assistant("I see."))
	mustAppend(t, r.s, "cli-a", user("In part three."))
	if _, err := r.s.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.forget(func(t *forgotten.Draft) { t.AddBlock("cli-a", first.ID) })
	r.residue("zebra")
	for _, s := range []*sessionmem.Store{r.s, openStore(t, r.root)} {
		list, err := s.List(t.Context())
		must(t, err)
		if len(list) != 1 || list[0].Title != forgotten.Text || len(list[0].Parts) != 3 {
			t.Errorf("the list says %+v", list)
		}
		if got := texts(t, s, "cli-a"); len(got) != 3 || got[0] != forgotten.Text || got[2] != "In part three." {
			t.Errorf("texts %q", got)
		}
	}
}

func TestForgettingRebuildsSummariesThatCoverIt(t *testing.T) {
	r := newForgetRig(t)
	mustAppend(t, r.s, "cli-a", user("Where is the harbour?"))
	secret := mustAppend(t, r.s, "cli-a", user("Zebra seven opens my locker"))
	last := mustAppend(t, r.s, "cli-a", assistant("Noted, it opens."))
	mustAppend(t, r.s, "cli-a", transcript.Block{Kind: transcript.KindSummary, Text: "They spoke of a striped animal and a number.", Through: last.ID, By: "small"})
	next := mustAppend(t, r.s, "cli-a", user("And now the weather"))
	mustAppend(t, r.s, "cli-a", transcript.Block{Kind: transcript.KindSummary, Text: "After a striped animal, the weather.", Through: next.ID, By: "small"})
	mustAppend(t, r.s, "cli-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: "A striped secret", By: "small"})
	must(t, r.s.Reset(t.Context(), "cli-a"))
	after := mustAppend(t, r.s, "cli-a", user("After the reset"))
	mustAppend(t, r.s, "cli-a", transcript.Block{Kind: transcript.KindSummary, Text: "Nothing of it is in here.", Through: after.ID, By: "small"})
	found := r.forget(func(t *forgotten.Draft) { t.AddBlock("cli-a", secret.ID) })
	if diff := cmp.Diff(map[string]int{"user forgotten": 1, "summary rebuilt": 2, "title forgotten": 1, "journal forgotten": 1}, actions(found)); diff != "" {
		t.Error(diff)
	}
	r.residue("zebra", "striped")
	load, err := r.s.Load(t.Context(), "cli-a")
	must(t, err)
	if s := load.Blocks[3]; !strings.Contains(s.Text, "harbour") || s.By != summary.PlainBy || s.Through != last.ID {
		t.Errorf("rebuilt: %+v", s)
	}
	if s := load.Blocks[9]; s.Text != "Nothing of it is in here." {
		t.Errorf("a Summary behind a reset was changed: %+v", s)
	}
}

func TestForgettingReachesArchiveTrashCopiesAndForks(t *testing.T) {
	r := newForgetRig(t)
	for _, name := range []string{"cli-trash", "cli-archive", "cli-copied"} {
		mustAppend(t, r.s, name, transcript.Block{Kind: transcript.KindUser, Text: "Zebra seven opens my locker", Time: time.Now().Add(-100 * 24 * time.Hour)})
		mustAppend(t, r.s, name, transcript.Block{Kind: transcript.KindAssistant, Text: "Good.", Time: time.Now().Add(-99 * 24 * time.Hour)})
	}
	whole, err := r.s.Load(t.Context(), "cli-copied")
	must(t, err)
	if _, err := r.s.Fork(t.Context(), whole, "", "cpu"); err != nil {
		t.Fatal(err)
	}
	copyPath := strings.TrimSuffix(whole.Info.Path, ".md") + ".sync-conflict-20261120-101112-ABC.md"
	writeFile(t, copyPath, readFile(t, whole.Info.Path))
	if len(mustArchive(t, r.s, sessionmem.ArchiveRule{After: time.Hour, Keep: func(n string) bool { return n != "cli-archive" }})) != 1 {
		t.Fatal("nothing was archived")
	}
	must(t, r.s.Delete(t.Context(), "cli-trash"))
	r.text("zebra seven")
	r.residue("zebra")
	if name, err := r.s.Undelete(t.Context(), ""); err != nil || name != "cli-trash" {
		t.Fatalf("undelete: %q %v", name, err)
	}
	if got := texts(t, r.s, "cli-trash"); got[0] != forgotten.Text || got[1] != "Good." {
		t.Errorf("brought back: %q", got)
	}
}

func TestForgettingRemovesUnsharedAttachments(t *testing.T) {
	r := newForgetRig(t)
	shared := storetest.Attach(t, r.s, "cli-a", "shared.txt", "harbour map")
	own := storetest.Attach(t, r.s, "cli-a", "own.txt", "the plan of the vault")
	b := mustAppend(t, r.s, "cli-a", user(transcript.WithLinks("look", shared, own)))
	mustAppend(t, r.s, "cli-b", user(transcript.WithLinks("look too", shared)))
	r.forget(func(t *forgotten.Draft) { t.AddBlock("cli-a", b.ID) })
	if got := storetest.Attached(t, r.root); len(got) != 1 || !strings.Contains(got[0], shared.File) {
		t.Errorf("left: %v", got)
	}
	r.residue("vault")
	r.text("harbour map") // occurs in the file itself
	r.residue("harbour map")
}

func TestForgettingASpanASessionAndAnAuthor(t *testing.T) {
	at := func(h int) time.Time { return time.Now().Add(time.Duration(-h) * time.Hour) }
	for _, tc := range []struct {
		name string
		add  func(*forgotten.Draft)
		gone string
	}{
		{"a session", func(t *forgotten.Draft) { t.AddSession("cli-a") }, "a-old a-new"},
		{"since", func(t *forgotten.Draft) { t.AddSpan(at(3), time.Time{}) }, "a-new b-new"},
		{"until", func(t *forgotten.Draft) { t.AddSpan(at(9), at(3)) }, "a-old b-old"},
		{"an author", func(t *forgotten.Draft) { t.AddAuthor("4711") }, "b-old"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newForgetRig(t)
			for _, b := range []struct {
				session, text, author string
				ago                   int
			}{{"cli-a", "a-old", "", 5}, {"cli-b", "b-old", "4711", 5}, {"cli-a", "a-new", "", 1}, {"cli-b", "b-new", "9", 1}} {
				block := transcript.Block{Kind: transcript.KindUser, Text: b.text, Time: at(b.ago)}
				if b.author != "" {
					block.Attrs = map[string]string{"author": b.author}
				}
				mustAppend(t, r.s, b.session, block)
			}
			r.forget(tc.add)
			for _, b := range []string{"a-old", "a-new", "b-old", "b-new"} {
				there := strings.Contains(readAll(t, filepath.Join(r.root, transcript.SessionDir)), b)
				if there == strings.Contains(tc.gone, b) {
					t.Errorf("%s: there %v, of %q", b, there, tc.gone)
				}
			}
			if tc.name == "an author" {
				r.residue("4711")
			}
		})
	}
}

func readAll(t testing.TB, root string) string {
	t.Helper()
	var all strings.Builder
	must(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all.WriteString(readFile(t, p))
		}
		return err
	}))
	return all.String()
}

func TestForgettingReportsFailuresAndDoesTheRest(t *testing.T) {
	r := newForgetRig(t)
	sessionmem.SetPatience(r.s, 20*time.Millisecond)
	for _, name := range []string{"cli-newer", "cli-readonly", "cli-busy", "cli-fine"} {
		mustAppend(t, r.s, name, user("zebra seven "+name))
	}
	paths := map[string]string{}
	list, err := r.s.List(t.Context())
	must(t, err)
	for _, info := range list {
		paths[info.Name] = info.Path
	}
	writeFile(t, paths["cli-newer"], strings.Replace(readFile(t, paths["cli-newer"]), transcript.FormatName, "mac-stats-session/9", 1))
	must(t, os.Chmod(paths["cli-readonly"], 0o400))
	outside := filepath.Join(t.TempDir(), "outside.md")
	writeFile(t, outside, "zebra seven")
	must(t, os.Symlink(outside, filepath.Join(r.root, transcript.SessionDir, "session-memory-cli-link-20261121-101500-x.md")))
	turn, err := openStore(t, r.root).Session("cli-busy").LockTurn(t.Context(), "window", nil)
	must(t, err)
	defer turn.Unlock()
	found := r.text("zebra seven")
	refused := map[string]string{}
	for _, f := range found {
		if want := map[bool]string{true: forgotten.Pending, false: forgotten.Refused}[f.Session == "cli-busy"]; f.Action == want {
			refused[f.Session] += f.Why
		}
	}
	for name, want := range map[string]string{"cli-newer": "newer format", "cli-readonly": "read-only", "cli-busy": "window", "cli-link": "link"} {
		if !strings.Contains(refused[name], want) {
			t.Errorf("%s: refused with %q, want %q", name, refused[name], want)
		}
	}
	if strings.Contains(readFile(t, r.pathOf("cli-fine")), "zebra") {
		t.Error("what can be forgotten wasn't")
	}
	if readFile(t, outside) != "zebra seven" {
		t.Error("a file outside was changed")
	}
}

func (r *forgetRig) pathOf(session string) string {
	r.t.Helper()
	list, err := r.s.List(r.t.Context())
	must(r.t, err)
	for _, info := range list {
		if info.Name == session {
			return info.Path
		}
	}
	r.t.Fatalf("%s is gone", session)
	return ""
}

// An editor that had the file open writes the old text back.
func TestLateSaveOfForgottenTextIsIgnored(t *testing.T) {
	r := newForgetRig(t)
	mustAppend(t, r.s, "cli-a", user("one"))
	early := readFile(t, onlyFile(t, r.root))
	path := onlyFile(t, r.root)
	b := mustAppend(t, r.s, "cli-a", user("zebra seven"))
	r.forget(func(t *forgotten.Draft) { t.AddBlock("cli-a", b.ID) })
	writeFile(t, path, early) // it drops the block, which would be put back
	mustAppend(t, r.s, "cli-a", user("next"))
	r.residue("zebra")
	// another program that held the block in memory puts it back
	if _, err := r.s.Append(t.Context(), "cli-a", b); err != nil {
		t.Fatal(err)
	}
	r.residue("zebra")
	if !r.s.Forgotten().HasBlock("cli-a", b) {
		t.Error("an old copy would be indexed")
	}
}

// An answer in progress must not write down what was forgotten.
func TestRunningTurnLeavesNoForgottenText(t *testing.T) {
	r := newForgetRig(t)
	mustAppend(t, r.s, "cli-a", user("zebra seven"))
	other := openStore(t, r.root)
	turn, err := other.Session("cli-b").LockTurn(t.Context(), "window", nil)
	must(t, err)
	defer turn.Unlock()
	asked := mustAppend(t, other, "cli-b", user("what did I say?"))
	check := other.Session("cli-b").Checkpoint(t.Context(), transcript.Block{Kind: transcript.KindAssistant, Parent: asked.ID})
	r.text("zebra seven")
	check.SetText("You said zebra")
	check.SetText("You said zebra seven to me")
	filetest.Await(t, filepath.Join(r.root, transcript.SessionDir, transcript.PartialDir, "*"))
	if _, err := check.Commit(t.Context(), transcript.Block{Kind: transcript.KindAssistant, Parent: asked.ID, Text: "You said zebra seven to me"}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Append(t.Context(), "cli-b", transcript.Block{Kind: transcript.KindTool, Agent: "MEMORY_SEARCH", Text: "found: zebra seven"}); err != nil {
		t.Fatal(err)
	}
	r.residue("zebra")
	mustAppend(t, other, "cli-b", user("zebra seven again")) // what a person types again is theirs
	if !strings.Contains(readFile(t, r.pathOf("cli-b")), "zebra seven again") {
		t.Error("what was typed anew was taken")
	}
}

func TestDryRunChangesNothingAndShowsTexts(t *testing.T) {
	r := newForgetRig(t)
	mustAppend(t, r.s, "cli-a", user("zebra seven"))
	remember(t, r.m, "The locker opens with zebra seven")
	before := readAll(t, r.root)
	tr, err := r.s.Forgotten().New(true, false)
	must(t, err)
	tr.AddWords("zebra seven")
	found, err := r.s.Forget(t.Context(), tr.Traces, sessionmem.ForgetOptions{Dry: true})
	must(t, err)
	more, err := r.m.Forget(t.Context(), tr.Traces, true)
	must(t, err)
	if readAll(t, r.root) != before {
		t.Error("something was changed")
	}
	data, err := json.Marshal(append(found, more...))
	must(t, err)
	for _, want := range []string{`"place":"user"`, `"place":"title"`, `"place":"memory"`, `"place":"undo"`, `"place":"journal"`, "opens with zebra seven"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is missing in %s", want, data)
		}
	}
}

// Forgetting reaches blocks that are only in a journal, and they are no longer offered.
func TestForgettingReachesTheJournal(t *testing.T) {
	r := newForgetRig(t)
	mustAppend(t, r.s, "cli-a", user("hello"))
	path := onlyFile(t, r.root)
	before := readFile(t, path)
	mustAppend(t, r.s, "cli-a", user("the blue zebra"))
	writeFile(t, path, before)
	if n := storetest.Missing(t, r.s, "cli-a"); n != 1 {
		t.Fatalf("%d are missing", n)
	}
	time.Sleep(1100 * time.Millisecond) // blocks have seconds
	r.text("blue zebra")
	r.residue("zebra")
	if n := storetest.Missing(t, r.s, "cli-a"); n != 0 {
		t.Errorf("%d are missing", n)
	}
	must(t, second(r.s.Restore(t.Context(), "cli-a")))
	r.residue("zebra")
}

// Restoring finishes a forgetting that was killed before it reached the journal: the other
// messages come back, the forgotten one doesn't.
func TestRestoreAfterAnInterruptedForgetting(t *testing.T) {
	r := newForgetRig(t)
	mustAppend(t, r.s, "cli-a", user("one"))
	path := onlyFile(t, r.root)
	before := readFile(t, path)
	mustAppend(t, r.s, "cli-a", user("The zebra's locker has the number four thousand seven hundred and eleven."))
	mustAppend(t, r.s, "cli-a", user("two"))
	mustAppend(t, r.s, "cli-a", user("three"))
	writeFile(t, path, before)
	if n := storetest.Missing(t, r.s, "cli-a"); n != 3 {
		t.Fatalf("%d are missing", n)
	}
	time.Sleep(1100 * time.Millisecond) // blocks have seconds
	tr, err := r.s.Forgotten().New(true, false)
	must(t, err)
	tr.AddWords("zebra's locker")
	tr.AddPhrase("the zebra's locker", tr.Phrase("zebra's locker"))
	must(t, r.s.Forgotten().Begin(tr)) // and here it was killed
	got, err := r.s.Restore(t.Context(), "cli-a")
	if must(t, err); got.Messages != 2 {
		t.Errorf("restored %+v", got)
	}
	if diff := cmp.Diff([]string{"one", "two", "three"}, texts(t, openStore(t, r.root), "cli-a")); diff != "" {
		t.Error(diff)
	}
	r.residue("zebra")
}
