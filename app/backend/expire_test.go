package backend

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// expiry runs an expirer on a real folder, once a day in virtual time.
type expiry struct {
	t     *testing.T
	root  string
	store *sessionmem.Store
	stop  func()

	mu    sync.Mutex // the passes and the test only alternate by the clock
	after time.Duration
	done  expired
}

// expired records the warnings and deletions of an expirer.
type expired struct {
	warned []int // the count in each warning
	from   time.Time
	moved  []string
}

const oneDay = 24 * time.Hour

func newExpiry(t *testing.T, after time.Duration) *expiry {
	x := &expiry{t: t, root: t.TempDir(), after: after}
	x.start()
	return x
}

// start opens the store and starts the daily passes, as the app does at startup.
func (x *expiry) start() {
	store, err := sessionmem.Open(sessionmem.Config{Root: x.root})
	if err != nil {
		x.t.Fatal(err)
	}
	x.store = store
	e := &expirer{
		store: store,
		after: x.age,
		warn: func(count int, from time.Time) {
			x.record(func(o *expired) { o.warned, o.from = append(o.warned, count), from })
		},
		unwarn: func() { x.record(func(o *expired) { o.from = time.Time{} }) },
		moved:  func(sessions []string) { x.record(func(o *expired) { o.moved = append(o.moved, sessions...) }) },
		logger: slog.New(slog.DiscardHandler),
	}
	daily := &archivist{
		archive: store.Archive, after: func() time.Duration { return 0 }, then: e.pass, logger: e.logger,
	}
	ctx, cancel := context.WithCancel(x.t.Context())
	done := make(chan struct{})
	go func() { daily.run(ctx); close(done) }()
	x.stop = func() {
		cancel()
		<-done
		if err := store.Close(); err != nil {
			x.t.Error(err)
		}
	}
}

// archived writes sessions last used so many days ago and archives them.
func (x *expiry) archived(days map[string]int) {
	x.t.Helper()
	for name, n := range days {
		b := transcript.Block{Kind: transcript.KindUser, Time: time.Now().Add(-time.Duration(n) * oneDay), Text: "hello"}
		if _, err := x.store.Append(x.t.Context(), name, b); err != nil {
			x.t.Fatal(err)
		}
	}
	keep := func(name string) bool { _, ours := days[name]; return !ours }
	if _, err := x.store.Archive(x.t.Context(), sessionmem.ArchiveRule{After: 1, Keep: keep}); err != nil {
		x.t.Fatal(err)
	}
}

func (x *expiry) age() time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.after
}

func (x *expiry) setAge(after time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.after = after
}

func (x *expiry) record(change func(*expired)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change(&x.done)
}

// now returns the warnings and deletions so far.
func (x *expiry) now() expired {
	x.mu.Lock()
	defer x.mu.Unlock()
	return expired{slices.Clone(x.done.warned), x.done.from, slices.Clone(x.done.moved)}
}

func (x *expiry) sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (x *expiry) left() []string {
	list, err := x.store.List(x.t.Context())
	if err != nil {
		x.t.Fatal(err)
	}
	var out []string
	for _, i := range list {
		out = append(out, i.Name)
	}
	slices.Sort(out)
	return out
}

func TestOldSessionsAreDeletedAfterAWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExpiry(t, 90*oneDay)
		x.archived(map[string]int{"cpu-old": 100, "cpu-pinned": 200, "cpu-young": 85})
		use := transcript.Block{Kind: transcript.KindUser, Time: time.Now().Add(-300 * oneDay), Text: "not archived"}
		if _, err := x.store.Append(t.Context(), "cpu-here", use); err != nil {
			t.Fatal(err)
		}
		if err := x.store.State().SetPinned(t.Context(), "cpu-pinned", true); err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		x.sleep(23 * time.Hour)
		if diff := cmp.Diff([]int{1}, x.now().warned); diff != "" || len(x.now().moved) > 0 {
			t.Errorf("moved %v; warned: %s", x.now().moved, diff)
		}
		if want := started.Add(firstTidy + oneDay); !x.now().from.Equal(want) {
			t.Errorf("it is said for %v, want %v", x.now().from, want)
		}
		x.stop() // a restart neither prolongs nor shortens the day
		x.start()
		x.sleep(30 * time.Minute)
		if len(x.now().moved) > 0 || len(x.now().warned) != 2 {
			t.Errorf("after a restart: moved %v, warned %v", x.now().moved, x.now().warned)
		}
		x.sleep(oneDay)
		if diff := cmp.Diff([]string{"cpu-old"}, x.now().moved); diff != "" || !x.now().from.IsZero() {
			t.Errorf("the notice is for %v: %s", x.now().from, diff)
		}
		if diff := cmp.Diff([]string{"cpu-here", "cpu-pinned", "cpu-young"}, x.left()); diff != "" {
			t.Error(diff)
		}
		x.sleep(6 * oneDay) // the next deletion needs no warning of its own
		if diff := cmp.Diff([]string{"cpu-old", "cpu-young"}, x.now().moved); diff != "" || len(x.now().warned) != 2 {
			t.Errorf("warned %v: %s", x.now().warned, diff)
		}
		if name, err := x.store.Undelete(t.Context(), "cpu-old"); name != "cpu-old" || err != nil {
			t.Errorf("got %q, %v", name, err)
		}
		x.stop()
	})
}

// A session that people bring back, with a command or by moving the file, counts as used at
// that time; a second deletion needs another warning.
func TestARestoredSessionIsKept(t *testing.T) {
	for name, back := range map[string]func(t *testing.T, x *expiry){
		"by undelete": func(t *testing.T, x *expiry) {
			if _, err := x.store.Undelete(t.Context(), "cpu-old"); err != nil {
				t.Error(err)
			}
		},
		"by hand": func(t *testing.T, x *expiry) {
			files, err := filepath.Glob(filepath.Join(x.root, "session", ".trash", "*", "archive", "*", "*.md"))
			if err != nil || len(files) != 1 {
				t.Fatalf("in the trash is %v, %v", files, err)
			}
			month := filepath.Base(filepath.Dir(files[0]))
			if err := os.Rename(files[0], filepath.Join(x.root, "session", "archive", month, filepath.Base(files[0]))); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newExpiry(t, 2*oneDay)
				x.archived(map[string]int{"cpu-old": 100})
				x.sleep(oneDay + time.Hour)
				if diff := cmp.Diff([]string{"cpu-old"}, x.now().moved); diff != "" {
					t.Fatal(diff)
				}
				back(t, x)
				x.stop()
				x.start()
				x.sleep(oneDay + 23*time.Hour)
				if len(x.now().moved) != 1 || len(x.now().warned) != 1 {
					t.Fatalf("moved %v, warned %v", x.now().moved, x.now().warned)
				}
				x.sleep(3 * oneDay)
				if diff := cmp.Diff([]string{"cpu-old", "cpu-old"}, x.now().moved); diff != "" || len(x.now().warned) != 2 {
					t.Errorf("warned %v: %s", x.now().warned, diff)
				}
				x.stop()
			})
		})
	}
}

func TestNothingIsDeletedWithoutNeed(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		days  int
	}{"never": {0, 1000}, "nothing is old enough": {90 * oneDay, 10}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newExpiry(t, c.after)
				x.archived(map[string]int{"cpu-a": c.days})
				x.sleep(10 * oneDay)
				if len(x.now().warned) > 0 || len(x.now().moved) > 0 {
					t.Errorf("warned %v, moved %v", x.now().warned, x.now().moved)
				}
				x.stop()
			})
		})
	}
}

