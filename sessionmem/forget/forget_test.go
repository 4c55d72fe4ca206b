package forget

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

var must = filetest.Must

// rig is a data folder and a cache with everything that the product writes.
type rig struct {
	t           *testing.T
	root, cache string
	store       *sessionmem.Store
	memory      *memory.Memory
	index       *recall.Index
	f           *Forgetter
	patience    time.Duration // for an erasure from the index
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, root: t.TempDir(), cache: t.TempDir()}
	r.open()
	return r
}

// open opens the folders as another process does.
func (r *rig) open() {
	r.t.Helper()
	store, err := sessionmem.Open(sessionmem.Config{Root: r.root, CacheDir: r.cache})
	must(r.t, err)
	r.store, r.memory = store, memory.New(memory.Config{Root: r.root})
	index, err := recall.Open(recall.Config{
		Root: r.root, CacheDir: r.cache, Store: store, Memory: r.memory,
		Settings:      func() recall.Settings { return recall.Settings{TopK: 8, Strategy: recall.Lexical} },
		Forgotten:     func() corpus.Tombstones { return store.Forgotten() },
		ErasePatience: r.patience,
	})
	must(r.t, err)
	r.index = index
	r.t.Cleanup(func() { must(r.t, errors.Join(index.Close(), store.Close())) })
	r.f = New(Params{Root: r.root, CacheDir: r.cache, Store: store, Memory: r.memory, Index: index})
}

func (r *rig) say(session string, blocks ...transcript.Block) (last transcript.Block) {
	r.t.Helper()
	out, err := r.store.Session(session).Append(r.t.Context(), blocks...)
	must(r.t, err)
	return out[len(out)-1]
}

func user(text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindUser, Text: text}
}

func answer(text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindAssistant, Agent: "orchestrator", Model: "m", Text: text}
}

