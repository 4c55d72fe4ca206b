package recall

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

// keepUp does what Run does when it is woken.
func (b *bench) keepUp() Report {
	b.Helper()
	r, err := b.x.syncChanged(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// anew opens the index once more, as another process does.
func (b *bench) anew() *Index {
	b.Helper()
	before, x := b.x, b.open()
	b.Cleanup(func() {
		if err := errors.Join(before.Close(), x.Close()); err != nil {
			b.Error(err)
		}
	})
	return x
}

// lists returns what an index finds for a question, best first, each with its score.
func (b *bench) lists(x *Index, question string) (texts, whole []string, err error) {
	b.Helper()
	a, err := x.Search(b.Context(), Query{Text: question, Now: b.now, Limit: 40, Strategy: Lexical, all: true})
	for _, h := range a.Hits {
		texts = append(texts, h.Text)
		whole = append(whole, fmt.Sprintf("%s %.6f %d %s", h.ID, h.Score, h.Turn, h.Text))
	}
	return texts, whole, err
}

// found returns the texts that a question finds.
func (f *bench) found(question string) []string {
	f.Helper()
	texts, _, err := f.lists(f.x, question)
	if err != nil {
		f.Fatal(err)
	}
	return texts
}

// reopened compares an answer with those of the index opened anew, and of a rebuilt one.
func (f *bench) reopened(question string) {
	f.Helper()
	_, want, err := f.lists(f.x, question)
	if err != nil {
		f.Fatal(err)
	}
	f.x = f.anew()
	if _, got, err := f.lists(f.x, question); err != nil || !slices.Equal(got, want) {
		f.Errorf("opened anew: %v %v, want %v", got, err, want)
	}
	if _, err := f.x.Rebuild(f.Context()); err != nil {
		f.Fatal(err)
	}
	if _, got, err := f.lists(f.x, question); err != nil || !slices.Equal(got, want) {
		f.Errorf("rebuilt: %v %v, want %v", got, err, want)
	}
}

func TestEveryChangeOfAFileIsFollowed(t *testing.T) {
	f := newBench(t)
	f.talk("cpu-a", "the otter swims", "it does", "the heron flies")
	f.talk("cpu-b", "the badger digs")
	f.sync()
	for _, c := range []struct {
		what   string
		change func()
		query  string
		want   string
		added  int
		gone   string // a word that isn't found any more
	}{
		{"a new turn", func() { f.say("cpu-a", transcript.KindAssistant, "the wolf howls") }, "wolf", "the wolf howls", 1, ""},
		{"an edit that keeps the length", func() {
			f.rewrite(f.transcript("cpu-a"), func(s string) string { return strings.ReplaceAll(s, "otter", "moose") })
		}, "moose", "the moose swims", 1, "otter"},
		{"a block taken out", func() {
			f.rewrite(f.transcript("cpu-a"), func(s string) string {
				i, j := strings.Index(s, "## Assistant"), strings.Index(s, "the heron")
				return s[:i] + s[strings.LastIndex(s[:j], "## "):]
			})
		}, "heron", "the heron flies", 2, ""},
		{"a block marked as forgotten", func() {
			f.rewrite(f.transcript("cpu-a"), func(s string) string { return strings.Replace(s, "the heron flies", "[forgotten]", 1) })
		}, "wolf", "the wolf howls", 0, "heron"},
		{"a session deleted", func() {
			if err := os.Remove(f.transcript("cpu-b")); err != nil {
				t.Fatal(err)
			}
		}, "wolf", "the wolf howls", 0, "badger"},
		{"a move into the archive", func() {
			from := f.transcript("cpu-a")
			dir := filepath.Join(f.root, "session", "archive", "2026-05")
			if err := errors.Join(os.MkdirAll(dir, 0o700), os.Rename(from, filepath.Join(dir, filepath.Base(from)))); err != nil {
				t.Fatal(err)
			}
		}, "moose", "the moose swims", 0, ""},
		{"a memory file", func() {
			if err := errors.Join(os.MkdirAll(filepath.Join(f.root, "agents"), 0o700), os.WriteFile(filepath.Join(f.root, "agents", "memory.md"), []byte("# Me\n\n- likes quolls <!-- 2026-05-01 cpu-a -->\n- hates wombats\n\nA paragraph on numbats.\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}, "quolls", "likes quolls", 3, ""},
		{"a line of memory edited", func() { // what has no date of its own is as old as the file: the paragraph too
			path := filepath.Join(f.root, "agents", "memory.md")
			f.rewrite(path, func(s string) string { return strings.Replace(s, "wombats", "dingos", 1) })
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
		}, "dingos", "hates dingos", 2, "wombats"},
	} {
		c.change()
		if r := f.sync(); r.Added != c.added {
			t.Errorf("after %s: %d chunks added, want %d", c.what, r.Added, c.added)
		}
		if got := f.first(c.query); got != c.want {
			t.Errorf("after %s: %q, want %q", c.what, got, c.want)
		}
		if c.gone != "" && len(f.found(c.gone)) != 0 {
			t.Errorf("after %s: %q is still found", c.what, c.gone)
		}
		if r := f.sync(); r.Changed != 0 {
			t.Errorf("after %s: a second sync still finds %d changes", c.what, r.Changed)
		}
		f.reopened(c.query)
	}
}

// TestDamageFoundByAnotherProcessIsRepaired: the process that keeps the index up to date has
// its own view of it, and rarely reads the file.
func TestDamageFoundByAnotherProcessIsRepaired(t *testing.T) {
	f := someTalk(t)
	_, want, err := f.lists(f.x, "otter swims")
	if err != nil {
		t.Fatal(err)
	}
	keeper := f.anew()
	if _, err := keeper.syncChanged(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := keeper.file.Unload(); err != nil { // whoever closes it last empties its log
		t.Fatal(err)
	}
	if err := f.x.file.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := os.OpenFile(filepath.Join(f.cache, "recall.db"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.WriteAt([]byte(strings.Repeat("no database ", 2000)), 0)
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	f.x = f.anew()
	if _, _, err := f.lists(f.x, "otter swims"); !errors.Is(err, index.ErrDamaged) {
		t.Fatalf("%v, want that it is damaged", err)
	}
	if _, err := keeper.syncChanged(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, got, err := f.lists(f.x, "otter swims"); err != nil || !slices.Equal(got, want) {
		t.Errorf("mended by another: %d hits, %v, want %d", len(got), err, len(want))
	}
	if r, err := keeper.syncChanged(t.Context()); err != nil || r.Changed != 0 {
		t.Errorf("%+v, %v; want that it is mended once", r, err)
	}
}

func TestSyncWaitsForAnotherWritingProcess(t *testing.T) {
	f := someTalk(t)
	other := flock.New(filepath.Join(f.cache, "recall.lock"))
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	if _, err := f.x.Sync(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Sync: %v, want that it waits", err)
	}
	if got := f.first("wolf"); got != "the wolf howls" {
		t.Errorf("meanwhile %q is found", got)
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	f.sync()
}

func TestTwoProcessesSeeEachOthersChanges(t *testing.T) {
	f := someTalk(t)
	other := f.anew()
	for i := range 30 {
		word := fmt.Sprintf("%c%cquux", 'a'+i, 'z'-i%20)
		f.say("cpu-last", transcript.KindUser, "now "+word+" is said")
		writer, reader := f.x, other
		if i%2 == 1 {
			writer, reader = other, f.x
		}
		if _, err := writer.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if i%7 == 3 {
			if _, err := writer.Rebuild(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got, _, err := f.lists(reader, word); err != nil || len(got) == 0 || !strings.Contains(got[0], word) {
			t.Fatalf("%s: the other process finds %v, %v", word, got, err)
		}
	}
}

// Text that another process removed from the index, without a change of any file, is indexed
// again by the process that keeps the index up to date.
func TestTextErasedByAnotherProcessIsIndexedAgain(t *testing.T) {
	for _, open := range []bool{true, false} {
		f := someTalk(t)
		if r, err := f.x.syncChanged(t.Context()); err != nil || r.Changed != 0 {
			t.Fatalf("%+v %v, want that all is known", r, err)
		}
		if !open {
			if _, err := f.x.file.Unload(); err != nil {
				t.Fatal(err)
			}
		}
		other := f.anew()
		err := other.file.Erase(t.Context(), time.Minute, func(now *index.Snapshot) (sources []string, _ []index.Place, _ error) {
			for _, k := range now.OfSession("cpu-last") {
				sources = append(sources, k.Key)
			}
			return sources, nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := f.x.syncChanged(t.Context()); err != nil || r.Added == 0 {
			t.Errorf("index open %v: %+v %v, want the session indexed again", open, r, err)
		}
		if got := f.first("wolf"); got != "the wolf howls" {
			t.Errorf("index open %v: %q is found", open, got)
		}
	}
}

func TestASweepWithoutChangesLoadsNothing(t *testing.T) {
	f := someTalk(t)
	f.x = f.anew()
	f.sync()
	if _, err := f.x.file.Unload(); err != nil { // as after a while without a question
		t.Fatal(err)
	}
	if r, err := f.x.syncChanged(t.Context()); err != nil || r.Changed != 0 {
		t.Errorf("%+v %v, want that nothing is to do", r, err)
	}
	if open, err := f.x.file.Unload(); err != nil || open {
		t.Errorf("index open: %v, %v; want that it stays closed", open, err)
	}
	f.say("cpu-last", transcript.KindUser, "the lynx sleeps")
	if r, err := f.x.syncChanged(t.Context()); err != nil || r.Added != 1 {
		t.Errorf("%+v %v, want the new turn", r, err)
	}
}

func TestRunFindsChangesByItselfAndWhenTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newBench(t)
		f.talk("cpu-a", "the otter swims", "it does")
		ctx, cancel := context.WithCancel(t.Context())
		reports := make(chan Report, 100)
		done := make(chan struct{})
		go func() { f.x.keepUp(ctx, func(r Report) { reports <- r }); close(done) }()
		if r := <-reports; r.Added != 2 {
			t.Errorf("%+v, want what was there", r)
		}
		f.say("cpu-a", transcript.KindUser, "the lynx sleeps")
		begun := time.Now()
		f.x.Changed()
		if r := <-reports; r.Added != 1 || time.Since(begun) > 0 {
			t.Errorf("%+v after %v, want the new turn at once", r, time.Since(begun))
		}
		f.say("cpu-b", transcript.KindUser, "the wolf howls")
		if r := <-reports; r.Added != 1 || time.Since(begun) > time.Minute {
			t.Errorf("%+v after %v, want what nobody reported within a minute", r, time.Since(begun))
		}
		if err := os.Rename(f.cache, f.cache+"-gone"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.cache, nil, 0o600); err != nil { // nothing can be written there
			t.Fatal(err)
		}
		f.x.Changed()
		if r := <-reports; r.Added != 0 {
			t.Errorf("%+v without a folder", r)
		}
		if err := errors.Join(os.Remove(f.cache), os.Rename(f.cache+"-gone", f.cache)); err != nil {
			t.Fatal(err)
		}
		f.say("cpu-b", transcript.KindUser, "in the forest")
		if r := <-reports; r.Added != 1 {
			t.Errorf("%+v, want that it goes on", r)
		}
		cancel()
		<-done
	})
}

// words are forgotten texts.
type words []string

func (w words) HasIn(_, text string) bool                  { return slices.Contains(w, text) }
func (w words) HasBlock(_ string, b transcript.Block) bool { return slices.Contains(w, b.Text) }

func TestForgottenTextIsNotIndexedAgain(t *testing.T) {
	f := newBench(t)
	f.talk("cpu-a", "the otter swims", "the heron stands")
	f.remember("- likes quolls\n- hates wombats\n")
	f.sync()
	f.x.corpus.Forgotten = func() corpus.Tombstones { return words{"the heron stands", "likes quolls"} }
	if _, err := f.x.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{"otter": "the otter swims", "wombats": "hates wombats", "stands": "", "quolls": ""} {
		if got := slices.DeleteFunc(f.found(question), func(s string) bool { return s == "the otter swims" && want == "" }); len(got) > 0 != (want != "") || want != "" && got[0] != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}

// A session that grew in place is read from its last block on, unless something else changed too.
func TestAFileThatGrewInPlaceIsFollowed(t *testing.T) {
	for what, c := range map[string]struct {
		change func(text string) string
		finds  map[string]string
	}{
		"it only grew":         {func(s string) string { return s }, map[string]string{"otter": "the otter swims", "badger": "the badger digs"}},
		"an edit before":       {func(s string) string { return strings.ReplaceAll(s, "otter", "moose") }, map[string]string{"otter": "", "moose": "the moose swims", "badger": "the badger digs"}},
		"its last block, too":  {func(s string) string { return strings.Replace(s, "badger", "weasel", 1) }, map[string]string{"badger": "", "weasel": "the weasel digs"}},
		"its last block's end": {func(s string) string { return s + "and sleeps\n" }, map[string]string{"sleeps": "the badger digs\nand sleeps"}},
		"its last block moved": {func(s string) string {
			i := strings.LastIndex(s, "\n## ")
			return s[:i] + "\n## User · 2026-05-03T10:02:30Z\n<!-- id=between2 -->\n\nthe lynx sleeps\n" + s[i:]
		}, map[string]string{"lynx": "the lynx sleeps", "badger": "the badger digs"}},
	} {
		f := newBench(t)
		f.talk("cpu-a", "the otter swims")
		f.sync()
		f.talk("cpu-a", "the heron stands", "it rains", "the badger digs")
		f.sync() // now it is known where to resume
		file := f.transcript("cpu-a")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		more := strings.TrimRight(c.change(string(data)), "\n") + "\n\n## User · 2026-05-03T11:00:00Z\n<!-- id=aftertwo -->\n\nthe yak grazes\n"
		if err := os.WriteFile(file, []byte(more), 0o600); err != nil { // the same file
			t.Fatal(err)
		}
		f.sync()
		c.finds["yak"] = "the yak grazes"
		for question, want := range c.finds {
			if got := f.first(question); got != want {
				t.Errorf("%s, %s: %q, want %q", what, question, got, want)
			}
		}
		f.reopened("yak")
	}
}

func TestASummaryOfWhatWasTakenOutIsNotIndexed(t *testing.T) {
	f := newBench(t)
	f.talk("cpu-a", "the otter swims", "it does")
	f.sync()
	f.talk("cpu-a", "go on")
	f.sync() // now it is known where to resume
	var told transcript.Fingerprints
	if err := f.store.Each(t.Context(), "cpu-a", nil, func(b transcript.Block) error { told.Follow(b); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"They spoke of numbats.", "They spoke of wombats."} {
		f.now = f.now.Add(time.Minute)
		storetest.Append(t, f.store, "cpu-a", transcript.Block{Kind: transcript.KindSummary, Text: text, Time: f.now}.WithFingerprint(told.First(2)))
		f.sync()
	}
	if f.first("numbats") == "" || f.first("wombats") == "" {
		t.Fatal("the summaries aren't found: this proves nothing")
	}
	f.rewrite(f.transcript("cpu-a"), func(s string) string { return strings.ReplaceAll(s, "the otter swims", "[forgotten]") })
	for range 2 { // it isn't found before the file is indexed again either
		if got := append(f.found("numbats"), f.found("wombats")...); len(got) > 0 {
			t.Errorf("%q tell what was taken out", got)
		}
		f.sync()
	}
	f.reopened("go on")
}

// Many Summaries at the end of a long session cost no reading of the session each.
func TestSummariesAtTheEndAreReadOnce(t *testing.T) {
	cost := func(summaries int) uint64 {
		f := newBench(t)
		f.talk("cpu-a", "the otter swims")
		f.sync()
		f.talk("cpu-a", "go on")
		f.sync() // now it is known where to resume
		for i := range summaries {
			f.say("cpu-a", transcript.KindSummary, fmt.Sprintf("They spoke of numbat%d.", i))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if r := f.sync(); r.Added != summaries {
			t.Fatalf("%+v, want %d chunks", r, summaries)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := cost(50), cost(400)
	if many > 20*few {
		t.Errorf("8 times as many Summaries allocate %d times as much", many/few)
	}
}

func TestALongSessionIsIndexedInPieces(t *testing.T) {
	f := newBench(t)
	f.talk("cpu-a", "the otter swims")
	f.sync()
	const blocks = 2100
	f.rewrite(f.transcript("cpu-a"), func(s string) string {
		var out strings.Builder
		out.WriteString(s)
		for i := range blocks {
			fmt.Fprintf(&out, "\n## User · 2026-05-03T11:00:00Z\n<!-- id=a%c%c%cbcde -->\n\nbadger n%c%c%c\n", 'a'+i%26, 'a'+i/26%26, 'a'+i/676, 'b'+i%20, 'b'+i/20%20, 'b'+i/400)
		}
		return out.String()
	})
	if r := f.sync(); r.Added != blocks || r.Changed != 1 {
		t.Errorf("%+v, want %d chunks", r, blocks)
	}
	for _, i := range []int{0, 2047, 2048, blocks - 1} {
		want := fmt.Sprintf("badger n%c%c%c", 'b'+i%20, 'b'+i/20%20, 'b'+i/400)
		if got := f.first(want[len("badger "):]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	f.rewrite(f.transcript("cpu-a"), func(s string) string { return s[:strings.Index(s, "\n## User · 2026-05-03T11")] })
	f.sync()
	if got := f.found("badger otter"); len(got) != 1 || got[0] != "the otter swims" {
		t.Errorf("%q, want what is left", got)
	}
}

func TestAnInterruptedRunKeepsWhatItHas(t *testing.T) {
	for what, begin := range map[string]func(f *bench, ctx context.Context) (Report, error){
		"an update": func(f *bench, ctx context.Context) (Report, error) { return f.x.Sync(ctx) },
		"a rebuild": func(f *bench, ctx context.Context) (Report, error) { return f.x.Rebuild(ctx) },
		"one in the background": func(f *bench, ctx context.Context) (Report, error) {
			return f.x.syncChanged(index.InBackground(ctx))
		},
	} {
		f := newBench(t)
		for i := range enough {
			f.say(fmt.Sprintf("cpu-s%d", i), transcript.KindUser, fmt.Sprintf("the otter number %d swims", i))
		}
		ctx, stop := context.WithCancel(t.Context())
		sawBuilding := false
		f.progress = func(p Progress) {
			if p.Files >= enough/2 {
				stop()
			}
			c, err := f.x.state(t.Context())
			sawBuilding = sawBuilding || err == nil && c.Building && c.Of == enough
		}
		if _, err := begin(f, ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: not stopped: %v", what, err)
		}
		f.progress = nil
		if !sawBuilding {
			t.Errorf("%s: its progress isn't reported", what)
		}
		r, err := begin(f, t.Context())
		if err != nil || r.Changed == 0 || r.Changed > enough/2 || r.Files != enough {
			t.Errorf("%s: %+v, %v; want that the rest is read", what, r, err)
		}
		if c, err := f.x.state(t.Context()); err != nil || c.Behind != 0 || c.Building || c.Files != enough {
			t.Errorf("%s: %+v, %v", what, c, err)
		}
		if got := f.found("otter"); len(got) != enough {
			t.Errorf("%s: %d of %d are found", what, len(got), enough)
		}
	}
}

// older makes the index one of an older analysis, which has to be built anew, and opens it again.
func (f *bench) older() {
	f.Helper()
	db, err := sql.Open("sqlite", "file:"+f.x.file.Path())
	if err != nil {
		f.Fatal(err)
	}
	_, err = db.ExecContext(f.Context(), "UPDATE meta SET value=value-1 WHERE key='analysis'")
	if err = errors.Join(err, db.Close(), f.x.file.Close()); err != nil {
		f.Fatal(err)
	}
	f.x = f.anew()
}

// Given a file that can't be read while the index of an older version is replaced, when the others are
// read, then they are found, and the file is too once it can be read.
func TestAnUnreadableFileHoldsUpNoNewIndex(t *testing.T) {
	f := newBench(t)
	f.talk("cpu-b", "the heron stands")
	f.talk("cpu-a", "the otter swims")
	f.sync()
	f.older()
	path := f.transcript("cpu-b")
	f.x.cfg.Progress = func(Progress) { // behind the first of both
		f.x.cfg.Progress = func(Progress) {}
		if err := errors.Join(os.Rename(path, path+".away"), os.Mkdir(path, 0o700)); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.x.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), filepath.Base(path)) {
		t.Errorf("%v, want that the file is named", err)
	}
	if got := f.found("otter"); len(got) != 1 || f.x.file.IsUnfinished() {
		t.Errorf("%q is found, unfinished %v", got, f.x.file.IsUnfinished())
	}
	f.say("cpu-a", transcript.KindUser, "and dives")
	if err := errors.Join(os.Remove(path), os.Rename(path+".away", path)); err != nil {
		t.Fatal(err)
	}
	f.keepUp()
	for _, word := range []string{"dives", "heron"} {
		if got := f.found(word); len(got) == 0 || !strings.Contains(got[0], word) {
			t.Errorf("%s: %q is found", word, got)
		}
	}
}

// An interrupted Rebuild leaves a file that nobody works on: searches don't compare all files because of it.
func TestAnInterruptedRebuildDoesntSlowSearches(t *testing.T) {
	f := newBench(t)
	f.talk("cpu-a", "the otter swims")
	f.sync()
	ctx, stop := context.WithCancel(t.Context())
	f.x.cfg.Progress = func(Progress) { stop() }
	if _, err := f.x.Rebuild(ctx); !errors.Is(err, context.Canceled) || !f.x.file.IsUnfinished() {
		t.Fatal(err)
	}
	f.x.compared.set(1, 0, 0)
	f.talk("cpu-b", "the heron stands")
	if c, err := f.x.state(t.Context()); err != nil || c.Files != 1 {
		t.Errorf("%+v %v, want that the files aren't compared again so soon", c, err)
	}
}

func TestCoverageCountsFilesThatChanged(t *testing.T) {
	f := newBench(t)
	covers := func(what string, files, behind int) {
		t.Helper()
		f.x.compared.forget()
		if c, err := f.x.state(t.Context()); err != nil || c.Files != files || c.Behind != behind || c.Building {
			t.Errorf("%s: %+v, %v; want %d of %d files behind", what, c, err, behind, files)
		}
	}
	covers("nothing", 0, 0)
	f.talk("cpu-a", "the otter swims")
	f.talk("cpu-b", "the heron stands")
	f.remember("- likes quolls\n")
	covers("before", 3, 3)
	f.sync()
	covers("after", 3, 0)
	f.say("cpu-a", transcript.KindUser, "and dives")
	covers("one changed", 3, 1)
	f.x.Changed()
	f.x.Changed()
	f.keepUp()
	covers("it was reported", 3, 0)
	f.older()
	covers("of another version", 3, 3)
	if got := f.first("otter"); got != "the otter swims" {
		t.Errorf("meanwhile %q is found", got)
	}
	if r := f.keepUp(); r.Added != 4 {
		t.Errorf("%+v, want that it is rebuilt", r)
	}
	covers("rebuilt", 3, 0)
	if err := os.Remove(filepath.Join(f.root, "agents", "memory.md")); err != nil {
		t.Fatal(err)
	}
	if r := f.keepUp(); r.Changed != 1 || len(f.found("quolls")) != 0 {
		t.Errorf("%+v, %q; want that a memory file that is gone isn't found", r, f.found("quolls"))
	}
}