func TestAShorterAgeNeedsAnotherWarning(t *testing.T) {
	t.Run("where the age is made shorter", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			x := newExpiry(t, 90*oneDay)
			x.archived(map[string]int{"cpu-old": 100, "cpu-young": 50})
			x.sleep(2 * oneDay)
			x.setAge(30 * oneDay)
			x.sleep(oneDay)
			if diff := cmp.Diff([]int{1, 1}, x.now().warned); diff != "" || len(x.now().moved) != 1 {
				t.Errorf("moved %v: %s", x.now().moved, diff)
			}
			x.sleep(oneDay)
			if diff := cmp.Diff([]string{"cpu-old", "cpu-young"}, x.now().moved); diff != "" {
				t.Error(diff)
			}
			x.stop()
		})
	})
	t.Run("where it was switched off in between", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			x := newExpiry(t, 90*oneDay)
			x.archived(map[string]int{"cpu-old": 100})
			x.sleep(time.Hour)
			x.setAge(0)
			x.sleep(oneDay)
			if !x.now().from.IsZero() || len(x.now().moved) > 0 {
				t.Errorf("the notice is for %v, moved %v", x.now().from, x.now().moved)
			}
			x.setAge(90 * oneDay)
			x.sleep(oneDay)
			if len(x.now().warned) != 2 || len(x.now().moved) > 0 {
				t.Errorf("warned %v, moved %v", x.now().warned, x.now().moved)
			}
			x.stop()
		})
	})
	t.Run("where all were kept, and another is old enough later", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			x := newExpiry(t, 90*oneDay)
			x.archived(map[string]int{"cpu-old": 100, "cpu-young": 80})
			x.sleep(time.Hour)
			if err := x.store.State().SetPinned(t.Context(), "cpu-old", true); err != nil {
				t.Fatal(err)
			}
			x.sleep(10*oneDay + time.Hour)
			if diff := cmp.Diff([]int{1, 1}, x.now().warned); diff != "" || len(x.now().moved) > 0 {
				t.Errorf("moved %v: %s", x.now().moved, diff)
			}
			x.sleep(oneDay)
			if diff := cmp.Diff([]string{"cpu-young"}, x.now().moved); diff != "" {
				t.Error(diff)
			}
			x.stop()
		})
	})
	t.Run("where the marks are lost", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			x := newExpiry(t, 90*oneDay)
			x.archived(map[string]int{"cpu-old": 100})
			x.sleep(time.Hour)
			write(t, filepath.Join(x.root, "session", "state.json"), "cut of")
			x.sleep(5 * oneDay)
			if len(x.now().moved) > 0 {
				t.Fatalf("moved %v without knowing the pins", x.now().moved)
			}
			if err := x.store.State().SetPinned(t.Context(), "cpu-other", true); err != nil {
				t.Fatal(err)
			}
			x.sleep(oneDay)
			if len(x.now().warned) != 2 || len(x.now().moved) > 0 {
				t.Errorf("warned %v, moved %v", x.now().warned, x.now().moved)
			}
			x.stop()
		})
	})
}

func TestTheWarningIsANoticeWhileItApplies(t *testing.T) {
	dir := t.TempDir()
	b := open(t, Options{Environ: environ(dir, "OLLAMA_HOST="+server(t).Addr(), "MAC_STATS_SESSION_DELETE_AFTER=90d")})
	old := transcript.Block{Kind: transcript.KindUser, Time: time.Now().Add(-100 * oneDay), Text: "hello"}
	if _, err := b.Store.Append(t.Context(), "cpu-old", old); err != nil {
		t.Fatal(err)
	}
	daily := b.house.archivist()
	warnings := func() []Notice {
		daily.pass(t.Context())
		daily.then(t.Context())
		return slices.DeleteFunc(b.Notices(), func(n Notice) bool { return n.Kind != NoticeDelete })
	}
	for range 2 {
		got := warnings()
		if len(got) != 1 || !strings.HasPrefix(got[0].Text, "1 archived session untouched for 90d will be moved to the trash after ") || !strings.Contains(got[0].Next, "pin it") {
			t.Fatalf("told: %+v", got)
		}
	}
	if err := b.Store.State().SetPinned(t.Context(), "cpu-old", true); err != nil {
		t.Fatal(err)
	}
	if got := warnings(); len(got) != 0 {
		t.Errorf("still told: %+v", got)
	}
}