func (r *rig) write(path, text string) string {
	r.t.Helper()
	must(r.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(r.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (r *rig) read(path string) string {
	r.t.Helper()
	data, err := os.ReadFile(path)
	must(r.t, err)
	return string(data)
}

func (r *rig) plan(s Selection) *Plan {
	r.t.Helper()
	p, err := r.f.Plan(r.t.Context(), s)
	must(r.t, err)
	return p
}

// forget plans and forgets a selection; nothing may be refused.
func (r *rig) forget(s Selection) Report {
	r.t.Helper()
	report, err := r.f.Do(r.t.Context(), r.plan(s))
	must(r.t, err)
	for _, t := range report.Found {
		if t.Action == forgotten.Refused {
			r.t.Errorf("refused: %+v", t)
		}
	}
	return report
}

// residue returns the files below both folders that hold one of the words in their raw
// bytes or in their name.
func (r *rig) residue(words ...string) (left []string) {
	r.t.Helper()
	for _, root := range []string{r.root, r.cache} {
		must(r.t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			data := filepath.Base(path)
			if !d.IsDir() {
				data += r.read(path)
			}
			for _, w := range words {
				if strings.Contains(strings.ToLower(data), strings.ToLower(w)) {
					left = append(left, path+" holds "+w)
				}
			}
			return nil
		}))
	}
	return left
}

func (r *rig) clean(words ...string) {
	r.t.Helper()
	for _, left := range r.residue(words...) {
		r.t.Error(left)
	}
}

const secret = "The blue zebra sleeps below bridge seven"

// secretWords are the traces that the tests look for: words of the secret, and base64 of
// them as the list of undos may have it.
var secretWords = []string{"zebra", "emVicm", "plYnJh", "6ZWJyY"}

// aDay writes a day of real use with the secret in every file that can hold it.
func (r *rig) aDay() {
	r.t.Helper()
	ctx := r.t.Context()
	up, err := attach.New(ctx, "plan.txt", []byte("About it: "+secret))
	must(r.t, err)
	file, err := r.store.Attach(ctx, "cpu-day", up)
	must(r.t, err)
	asked := r.say("cpu-day", user(transcript.WithLinks(secret+". Remember that.", file)))
	r.say("cpu-day",
		transcript.Block{Kind: transcript.KindAgent, Agent: "coder", Parent: asked.ID, Task: "keep: " + secret, Text: "kept: " + secret},
		transcript.Block{Kind: transcript.KindTool, Agent: "FETCH_URL", Parent: asked.ID, Text: secret},
		answer("I see, "+secret+"."))
	last := r.say("cpu-day", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: secret, By: "small"})
	r.say("cpu-day", transcript.Block{Kind: transcript.KindSummary, Text: "They said: " + secret, Through: asked.ID, By: "small"})
	r.say("cpu-day", user("what else?"), answer("nothing"))
	_ = last

	r.say("cpu-recall", transcript.Block{Kind: transcript.KindUser, Text: "who sleeps where?", Context: "Notes:\n- from cpu-day: " + secret + "\nCPU 4 %"})
	whole, err := r.store.Load(ctx, "cpu-day")
	must(r.t, err)
	_, err = r.store.Fork(ctx, whole, "", "cpu")
	must(r.t, err)
	for _, name := range []string{"cpu-old", "cpu-gone"} {
		r.say(name, transcript.Block{Kind: transcript.KindUser, Text: secret, Time: time.Now().Add(-100 * 24 * time.Hour)})
	}
	_, err = r.store.Archive(ctx, sessionmem.ArchiveRule{After: 24 * time.Hour})
	must(r.t, err)
	must(r.t, r.store.Delete(ctx, "cpu-gone"))
	_, err = r.store.List(ctx)
	must(r.t, err)

	_, err = r.memory.Append(ctx, memory.Lesson{Text: secret, Confidence: 1, Session: "cpu-day"})
	must(r.t, err)
	_, err = r.memory.Append(ctx, memory.Lesson{Text: "Agents know that " + secret, Target: memory.Target{Kind: memory.TargetPerson, ID: "7"}, Confidence: 1})
	must(r.t, err)
	_, err = r.memory.Propose(ctx, memory.Proposal{Text: "It matters: " + secret, Session: "cpu-day"})
	must(r.t, err)
	must(r.t, r.memory.KeepUnsaved(memory.Unsaved{Path: filepath.Join(r.root, "agents", "memory.md"), Base: "- " + secret + "\n", Text: "- " + secret + "\n- more\n"}))

	r.write(filepath.Join(r.root, "agents", ".trash", "agent-009", "memory.md"), "- "+secret+"\n")
	r.write(filepath.Join(r.root, "agents", "memory.sync-conflict-20261121.md"), "- "+secret+"\n- kept\n")
	r.write(filepath.Join(r.root, "session", "drafts.json"), jsonOf(r.t, map[string]any{
		"format": "mac-stats-drafts/1", "sessions": map[string]any{"cpu-day": map[string]any{"draft": "and " + secret}, "cpu-x": map[string]any{"draft": "fine"}},
	}))
	half := r.write(filepath.Join(r.root, "session", ".partial", "cpu-day.abcd.md.tmp"), "half: "+secret)
	must(r.t, os.Chtimes(half, time.Time{}, time.Now().Add(-time.Minute)))
	r.write(filepath.Join(r.root, "logs", "mac-stats.log"), "time=1 level=DEBUG msg=\"said\" text=\""+secret+"\\n\\\"x\\\"\"\ntime=2 level=INFO msg=fine\n")
	r.write(filepath.Join(r.root, "logs", "crash-20261121-101112.txt"), "panic: "+secret+"\n\ngoroutine 1")
	r.write(filepath.Join(r.cache, "unsaved-0123", "cpu-day.md"), "---\nformat: mac-stats-session/1\nsession: cpu-day\ntitle: "+secret+"\n---\n\n## User · 2026-11-21T10:15:02+01:00\n<!-- id=zz -->\n\n"+secret+"\n")
	r.write(filepath.Join(r.cache, "sessions-x.list"), "\x00\x01"+secret)
	_, err = r.index.Sync(ctx)
	must(r.t, err)
}

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	must(t, err)
	return string(data)
}

// hits returns the number of chunks that the index finds for a query.
func (r *rig) hits(query string) int {
	r.t.Helper()
	a, err := r.index.Search(r.t.Context(), recall.Query{Text: query, Limit: 50, Cold: true})
	must(r.t, err)
	return len(a.Hits)
}

