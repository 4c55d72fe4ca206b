package backend

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/transcript"
)

// day is an app without a screen or a server: the periodic pass and the archive work on
// real files in virtual time.
type day struct {
	t     *testing.T
	store *sessionmem.Store
	start time.Time

	mu      sync.Mutex
	log     []string // what happened, and when
	calls   int      // to the model
	running int
	hangs   func(call int) bool
	asleep  time.Duration // how long the machine sleeps at the next pass
}

// Summarize stands for the small model; each call takes 20 s.
func (d *day) Summarize(ctx context.Context, _ string, _ *transcript.Block, _ []transcript.Block) (compact.Digest, error) {
	d.mu.Lock()
	d.calls++
	d.running++
	call, alone := d.calls, d.running == 1
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.running--
		d.mu.Unlock()
	}()
	if !alone {
		d.t.Error("two summaries at once")
	}
	if d.hangs != nil && d.hangs(call) {
		d.note("the model hangs")
		<-ctx.Done()
		return compact.Digest{}, ctx.Err()
	}
	time.Sleep(20 * time.Second)
	return compact.Digest{Context: "So far.", By: "small:1b"}, nil
}

// asked returns how often the model was called.
func (d *day) asked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

func (d *day) sleepsFor(asleep time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asleep = asleep
}

// mayRun is called at the start of every pass; a sleeping machine stops in the middle of
// one.
func (d *day) mayRun(context.Context) bool {
	d.mu.Lock()
	asleep := d.asleep
	d.asleep = 0
	d.mu.Unlock()
	if asleep > 0 {
		d.note("asleep")
		time.Sleep(asleep)
	}
	return true
}

// note records an event with the virtual time since the start.
func (d *day) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := time.Since(d.start).Truncate(time.Minute)
	d.log = append(d.log, fmt.Sprintf("%02d:%02d ", int(at.Hours()), int(at.Minutes())%60)+fmt.Sprintf(format, args...))
}

// say appends n messages as turns.
func (d *day) say(session string, n int) {
	for i := range n {
		b := transcript.Block{Kind: []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[i%2], Text: fmt.Sprintf("message %d", i)}
		if _, err := d.store.Append(d.t.Context(), session, b); err != nil {
			d.t.Error(err)
		}
	}
}

// window returns the messages that the model would get ("Summary + 4"), and whether the app
// holds them in memory.
func (d *day) window(session string) string {
	held, _ := d.store.Sessions().Held(session)
	c, err := d.store.Context(d.t.Context(), session)
	if err != nil {
		d.t.Error(err)
	}
	var words []string
	if c.Summary != nil {
		words = append(words, "Summary")
	}
	words = append(words, fmt.Sprint(len(c.Messages)))
	text := strings.Join(words, " + ")
	if !held {
		text += ", cleared"
	}
	return text
}

// begin starts the pass and the archive; both end with the test's bubble.
func (d *day) begin() (end func()) {
	d.start = time.Now()
	c := compact.New(compact.Config{
		Store: d.store, Summarizer: d, MayRun: d.mayRun,
		Policy:  func() compact.Policy { return compact.Policy{} },
		Lessons: noLessons{},
		Done: func(c compact.Result) {
			d.note("%s: %d summarised, %d stay", c.Session, c.Messages, c.Recent)
		},
	})
	a := &archivist{
		archive: d.store.Archive,
		after:   func() time.Duration { return 12 * time.Hour },
		pinned:  func() (func(string) bool, error) { return nil, nil },
		moved:   func(sessions []string) { d.note("archived: %s", strings.Join(sessions, " ")) },
		logger:  slog.New(slog.DiscardHandler),
	}
	ctx, stop := context.WithCancel(d.t.Context())
	var work sync.WaitGroup
	work.Go(func() { c.Run(ctx) })
	work.Go(func() { a.run(ctx) })
	return func() { stop(); work.Wait() }
}

func newDay(t *testing.T) *day {
	t.Helper()
	store, err := sessionmem.Open(sessionmem.Config{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return &day{t: t, store: store}
}

// expect compares the recorded events.
func (d *day) expect(want ...string) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if diff := cmp.Diff(want, d.log); diff != "" {
		d.t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

func TestABackgroundDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDay(t)
		d.say("cli-left", 6)
		d.say("cli-few", 3)
		d.store.Session("cli-left").Release() // as if its process had ended
		d.store.Session("cli-few").Release()
		time.Sleep(45 * time.Minute)
		d.hangs = func(call int) bool { return call == 3 }
		end := d.begin()

		time.Sleep(25 * time.Minute)
		d.say("cpu-talk", 8) // five minutes before the first pass
		time.Sleep(10 * time.Minute)
		for session, want := range map[string]string{
			"cpu-talk": "Summary + 4", "cli-left": "Summary + 0, cleared", "cli-few": "3, cleared",
		} {
			if got := d.window(session); got != want {
				t.Errorf("%s: %s, want %s", session, got, want)
			}
		}
		d.say("cpu-talk", 4) // the next pass hangs on it
		time.Sleep(59 * time.Minute)
		if got := d.window("cpu-talk"); got != "Summary + 8" {
			t.Errorf("while the model hangs: %s", got)
		}
		time.Sleep(3 * time.Hour)
		d.say("cli-left", 1)
		if got := d.window("cli-left"); got != "Summary + 1" {
			t.Errorf("the next message: %s", got)
		}
		time.Sleep(24 * time.Hour)
		end()
		d.expect(
			"00:30 cpu-talk: 4 summarised, 4 stay",
			"00:30 cli-left: 6 summarised, 0 stay",
			"01:00 the model hangs", // until the pass is stopped; the next one is on time
			"01:58 cpu-talk: 8 summarised, 0 stay",
			"24:10 archived: cli-left cpu-talk cli-few",
		)
		if n := d.asked(); n != 4 {
			t.Errorf("%d model calls in a day", n)
		}
	})
}

// When a machine wakes after sleeping for eight hours in the middle of a pass, neither the
// missed passes nor their model calls are made up for.
func TestWakingFromSleepMakesNoBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDay(t)
		for i := range 14 {
			name := fmt.Sprintf("cli-s%02d", i)
			d.say(name, 4)
			d.store.Session(name).Release()
			time.Sleep(time.Second)
		}
		d.sleepsFor(8 * time.Hour)
		end := d.begin()
		time.Sleep(8*time.Hour + 45*time.Minute)
		if n := d.asked(); n != 0 {
			t.Errorf("%d model calls right after it woke", n)
		}
		time.Sleep(2 * time.Hour)
		end()
		want := []string{"00:30 asleep"}
		for i := range 14 { // newest first, ten per pass
			at := []string{"09:00", "09:00", "09:01", "09:01", "09:01", "09:02", "09:02", "09:02", "09:03", "09:03", "09:33", "09:34", "09:34", "09:34"}[i]
			want = append(want, fmt.Sprintf("%s cli-s%02d: 4 summarised, 0 stay", at, 13-i))
		}
		d.expect(want...)
	})
}

// noLessons finds no lessons.
type noLessons struct{}

func (noLessons) Keep(context.Context, compact.Learnt) (compact.Kept, error) {
	return compact.Kept{}, nil
}
