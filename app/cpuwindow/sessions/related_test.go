package sessions

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wordsearch"
)

// stubIndex is a search index that returns what a test sets.
type stubIndex struct {
	mu             sync.Mutex
	quick          []recall.Hit // by words
	slow           []recall.Hit // by meaning too
	state          recall.State
	err            error
	asked          []string
	settings.Index // not called
}

func (s *stubIndex) Related(_ context.Context, query string, quick bool) ([]recall.Hit, recall.State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, map[bool]string{true: "quick ", false: "slow "}[quick]+query)
	if quick {
		return s.quick, s.state, s.err
	}
	return s.slow, s.state, s.err
}

func (s *stubIndex) IndexStatus(context.Context) (recall.Status, error) { return recall.Status{}, nil }

func relatedHit(session, block, text string, relevance float64) recall.Hit {
	return recall.Hit{Chunk: corpus.Chunk{Session: session, Block: block, Kind: corpus.KindUser, Text: text}, Relevance: relevance}
}

// bench is the search over a window, in a store of real transcripts.
type bench struct {
	*screentest.Screen
	t        *testing.T
	index    stubIndex
	search   Search
	switcher *Switcher
	opened   string // the chosen session
}

// searching returns a search over three conversations.
func searching(t *testing.T, prepare func(*stubIndex)) *bench {
	t.Helper()
	b := &bench{Screen: screentest.New(t), t: t}
	b.Win = test.NewTempWindow(t, column.Spacer(1))
	b.Win.Resize(fyne.NewSize(980, 700))
	store, err := sessionmem.Open(sessionmem.Config{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	for i, texts := range [][]string{{"the zephyr proxy listens", "on 8443"}, {"a gateway of wind", "fine"}, {"tomatoes", "fine"}} {
		for n, text := range texts {
			block := transcript.Block{Kind: transcript.KindUser, Text: text, Time: time.Now().Add(-time.Duration(i+1) * time.Hour)}
			if n == 1 {
				block.Kind, block.Agent = transcript.KindAssistant, "orchestrator"
			}
			if _, err := store.Append(t.Context(), []string{"cpu-exact", "cpu-near", "cpu-far"}[i], block); err != nil {
				t.Fatal(err)
			}
		}
	}
	infos, err := store.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	prepare(&b.index)
	b.search = Search{Finder: wordsearch.New(store, slog.New(slog.DiscardHandler)), Related: b.index.Related, Infos: func() []transcript.Info { return infos }}
	b.open()
	return b
}

// open opens the search.
func (b *bench) open() {
	b.switcher = OpenSwitcher(b, b.search, func(h wordsearch.Hit, _ string) { b.opened = h.Info.Name }, func() { b.switcher = nil })
	b.Settle()
}

func (b *bench) press(name fyne.KeyName) {
	b.Win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: name})
	b.Settle()
}

func (b *bench) results() []string {
	var names []string
	for _, r := range b.switcher.rows {
		names = append(names, r.hit.Info.Name)
	}
	return names
}

func TestSearchShowsRelatedConversationsBelowExactHits(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := searching(t, func(x *stubIndex) {
			x.quick = []recall.Hit{relatedHit("cpu-exact", "1", "the zephyr proxy", 1), relatedHit("cpu-far", "9", "tomatoes", 0.05), relatedHit("cpu-gone", "1", "zephyr", 1)}
			x.slow = append(slices.Clone(x.quick), relatedHit("cpu-near", "1", "a gateway of wind and zephyr", 0.6))
			x.state = recall.State{Files: 9, Behind: 3}
		})
		test.Type(b.switcher.Entry, "zephyr")
		b.Settle()
		b.Sees("1 conversation · index: behind by 3 files")
		b.SeesNot("Related")
		if diff := cmp.Diff([]string{"cpu-exact"}, b.results()); diff != "" {
			t.Errorf("at once: %s", diff)
		}
		time.Sleep(meaningPause)
		b.Settle()
		b.Sees("Related", "a gateway of wind and ")
		if diff := cmp.Diff([]string{"cpu-exact", "cpu-near"}, b.results()); diff != "" {
			t.Errorf("after a while: %s", diff)
		}
		b.press(fyne.KeyDown)
		b.press(fyne.KeyReturn)
		if b.opened != "cpu-near" || b.switcher != nil {
			t.Errorf("%s is shown", b.opened)
		}
		asked := strings.Join(b.index.asked, ", ")
		if strings.Count(asked, "slow") != 1 || !strings.HasSuffix(asked, "slow zephyr") || strings.Contains(asked, "quick ze,") {
			t.Errorf("asked: %s", asked)
		}
	})
}