func TestADayOfUseHoldsNoTraceOfAForgottenSentence(t *testing.T) {
	r := newRig(t)
	r.aDay()
	places := map[string]bool{}
	for _, left := range r.residue("zebra") {
		places[left] = true
	}
	if len(places) < 20 || r.hits("zebra") == 0 {
		t.Fatalf("the day is not one: %v", places)
	}
	before := r.residue("zebra")
	p := r.plan(Selection{Text: "the BLUE zebra sleeps below bridge"})
	if diff := cmp.Diff(before, r.residue("zebra")); diff != "" {
		t.Errorf("a dry run changed something: %s", diff)
	}
	report, err := r.f.Do(t.Context(), p)
	must(t, err)
	for _, found := range report.Found {
		if found.Action == forgotten.Refused || found.Text != "" {
			t.Errorf("%+v", found)
		}
	}
	r.clean(secretWords...)
	if n := r.hits("zebra"); n != 0 {
		t.Errorf("%d hits", n)
	}
	for _, want := range []string{"what else?", "nothing", "CPU 4 %", "who sleeps where?"} {
		if len(r.residue(want)) == 0 {
			t.Errorf("%q is gone too", want)
		}
	}
	if _, err := r.index.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.clean(secretWords...)
	if again := r.plan(Selection{Text: "blue zebra sleeps"}); !again.Nothing() {
		t.Errorf("something is left to forget: %+v", again.Found)
	}
}

func TestADryRunListsExactlyWhatIsDone(t *testing.T) {
	for _, s := range []Selection{{Text: "blue zebra sleeps"}, {Session: "cpu-day"}, {Session: "cpu-day", Lessons: true, Copies: true}, {Since: time.Now().Add(-time.Hour)}} {
		r := newRig(t)
		r.aDay()
		p := r.plan(s)
		done, err := r.f.Do(t.Context(), p)
		must(t, err)
		count := func(found []forgotten.Touched) map[string]int {
			n := map[string]int{}
			for _, f := range found {
				if f.Action != forgotten.Kept && f.Action != forgotten.Renamed && f.Place != "journal" && f.Place != "half-written file" {
					n[f.Place+" "+f.Action]++
				}
			}
			return n
		}
		if diff := cmp.Diff(count(p.Found), count(done.Found)); diff != "" {
			t.Errorf("%+v: (-planned +done)\n%s", s, diff)
		}
	}
}

// The report is the plan with what became of each place, even if a running app was faster.
func TestTheReportIsThePlanWhoeverDoesIt(t *testing.T) {
	for _, s := range []Selection{{Text: "blue zebra sleeps"}, {Session: "cpu-day"}} {
		r := newRig(t)
		r.aDay()
		p, faster := r.plan(s), r.plan(s)
		must(t, second(r.f.Do(t.Context(), faster)))
		done, err := r.f.Do(t.Context(), p)
		must(t, err)
		rows := func(found []forgotten.Touched) map[string]int {
			n := map[string]int{}
			for _, f := range found {
				if f.Action != forgotten.Kept && f.Action != forgotten.Refused {
					n[fmt.Sprint(f.Place, f.Action, f.Path, f.Session, f.Block, f.Line)]++
				}
				if f.Text != "" && len(found) == len(done.Found) && &found[0] == &done.Found[0] {
					t.Errorf("the report quotes what was forgotten: %+v", f)
				}
			}
			return n
		}
		want := rows(p.Found)
		if diff := cmp.Diff(want, rows(done.Found)); diff != "" || len(want) == 0 {
			t.Errorf("%+v: (-planned +reported)\n%s", s, diff)
		}
	}
}

