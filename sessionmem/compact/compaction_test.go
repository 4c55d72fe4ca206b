package compact

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// summarizeFunc is a Summarizer.
type summarizeFunc func(ctx context.Context, previous *transcript.Block, messages []transcript.Block) (Digest, error)

func (f summarizeFunc) Summarize(ctx context.Context, _ string, previous *transcript.Block, messages []transcript.Block) (Digest, error) {
	return f(ctx, previous, messages)
}

func told(text string, lessons ...memory.Lesson) summarizeFunc {
	return func(context.Context, *transcript.Block, []transcript.Block) (Digest, error) {
		return Digest{Context: text, By: "small:1b", Lessons: lessons}, nil
	}
}

// compactRig is a Compaction over real files.
type compactRig struct {
	t     *testing.T
	root  string
	store *sessionmem.Store
	c     *Compaction
	done  []Result
	write string
}

func newCompactRig(t *testing.T, s Summarizer) *compactRig {
	t.Helper()
	r := &compactRig{t: t, root: t.TempDir(), write: "auto"}
	store, err := sessionmem.Open(sessionmem.Config{Root: r.root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	r.store = store
	r.c = New(Config{
		Store: store, Summarizer: s, Policy: func() Policy { return Policy{} }, Own: []string{"SYSTEM_STATS"},
		Lessons: MemoryLessons{Memory: memory.New(memory.Config{Root: r.root}), Store: store, Write: func() string { return r.write }},
		Done:    func(c Result) { r.done = append(r.done, c) },
	})
	return r
}

// addMessages appends messages in turn: m<from> … m<to-1>.
func (r *compactRig) addMessages(session string, from, to int) {
	r.t.Helper()
	for i := from; i < to; i++ {
		kind := transcript.KindUser
		if i%2 == 1 {
			kind = transcript.KindAssistant
		}
		b := transcript.Block{ID: fmt.Sprintf("m%d", i), Kind: kind, Text: fmt.Sprintf("message %d about the tea, I drink green tea", i)}
		if _, err := r.store.Append(context.Background(), session, b.WithSources(0)); err != nil {
			r.t.Fatal(err)
		}
	}
}

// window returns what the context holds: "S" and the IDs of messages.
func window(t *testing.T, s *sessionmem.Store, session string) string {
	t.Helper()
	c, err := s.Context(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	if c.Summary != nil {
		ids = append(ids, "S")
	}
	for _, m := range c.Messages {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}

func (r *compactRig) compact(session string) (Result, error) {
	r.t.Helper()
	snap, p, err := r.c.Snapshot(context.Background(), session, "")
	if err != nil {
		r.t.Fatal(err)
	}
	return r.c.Compact(context.Background(), snap, p.KeepRecent)
}

func TestCompactKeepsTheLastMessagesAndAllOnDisk(t *testing.T) {
	r := newCompactRig(t, told("They spoke of tea."))
	r.addMessages("cli-a", 0, 10)
	done, err := r.compact("cli-a")
	if err != nil || done.Messages != 6 || done.Recent != 4 {
		t.Fatalf("%+v, %v", done, err)
	}
	again, err := sessionmem.Open(sessionmem.Config{Root: r.root}) // a restart
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for name, store := range map[string]*sessionmem.Store{"running": r.store, "restarted": again} {
		if got := window(t, store, "cli-a"); got != "S m6 m7 m8 m9" {
			t.Errorf("%s: context %q", name, got)
		}
	}
	tr, err := again.Load(t.Context(), "cli-a")
	if err != nil || len(tr.Blocks) != 11 || tr.Blocks[10].Through != "m5" || tr.Blocks[10].By != "small:1b" {
		t.Errorf("%+v, %v", tr, err)
	}
}

func TestCompactOnceForEightMessages(t *testing.T) {
	r := newCompactRig(t, told("So far."))
	compacted := []int{}
	for n := 0; n < 24; n += 2 {
		r.addMessages("cli-a", n, n+2)
		snap, p, err := r.c.Snapshot(t.Context(), "cli-a", "")
		if err != nil {
			t.Fatal(err)
		}
		if p.Due(snap.Since, 0) {
			if _, err := r.compact("cli-a"); err != nil {
				t.Fatal(err)
			}
			compacted = append(compacted, n+2)
		}
	}
	if diff := cmp.Diff([]int{8, 16, 24}, compacted); diff != "" {
		t.Error(diff)
	}
}

func TestCompactAppliesOnlyToWhatItSaw(t *testing.T) {
	tests := []struct {
		name      string
		meanwhile func(r *compactRig) error
		stale     bool
		want      string
	}{
		{"messages that came meanwhile survive in order", func(r *compactRig) error { r.addMessages("cli-a", 8, 11); return nil }, false, "S m4 m5 m6 m7 m8 m9 m10"},
		{"a reset", func(r *compactRig) error { return r.store.Reset(context.Background(), "cli-a") }, true, ""},
		{"a rewind into what was covered", func(r *compactRig) error {
			_, err := r.store.Append(context.Background(), "cli-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: "m2"})
			return err
		}, true, "m0 m1"},
		{"a rewind behind it", func(r *compactRig) error {
			_, err := r.store.Append(context.Background(), "cli-a", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: "m6"})
			return err
		}, false, "S m4 m5"},
		{"a Summary of another process", func(r *compactRig) error {
			_, err := r.store.Append(context.Background(), "cli-a", transcript.Block{Kind: transcript.KindSummary, Through: "m5", Text: "theirs"})
			return err
		}, true, "S m6 m7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r *compactRig
			r = newCompactRig(t, summarizeFunc(func(context.Context, *transcript.Block, []transcript.Block) (Digest, error) {
				return Digest{Context: "ours", By: "small:1b"}, tt.meanwhile(r)
			}))
			r.addMessages("cli-a", 0, 8)
			if _, err := r.compact("cli-a"); errors.Is(err, session.ErrStale) != tt.stale || !tt.stale && err != nil {
				t.Errorf("error %v", err)
			}
			if got := window(t, r.store, "cli-a"); got != tt.want {
				t.Errorf("context %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCompactLessons(t *testing.T) {
	tea := memory.Lesson{Text: "The user drinks green tea.", Confidence: 0.9, Target: memory.Target{Kind: memory.TargetGlobal}}
	tests := []struct {
		name   string
		lesson memory.Lesson
		write  string
		tool   string
		saved  bool
	}{
		{"a lesson", tea, "auto", "", true},
		{"of a session with the machine's numbers", tea, "auto", "SYSTEM_STATS", true},
		{"of a session with a page", tea, "auto", "FETCH_URL", false},
		{"memory asks", tea, "ask", "", false},
		{"memory is off", tea, "off", "", false},
		{"not sure", memory.Lesson{Text: tea.Text, Confidence: 0.5}, "auto", "", false},
		{"nothing the user spoke of", memory.Lesson{Text: "Deploy on Fridays.", Confidence: 1}, "auto", "", false},
		{"a failure", memory.Lesson{Text: "Buying tea timed out.", Confidence: 1}, "auto", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newCompactRig(t, told("Tea.", tt.lesson))
			r.write = tt.write
			r.addMessages("cli-a", 0, 2)
			if tt.tool != "" {
				if _, err := r.store.Append(t.Context(), "cli-a", transcript.Block{Kind: transcript.KindTool, Agent: tt.tool, Text: "x"}); err != nil {
					t.Fatal(err)
				}
			}
			r.addMessages("cli-a", 2, 8)
			for round := range 2 { // the second time it exists already
				if _, err := r.compact("cli-a"); err != nil {
					t.Fatal(err)
				}
				r.addMessages("cli-a", 8+8*round, 16+8*round)
			}
			data, err := os.ReadFile(memory.New(memory.Config{Root: r.root}).Path(memory.Target{Kind: memory.TargetGlobal}))
			if n := strings.Count(string(data), "green tea"); (n == 1) != tt.saved || n > 1 || tt.saved && err != nil {
				t.Errorf("memory %q, %v", data, err)
			}
		})
	}
}

// failingSink can't save lessons.
type failingSink struct{}

func (failingSink) Keep(context.Context, Learnt) (Kept, error) {
	return Kept{}, errors.New("the disk is full")
}

func TestCompactCutsNothingIfLessonsFail(t *testing.T) {
	r := newCompactRig(t, told("Tea.", memory.Lesson{Text: "The user drinks tea.", Confidence: 1}))
	r.c.c.Lessons = failingSink{}
	r.addMessages("cli-a", 0, 8)
	if _, err := r.compact("cli-a"); err == nil || strings.HasPrefix(window(t, r.store, "cli-a"), "S") {
		t.Errorf("error %v, context %q", err, window(t, r.store, "cli-a"))
	}
}

func TestCompactWithoutAModel(t *testing.T) {
	r := newCompactRig(t, summarizeFunc(func(context.Context, *transcript.Block, []transcript.Block) (Digest, error) {
		return Digest{}, ErrNoDigest
	}))
	text := "Why does `make run` fail in /srv/app/main.go with ECONNREFUSED on 10.0.0.7:8081? See https://example.org/a?b=1\nmy password is hunter22"
	if _, err := r.store.Append(t.Context(), "cli-a", transcript.Block{Kind: transcript.KindUser, Text: text}); err != nil {
		t.Fatal(err)
	}
	r.addMessages("cli-a", 1, 8)
	done, err := r.compact("cli-a")
	if err != nil || !done.Plain {
		t.Fatalf("%+v, %v", done, err)
	}
	for _, want := range []string{"without a model", "make run", "/srv/app/main.go", "ECONNREFUSED", "10.0.0.7:8081", "https://example.org/a?b=1"} {
		if !strings.Contains(done.Summary.Text, want) {
			t.Errorf("the Summary lacks %q:\n%s", want, done.Summary.Text)
		}
	}
	if strings.Contains(done.Summary.Text, "hunter22") {
		t.Errorf("a secret is in it:\n%s", done.Summary.Text)
	}
}

func TestPeriodicPassOver24Hours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, running := 0, 0
		r := newCompactRig(t, summarizeFunc(func(ctx context.Context, _ *transcript.Block, _ []transcript.Block) (Digest, error) {
			running++
			defer func() { running-- }()
			if calls++; running > 1 {
				t.Error("two at once")
			}
			if calls == 2 { // a model that hangs
				<-ctx.Done()
				return Digest{}, ctx.Err()
			}
			time.Sleep(20 * time.Second)
			return Digest{Context: "So far.", By: "small:1b"}, nil
		}))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { r.c.Run(ctx); close(ended) }()
		r.addMessages("cli-few", 0, 3)
		time.Sleep(25 * time.Minute)
		r.addMessages("cli-active", 0, 8) // 5 minutes before the first pass
		time.Sleep(6 * time.Minute)
		if got := window(t, r.store, "cli-active"); got != "S m4 m5 m6 m7" {
			t.Errorf("active: %q", got)
		}
		r.addMessages("cli-idle", 0, 6) // the second pass hangs on it
		time.Sleep(55 * time.Minute)
		if got := window(t, r.store, "cli-idle"); got != "m0 m1 m2 m3 m4 m5" {
			t.Errorf("hanging: %q", got)
		}
		time.Sleep(22*time.Hour + 34*time.Minute)
		for session, want := range map[string]string{"cli-idle": "S", "cli-few": "m0 m1 m2", "cli-active": "S m4 m5 m6 m7"} {
			if got := window(t, r.store, session); got != want {
				t.Errorf("%s: %q, want %q", session, got, want)
			}
		}
		r.addMessages("cli-idle", 6, 7)
		if got := window(t, r.store, "cli-idle"); got != "S m6" {
			t.Errorf("the next message: %q", got)
		}
		stop()
		<-ended
		if calls != 3 || len(r.done) != 2 {
			t.Errorf("%d calls, %d compactions", calls, len(r.done))
		}
	})
}

func TestPassTakesTenFromDisk(t *testing.T) {
	r := newCompactRig(t, told("So far."))
	for i := range 13 {
		r.addMessages(fmt.Sprintf("cli-s%d", i), 0, 4)
	}
	for i := range 4 {
		b := transcript.Block{Kind: transcript.KindUser, Text: fmt.Sprintf("message %d about the tea", i), Time: time.Now().Add(-8 * 24 * time.Hour)}
		if _, err := r.store.Append(t.Context(), "cli-old", b); err != nil {
			t.Fatal(err)
		}
	}
	again, err := sessionmem.Open(sessionmem.Config{Root: r.root})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	r.c.c.Store = again
	for _, want := range []int{10, 13, 13} {
		if err := r.c.Pass(t.Context()); err != nil || len(r.done) != want {
			t.Errorf("%d, want %d, %v", len(r.done), want, err)
		}
	}
	if got := window(t, again, "cli-s3"); got != "S m0 m1 m2 m3" {
		t.Errorf("four messages: %q", got)
	}
}

func TestJumpingClockLeavesPeriodicPassesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		r := newCompactRig(t, summarizeFunc(func(context.Context, *transcript.Block, []transcript.Block) (Digest, error) {
			calls++
			return Digest{Context: "So far.", By: "small:1b"}, nil
		}))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { r.c.Run(ctx); close(ended) }()
		time.Sleep(25 * time.Minute)
		for session, jump := range map[string]time.Duration{"cli-ahead": -48 * time.Hour, "cli-back": 365 * 24 * time.Hour} {
			for i := range 8 {
				b := transcript.Block{ID: fmt.Sprintf("m%d", i), Kind: transcript.KindUser, Text: fmt.Sprintf("message %d", i), Time: time.Now().Add(jump)}
				mustAppend(t, r.store, session, b)
			}
		}
		time.Sleep(6 * time.Minute)
		for _, session := range []string{"cli-ahead", "cli-back"} {
			if got := window(t, r.store, session); got != "S m4 m5 m6 m7" {
				t.Errorf("%s is summarised as %q: the last messages of a running conversation stay", session, got)
			}
		}
		time.Sleep(6 * time.Hour)
		if calls != 2 {
			t.Errorf("%d summaries of two sessions", calls)
		}
		stop()
		<-ended
	})
}

func TestRunningCompactionGoesStale(t *testing.T) {
	var forget func()
	rig := newCompactRig(t, summarizeFunc(func(context.Context, *transcript.Block, []transcript.Block) (Digest, error) {
		forget()
		return Digest{Context: "A striped animal.", By: "m", Lessons: []memory.Lesson{{Text: "Likes striped animals very much", Confidence: 1}}}, nil
	}))
	rig.addMessages("cli-a", 1, 8)
	forget = func() {
		tr, err := rig.store.Forgotten().New(true, false)
		must(t, err)
		tr.AddWords("question 3")
		must(t, rig.store.Forgotten().Begin(tr))
	}
	if _, err := rig.compact("cli-a"); err == nil || !strings.Contains(err.Error(), session.ErrStale.Error()) {
		t.Errorf("got %v", err)
	}
	if text := window(t, rig.store, "cli-a"); strings.Contains(text, "striped") {
		t.Errorf("it was appended: %s", text)
	}
}