func TestSelectionSurvivesNewResults(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := searching(t, func(x *stubIndex) {
			x.quick = []recall.Hit{relatedHit("cpu-near", "1", "gateway", 0.6)}
			x.slow = []recall.Hit{relatedHit("cpu-far", "1", "tomatoes", 0.9), relatedHit("cpu-near", "1", "gateway", 0.6)}
		})
		test.Type(b.switcher.Entry, "gateway of zephyrs")
		b.Settle()
		b.Sees("No exact match. Closest results:")
		time.Sleep(meaningPause)
		b.Settle()
		if diff := cmp.Diff([]string{"cpu-far", "cpu-near"}, b.results()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// slowFinder delays the results of another finder until the test allows them.
type slowFinder struct {
	Finder
	may chan struct{}
}

func (f slowFinder) Search(ctx context.Context, query string, limit int) ([]wordsearch.Hit, error) {
	select {
	case <-f.may:
	case <-ctx.Done():
	}
	return f.Finder.Search(ctx, query, limit)
}

func TestRelatedHitsAreShownWhileManyFilesAreRead(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := searching(t, func(x *stubIndex) {
			x.quick = []recall.Hit{relatedHit("cpu-near", "b1", "a gateway of wind", .6)}
			x.slow = x.quick
		})
		may := make(chan struct{})
		b.switcher.Close()
		b.search.Finder = slowFinder{b.search.Finder, may}
		b.open()
		test.Type(b.switcher.Entry, "zephyr")
		time.Sleep(2 * exactWait)
		b.Settle()
		b.Sees("Close matches; still looking for every word…")
		if got := b.results(); len(got) != 1 || got[0] != "cpu-near" {
			t.Errorf("first: %q", got)
		}
		close(may)
		time.Sleep(exactWait)
		b.Settle()
		if got := b.results(); len(got) != 2 || got[0] != "cpu-exact" {
			t.Errorf("then: %q", got)
		}
		b.SeesNot("still looking")
	})
}

func TestSearchWorksWithoutAnIndex(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := searching(t, func(x *stubIndex) { x.err = errors.New("the cache folder is gone") })
		test.Type(b.switcher.Entry, "zephyr")
		b.Settle()
		b.Sees("1 conversation")
		if diff := cmp.Diff([]string{"cpu-exact"}, b.results()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestSnippets(t *testing.T) {
	long := strings.Repeat("Something äöü before it. ", 12) + "Here the zephyr listens. " + strings.Repeat("And after it. ", 20)
	tests := []struct{ name, text, query, want string }{
		{"short", "one\n\ntwo  three", "two", "one two three"},
		{"around the word", long, "where is the ZEPHYR", "…"},
		{"without the word", long, "nothing", "Something äöü before it."},
		{"letters that change their length", strings.Repeat("İ", 200) + " zephyr", "zephyr", "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := snippetOf(tt.text, newWordForms(tt.query, wordsearch.New(nil, nil).Find))
			if !strings.HasPrefix(got, tt.want) || len([]rune(got)) > snippetLength+2 {
				t.Errorf("%q", got)
			}
			if strings.Contains(tt.name, "around") && !strings.Contains(got, "Here the zephyr listens") {
				t.Errorf("the word is not in %q", got)
			}
		})
	}
}

func TestAHitOnAnotherMachineNamesIt(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := searching(t, func(x *stubIndex) {
			far := relatedHit("cpu-exact", "1", "the zephyr of the sea", .8) // has the same name as one on this machine
			far.Machine = "lap"
			x.quick = []recall.Hit{far}
			x.slow = x.quick
		})
		test.Type(b.switcher.Entry, "zephyr")
		b.Settle()
		b.Sees(" proxy listens", "Conversation on lap", " of the sea")
	})
}

// Without a query, the newest conversations are offered, by keys and by the pointer.
func TestRecentConversationsAreOffered(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := searching(t, func(*stubIndex) {})
		b.Sees("Arrow keys choose", "zephyr proxy listens")
		if got := b.results(); len(got) != 3 {
			t.Fatalf("offered: %q", got)
		}
		first := b.results()
		chosen := func(what string, want int) {
			t.Helper()
			for i, r := range b.switcher.rows {
				if r.chosen != (i == want) {
					t.Errorf("%s: row %d is chosen: %t", what, i, r.chosen)
				}
			}
		}
		chosen("at first", 0)
		b.press(fyne.KeyUp)
		chosen("above the first", 0)
		b.press(fyne.KeyPageDown)
		chosen("a page down", 2)
		b.press(fyne.KeyPageUp)
		chosen("a page up", 0)
		r := b.switcher.rows[1]
		r.MouseIn(nil)
		r.MouseMoved(nil)
		r.MouseMoved(nil)
		r.MouseOut()
		chosen("under the pointer", 1)
		b.switcher.Entry.SetText("no such words")
		b.Settle()
		b.Sees("No conversation contains every word of “no such words”.")
		b.press(fyne.KeyDown)
		b.press(fyne.KeyReturn)
		if b.opened != "" {
			t.Errorf("without a result it opened %s", b.opened)
		}
		b.switcher.Entry.SetText("")
		b.Settle()
		test.Tap(b.switcher.rows[2])
		if b.opened != first[2] || b.switcher != nil {
			t.Errorf("opened %s, want %s", b.opened, first[2])
		}
		b.search.Infos = func() []transcript.Info { return nil }
		b.open()
		b.Sees("There are no conversations yet.")
		b.press(fyne.KeyEscape)
		if b.switcher != nil {
			t.Error("Esc doesn't close it")
		}
	})
}

func TestTheHintTellsWhatWasFound(t *testing.T) {
	for _, tt := range []struct {
		found found
		want  string
	}{
		{found{hits: make([]wordsearch.Hit, 2)}, "2 conversations"},
		{found{hits: make([]wordsearch.Hit, switcherHits)}, "The newest 50 · more words narrow it down"},
		{found{related: make([]wordsearch.Hit, 2)}, "No exact match. Closest results:"},
		{found{err: errors.New("no such folder"), state: "building"}, "The conversations can't be searched: no such folder"},
		{found{early: true, state: "building"}, "Close matches; still looking for every word… · index: building"},
	} {
		if got := tt.found.words("fan"); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