func TestForgettingASessionLeavesOthersUnchanged(t *testing.T) {
	r := newRig(t)
	r.aDay()
	other := r.say("cli-own", user("I tell it here too: "+secret+"."))
	must(t, second(r.memory.Append(t.Context(), memory.Lesson{Text: "Sleeping animals must not be woken", Confidence: 1, Session: "cpu-day"})))
	p := r.plan(Selection{Session: "cpu-day"})
	kept := ""
	for _, f := range p.Found {
		if f.Action == forgotten.Kept {
			kept += f.Session + "/" + f.Block + " "
		}
	}
	if !strings.Contains(kept, "cli-own/"+other.ID) {
		t.Errorf("what was typed elsewhere is not listed: %s", kept)
	}
	must(t, second(r.f.Do(t.Context(), p)))
	var left []string
	for _, path := range r.residue("zebra") {
		if !strings.Contains(path, "cli-own") && !strings.Contains(path, "cpu-old") && !strings.Contains(path, "cpu-gone") && !strings.Contains(path, "drafts.json") {
			left = append(left, path)
		}
	}
	if len(left) > 0 {
		t.Errorf("left: %s", strings.Join(left, "\n"))
	}
	waiting, err := r.memory.Inbox()
	must(t, err)
	if len(waiting) != 1 || waiting[0].Kind != memory.ProposeRemove || !strings.HasPrefix(waiting[0].Old, "Sleeping animals") {
		t.Errorf("the inbox: %+v", waiting)
	}
	load, err := r.store.Load(t.Context(), "cpu-day")
	must(t, err)
	for _, b := range load.Blocks {
		if b.Text != "" && b.Text != forgotten.Text {
			t.Errorf("block %+v", b)
		}
	}
	if load.Info.Title != forgotten.Text {
		t.Errorf("title %q", load.Info.Title)
	}
}

func second[T any](_ T, err error) error { return err }

func TestForgettingAChunk(t *testing.T) {
	long := ""
	for i := range 200 {
		long += fmt.Sprintf("Some words about the weather in harbour number %d.\n\n", i)
	}
	for _, tc := range []struct {
		name, text, want string
		part             string
	}{
		{"a short block", "zebra seven", "[forgotten]", "/0"},
		{"without a part", "zebra seven\n\nmore", "[forgotten]", ""},
		{"a part of a long one", long + "At last the zebra sleeps below bridge number seven.", "[forgotten]", "/last"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			b := r.say("cpu-a", user("hello"), user(tc.text))
			id := "cpu-a/" + b.ID + tc.part
			if tc.part == "/last" {
				id = "cpu-a/" + b.ID + "/" + jsonOf(t, len(corpus.Parts(tc.text))-1)
			}
			r.forget(Selection{Chunk: id})
			r.clean("zebra")
			load, err := r.store.Load(t.Context(), "cpu-a")
			must(t, err)
			if got := load.Blocks[1].Text; got != tc.want {
				t.Errorf("%.80q", got)
			}
			if load.Blocks[0].Text != "hello" {
				t.Errorf("the other block: %q", load.Blocks[0].Text)
			}
		})
	}
	r := newRig(t)
	must(t, second(r.memory.Append(t.Context(), memory.Lesson{Text: "Likes zebra crossings", Confidence: 1})))
	must(t, second(r.index.Sync(t.Context())))
	a, err := r.index.Search(t.Context(), recall.Query{Text: "zebra"})
	must(t, err)
	r.forget(Selection{Chunk: a.Hits[0].ID})
	r.clean("zebra")
}

func TestAnUnclearSelectionIsRefused(t *testing.T) {
	r := newRig(t)
	r.say("cpu-a", user("hello"))
	for _, s := range []Selection{
		{},
		{Text: "a"},
		{Text: "..."},
		{Text: "forgotten"},
		{Text: "zebra", Session: "cpu-a"},
		{Chunk: "cpu-a"},
		{Chunk: "cpu-a/x/y"},
		{Since: time.Now(), Until: time.Now().Add(-time.Hour)},
	} {
		if _, err := r.f.Plan(t.Context(), s); !errors.Is(err, ErrSelection) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if _, err := r.f.Plan(t.Context(), Selection{Chunk: "cpu-a/nothere/0"}); !errors.Is(err, recall.ErrNoChunk) {
		t.Errorf("%v", err)
	}
	if p := r.plan(Selection{Text: "nobody said this"}); !p.Nothing() {
		t.Errorf("%+v", p.Found)
	}
}

// What models say in every conversation isn't removed from all of them.
func TestCommonSentencesStayElsewhere(t *testing.T) {
	r := newRig(t)
	const common = "Please let me know if there is anything else that I can do for you."
	for _, name := range []string{"cpu-a", "cpu-b", "cpu-c", "cpu-d"} {
		r.say(name, user("hello "+name), answer(common))
	}
	p := r.plan(Selection{Session: "cpu-a"})
	if p.Common == 0 {
		t.Error("it is not known as common")
	}
	must(t, second(r.f.Do(t.Context(), p)))
	for _, name := range []string{"cpu-b", "cpu-c", "cpu-d"} {
		load, err := r.store.Load(t.Context(), name)
		must(t, err)
		if load.Blocks[1].Text != common {
			t.Errorf("%s: %q", name, load.Blocks[1].Text)
		}
	}
}

// stoppingPlace ends a forgetting in the middle, as a kill does.
type stoppingPlace struct{ stop context.CancelFunc }

func (p *stoppingPlace) Forget(ctx context.Context, _ *forgotten.Traces, dry bool) ([]forgotten.Touched, error) {
	if dry {
		return nil, nil
	}
	p.stop()
	return nil, ctx.Err()
}

// brokenPlace can't be searched.
type brokenPlace struct{}

func (brokenPlace) Forget(context.Context, *forgotten.Traces, bool) ([]forgotten.Touched, error) {
	return nil, errors.New("the bot's state is damaged")
}

func TestABrokenPlaceDoesNotStopTheOthers(t *testing.T) {
	r := newRig(t)
	r.say("cpu-a", user(secret))
	r.f = New(Params{Root: r.root, CacheDir: r.cache, Store: r.store, Memory: r.memory, Index: r.index, Places: []Place{brokenPlace{}}})
	report, err := r.f.Do(t.Context(), r.plan(Selection{Text: "blue zebra sleeps"}))
	must(t, err)
	if report.Refused != 1 || !slices.ContainsFunc(report.Found, func(f forgotten.Touched) bool { return f.Why == "the bot's state is damaged" }) {
		t.Errorf("%+v, want one refusal with the reason", report)
	}
	r.clean("zebra")
	if n := len(r.f.forgotten.Unfinished()); n != 1 {
		t.Errorf("%d forgettings are unfinished, want that it is tried again", n)
	}
}

func TestAnInterruptedForgettingIsFinishedByTheNextStart(t *testing.T) {
	r := newRig(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.aDay()
	r.f = New(Params{Root: r.root, CacheDir: r.cache, Store: r.store, Memory: r.memory, Index: r.index, Places: []Place{&stoppingPlace{stop}}})
	if _, err := r.f.Do(ctx, r.plan(Selection{Text: "blue zebra sleeps"})); err == nil {
		t.Fatal("it was not cut off")
	}
	if len(r.residue("zebra")) == 0 {
		t.Fatal("nothing was left to do")
	}
	for _, path := range r.residue("blue zebra") {
		if strings.Contains(path, "forgotten.jsonl") {
			t.Error("the journal holds text")
		}
	}
	r.open()
	report, err := r.f.Resume(t.Context())
	must(t, err)
	if len(report.Found) == 0 {
		t.Error("nothing was reported")
	}
	r.clean(secretWords...)
	if again, err := r.f.Resume(t.Context()); err != nil || len(again.Found) != 0 {
		t.Errorf("finished twice: %+v %v", again, err)
	}
}

func TestRefusedPlacesAreTriedAgain(t *testing.T) {
	r := newRig(t)
	r.say("cpu-a", user(secret))
	path := r.write(filepath.Join(r.root, "agents", "agent-1", "memory.md"), "- "+secret+"\n")
	must(t, os.Chmod(path, 0o400))
	notes := r.write(filepath.Join(r.root, "notes.bin"), "mine: "+secret)
	report, err := r.f.Do(t.Context(), r.plan(Selection{Text: "blue zebra sleeps"}))
	must(t, err)
	if report.Refused != 2 {
		t.Errorf("%+v", report)
	}
	must(t, os.Chmod(path, 0o600))
	must(t, os.Remove(notes))
	r.open()
	report, err = r.f.Resume(t.Context())
	must(t, err)
	if report.Refused != 0 {
		t.Errorf("%+v", report)
	}
	r.clean("zebra")
}

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 11, 21, 16, 30, 0, 0, time.Local)
	day := func(y int, m time.Month, d, h, min int) time.Time {
		return time.Date(y, m, d, h, min, 0, 0, time.Local)
	}
	for words, want := range map[string]time.Time{
		"2026-11-01":       day(2026, 11, 1, 0, 0),
		"2026-11-01 14:30": day(2026, 11, 1, 14, 30),
		"2026-11-01T14:30": day(2026, 11, 1, 14, 30),
		"today":            day(2026, 11, 21, 0, 0),
		"Yesterday":        day(2026, 11, 20, 0, 0),
		"now":              now,
		"90m":              day(2026, 11, 21, 15, 0),
		"7d":               day(2026, 11, 14, 16, 30),
		"2w":               day(2026, 11, 7, 16, 30),
	} {
		got, err := ParseTime(words, now)
		if err != nil || !got.Equal(want) {
			t.Errorf("%q: %v %v, want %v", words, got, err, want)
		}
	}
	for _, words := range []string{"", "x", "d", "-1d", "99999999d", "2026-13-01", "21.11.2026"} {
		if got, err := ParseTime(words, now); !errors.Is(err, ErrSelection) {
			t.Errorf("%q: %v %v", words, got, err)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-11-01", "90m", "yesterday", "65535d", "2026-11-01T14:30:00+01:00"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 21, 16, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, words string) {
		if _, err := ParseTime(words, now); err != nil && !errors.Is(err, ErrSelection) {
			t.Fatal(err)
		}
	})
}

func FuzzParseChunk(f *testing.F) {
	for _, s := range []string{"cpu-a/7f3a/0", "cpu-a/7f3a", "a//1", "a/b/65536", "memory/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		session, block, part, err := parseChunk(id)
		if err == nil && (session == "" || block == "" || part < -1) {
			t.Fatalf("%q: %q %q %d", id, session, block, part)
		}
	})
}

func TestForgettingAnAuthorIncludesTheirLatestMessages(t *testing.T) {
	r := newRig(t)
	by := func(author, text string) transcript.Block {
		return transcript.Block{Kind: transcript.KindUser, Text: text, Attrs: map[string]string{"author": author, "msg": "1"}}
	}
	r.say("discord-200", by("301", "mine, of this second"), answer("Fine."), by("302", "of somebody else"))
	must(t, second(r.f.Do(t.Context(), r.plan(Selection{Author: "301"}))))
	load, err := r.store.Load(t.Context(), "discord-200")
	must(t, err)
	var got []string
	for _, b := range load.Blocks {
		got = append(got, b.Text)
	}
	if want := []string{forgotten.Text, "Fine.", "of somebody else"}; !slices.Equal(got, want) {
		t.Errorf("the transcript holds %q, want %q", got, want)
	}
}

// Sessions that an import writes while a forgetting runs hold nothing of it either, whichever
// looks at the folder first.
func TestForgettingBesideAnImport(t *testing.T) {
	for range 5 {
		r := newRig(t)
		r.say("cpu-a", user("The zebra's name is Quagga Xyzzy."), answer("Noted."))
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for i := range 40 { // without an end the forgetting might never catch up
				blocks := []transcript.Block{user("Its name is Quagga Xyzzy."), answer("Fine.")}
				blocks[0].Time, blocks[1].Time = time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)
				for _, err := range r.store.Sessions().Create(context.Background(), []session.NewSession{{Name: fmt.Sprint("chatgpt-", i), Blocks: blocks}, {Name: fmt.Sprint("claude-", i), Blocks: blocks}}) {
					if err != nil {
						t.Error(err)
					}
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
		r.forget(Selection{Text: "Quagga Xyzzy"})
		close(stop)
		<-done
		if left := r.residue("Quagga"); len(left) > 0 {
			t.Fatalf("left: %v", left)
		}
	}
}

// The links to an attached file that holds forgotten text go with it, and no attachment's
// name reveals what was in it.
func TestTheLinkToARemovedAttachmentGoes(t *testing.T) {
	r := newRig(t)
	u, err := attach.New(t.Context(), "pin.txt", []byte("zebra 4711"))
	must(t, err)
	a, err := r.store.Attach(t.Context(), "cpu-a", u)
	must(t, err)
	if sum := sha256.Sum256(u.Data); strings.Contains(a.File, hex.EncodeToString(sum[:])) {
		t.Error("the name is a hash of the content")
	}
	r.say("cpu-a", user(transcript.WithLinks("Keep this.", a)), answer("Fine."))
	load, err := r.store.Load(t.Context(), "cpu-a")
	must(t, err)
	early, err := os.ReadFile(load.Info.Path)
	must(t, err)
	r.forget(Selection{Text: "zebra 4711"})
	file := filepath.Join(r.root, "session", "files", a.File)
	check := func(when string) {
		t.Helper()
		load, err = r.store.Load(t.Context(), "cpu-a")
		must(t, err)
		if got := load.Blocks[0].Text; got != "Keep this.\n\n[forgotten]" {
			t.Errorf("%s the message says %q", when, got)
		}
		if left := r.residue(a.File); len(left) > 0 {
			t.Errorf("%s left: %v", when, left)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s the file is there", when)
		}
	}
	check("afterwards")
	must(t, os.WriteFile(load.Info.Path, early, 0o600))
	must(t, os.WriteFile(file, u.Data, 0o600))
	check("once both came back")
}

// Nothing remains of who wrote the forgotten text, or of its attachments.
func TestForgettingAnAuthorLeavesNoNameAndNoFiles(t *testing.T) {
	r := newRig(t)
	r.say("discord-200", transcript.Block{Kind: transcript.KindUser, Text: "mine", Attrs: map[string]string{"author": "301", "msg": "1", "name": "Ann Zebra", "files": "0123.txt"}}, answer("Fine."))
	must(t, second(r.f.Do(t.Context(), r.plan(Selection{Author: "301"}))))
	r.clean("zebra", "0123.txt")
}

// An export is where the user put it. The report names the folder, and nothing of the
// file's name, which may be made from forgotten text.
func TestAnExportElsewhereIsReported(t *testing.T) {
	r := newRig(t)
	r.say("cpu-a", user("zebra 4711 it is"))
	r.say("cpu-b", user("nothing of it"))
	folder := t.TempDir()
	must(t, r.store.State().MarkExported(t.Context(), "cpu-a", filepath.Join(folder, "zebra 4711 it is.md")))
	must(t, r.store.State().MarkExported(t.Context(), "cpu-b", filepath.Join(t.TempDir(), "other.md")))
	report := r.forget(Selection{Text: "zebra 4711"})
	var reported []string
	for _, f := range report.Found {
		if f.Place == "export" && f.Action == forgotten.Kept {
			reported = append(reported, f.Path)
		}
	}
	if !slices.Equal(reported, []string{folder}) {
		t.Errorf("told of %q, want %q alone", reported, folder)
	}
	r.clean("zebra", " 4711")
}

// A hard link keeps a file's old text. The report names the file and how to find the link.
func TestAFileWithAHardLinkIsReported(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are not counted there")
	}
	r := newRig(t)
	r.say("cpu-a", user("zebra 4711 it is"))
	load, err := r.store.Load(t.Context(), "cpu-a")
	must(t, err)
	must(t, os.Link(load.Info.Path, filepath.Join(t.TempDir(), "copy.md")))
	report := r.forget(Selection{Text: "zebra 4711"})
	if !slices.ContainsFunc(report.Found, func(f forgotten.Touched) bool {
		return f.Place == "hard link" && f.Action == forgotten.Kept && strings.Contains(f.Why, "-inum ")
	}) {
		t.Errorf("%+v", report.Found)
	}
}

// A model's thoughts repeat a message in words that no forgetting of text would find.
func TestThoughtsGoWithTheMessageOrTheAnswer(t *testing.T) {
	for _, of := range []string{"message", "answer"} {
		t.Run(of, func(t *testing.T) {
			r := newRig(t)
			q := r.say("cpu-p", user("my locker at the gym opens with zebra 4711"))
			thought := func(asked, text string) {
				r.say("cpu-p", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteThinking, Agent: "orchestrator", Parent: asked, Text: text})
			}
			thought(q.ID, "They tell me of a stripy horse.")
			a := r.say("cpu-p", transcript.Block{Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: q.ID, Text: "Noted."})
			other := r.say("cpu-p", user("what is the weather?"))
			thought(other.ID, "They want the forecast.")
			r.say("cpu-p", transcript.Block{Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: other.ID, Text: "It rains."})
			id := q.ID
			if of == "answer" {
				id = a.ID
			}
			must(t, second(r.index.Sync(t.Context())))
			r.forget(Selection{Chunk: "cpu-p/" + id})
			r.clean("stripy")
			if len(r.residue("forecast")) == 0 {
				t.Error("the thoughts of another turn went too")
			}
		})
	}
}
