package cpuwindow

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/recall"
)

// stubIndex is a search index that gives what a test sets.
type stubIndex struct {
	mu       sync.Mutex
	quick    []recall.Hit // by words
	slow     []recall.Hit // by meaning too
	state    recall.State
	status   recall.Status
	err      error
	asked    []string
	rebuilds int
	now      bool          // vectors were asked for
	building chan struct{} // a rebuild ends with it
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

func (s *stubIndex) IndexStatus(context.Context) (recall.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, s.err
}

func (s *stubIndex) PauseVectors(paused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.VectorsHeld = recall.HeldNot
	if paused {
		s.status.VectorsHeld = recall.HeldPaused
	}
}

func (s *stubIndex) VectorsNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.status.VectorsHeld = true, recall.HeldNot
}

func (s *stubIndex) RebuildIndex(ctx context.Context) error {
	s.mu.Lock()
	s.rebuilds++
	s.status.Building = true
	building := s.building
	s.mu.Unlock()
	select {
	case <-building:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Building = false
	return s.err
}

func nearHit(session, block, text string, relevance float64) recall.Hit {
	return recall.Hit{Chunk: recall.Chunk{Session: session, Block: block, Kind: recall.KindUser, Text: text}, Relevance: relevance}
}

// searching is a window with three conversations whose search is open.
func searching(t *testing.T, prepare func(*stubIndex)) *bench {
	t.Helper()
	b, s := newBench(t).withStore()
	b.said(s, "cpu-exact", time.Hour, "the zephyr proxy listens", "on 8443")
	b.said(s, "cpu-near", 2*time.Hour, "a gateway of wind", "fine")
	b.said(s, "cpu-far", 3*time.Hour, "tomatoes", "fine")
	prepare(b.index)
	b.shown()
	b.w.openSwitcher()
	b.Settle()
	return b
}

func (b *bench) results() []string {
	var names []string
	for _, r := range b.w.switcher.rows {
		names = append(names, r.hit.Info.Name)
	}
	return names
}

func TestSearchShowsWhatComesNearBelowWhatHasEveryWord(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := searching(t, func(x *stubIndex) {
			x.quick = []recall.Hit{nearHit("cpu-exact", "1", "the zephyr proxy", 1), nearHit("cpu-far", "9", "tomatoes", 0.05), nearHit("cpu-gone", "1", "zephyr", 1)}
			x.slow = append(slices.Clone(x.quick), nearHit("cpu-near", "1", "a gateway of wind and zephyr", 0.6))
			x.state = recall.State{Files: 9, Behind: 3}
		})
		test.Type(b.w.switcher.Entry, "zephyr")
		b.Settle()
		b.Sees("1 conversation · index: behind by 3 files")
		b.SeesNot("Also comes near")
		if diff := cmp.Diff([]string{"cpu-exact"}, b.results()); diff != "" {
			t.Errorf("at once: %s", diff)
		}
		time.Sleep(nearPause)
		b.Settle()
		b.Sees("Also comes near", "a gateway of wind and ")
		if diff := cmp.Diff([]string{"cpu-exact", "cpu-near"}, b.results()); diff != "" {
			t.Errorf("after a while: %s", diff)
		}
		b.press(fyne.KeyDown)
		b.press(fyne.KeyReturn)
		if b.w.shown.Name != "cpu-near" {
			t.Errorf("%s is shown", b.w.shown.Name)
		}
		asked := strings.Join(b.index.asked, ", ")
		if strings.Count(asked, "slow") != 1 || !strings.HasSuffix(asked, "slow zephyr") || strings.Contains(asked, "quick ze,") {
			t.Errorf("asked: %s", asked)
		}
	})
}

func TestWhatWasChosenStaysChosen(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := searching(t, func(x *stubIndex) {
			x.quick = []recall.Hit{nearHit("cpu-near", "1", "gateway", 0.6)}
			x.slow = []recall.Hit{nearHit("cpu-far", "1", "tomatoes", 0.9), nearHit("cpu-near", "1", "gateway", 0.6)}
		})
		test.Type(b.w.switcher.Entry, "gateway of zephyrs")
		b.Settle()
		b.Sees("Found by word forms, meaning or date")
		time.Sleep(nearPause)
		b.Settle()
		if diff := cmp.Diff([]string{"cpu-far", "cpu-near"}, b.results()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// slowFinder finds what another one does, when it may.
type slowFinder struct {
	finder
	may chan struct{}
}

func (f slowFinder) Search(ctx context.Context, query string, limit int) ([]sessionmem.Hit, error) {
	select {
	case <-f.may:
	case <-ctx.Done():
	}
	return f.finder.Search(ctx, query, limit)
}

func TestWhatComesNearIsShownWhileManyFilesAreRead(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := searching(t, func(x *stubIndex) {
			x.quick = []recall.Hit{nearHit("cpu-near", "b1", "a gateway of wind", .6)}
			x.slow = x.quick
		})
		may := make(chan struct{})
		b.w.parts.finder = slowFinder{b.w.parts.finder, may}
		test.Type(b.w.switcher.Entry, "zephyr")
		time.Sleep(2 * exactWait)
		b.Settle()
		b.Sees("These come near; still looking for every word…")
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

func TestSearchGoesOnWithoutAnIndex(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := searching(t, func(x *stubIndex) { x.err = errors.New("the cache folder is gone") })
		test.Type(b.w.switcher.Entry, "zephyr")
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
			got := snippetOf(tt.text, newWordForms(tt.query, new(sessionmem.Store).NewSearcher().Find))
			if !strings.HasPrefix(got, tt.want) || len([]rune(got)) > nearSnippet+2 {
				t.Errorf("%q", got)
			}
			if strings.Contains(tt.name, "around") && !strings.Contains(got, "Here the zephyr listens") {
				t.Errorf("the word is not in %q", got)
			}
		})
	}
}

func TestSettingsTellAndRebuildTheIndex(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.index.building = make(chan struct{})
		b.index.status = recall.Status{State: recall.State{Files: 12, Behind: 3}, Chunks: 340, Bytes: 2_500_000}
		b.shown()
		b.w.ShowSettings()
		b.Settle()
		test.Type(b.w.settings.search.Field.Entry, "")
		b.w.settings.query = "recall"
		b.w.settings.show()
		b.Settle()
		b.Sees("340 passages of 12 files can be found · behind by 3 files", "2.5 MB · by words alone", "Rebuild")
		test.Tap(b.w.settings.index.rebuild)
		b.Settle()
		time.Sleep(indexLook)
		b.Settle()
		b.Sees("· building, 3 files to go", "Stop")
		b.index.mu.Lock()
		b.index.status.Done, b.index.status.Of = 3, 12
		b.index.mu.Unlock()
		time.Sleep(2 * indexLook)
		b.Settle()
		b.Sees("340 passages of 12 files can be found · 25 % · building, 3 of 12 files")
		if bar := b.w.settings.index.bar; !bar.Visible() || bar.Fraction != .25 {
			t.Errorf("the bar shows %v, visible: %v", bar.Fraction, bar.Visible())
		}
		b.index.mu.Lock()
		b.index.status.Behind = 0
		b.index.mu.Unlock()
		close(b.index.building)
		time.Sleep(2 * indexLook)
		b.Settle()
		b.Sees("340 passages of 12 files can be found · fresh")
		if card := b.w.settings.index; b.index.rebuilds != 1 || card.bar.Visible() || card.stop.Visible() || !card.rebuild.Visible() {
			t.Errorf("rebuilt %d times; bar %v, Stop %v", b.index.rebuilds, card.bar.Visible(), card.stop.Visible())
		}
	})
}

func TestABuildingThatBeginsLaterIsShown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.index.status = recall.Status{State: recall.State{Files: 40, Behind: 40}}
		b.shown()
		b.w.ShowSettings()
		b.Settle()
		b.w.settings.query = "recall"
		b.w.settings.show()
		b.Settle()
		b.Sees("behind by 40 files")
		for _, now := range []struct {
			status recall.Status
			want   string
		}{
			{recall.Status{State: recall.State{Files: 40, Behind: 40, Building: true, Done: 10, Of: 40}}, "25 % · building, 10 of 40 files"},
			{recall.Status{State: recall.State{Files: 40, Vectors: recall.VectorsBuilding}, Chunks: 80, VectorCount: 20, Model: "nomic"}, "20 of 80 passages by meaning with nomic"},
			{recall.Status{State: recall.State{Files: 40, Vectors: recall.VectorsReady}, Chunks: 80, VectorCount: 80, Model: "nomic"}, "can be found · fresh"},
		} {
			b.index.mu.Lock()
			b.index.status = now.status
			b.index.mu.Unlock()
			time.Sleep(indexWait + indexLook)
			b.Settle()
			b.Sees(now.want)
			if shown := b.w.settings.index.buttons.Visible(); shown == now.status.Building {
				t.Errorf("%s: Rebuild is shown: %v", now.want, shown)
			}
		}
	})
}

func TestARebuildIsStoppedAndGoesOn(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.index.building = make(chan struct{})
		b.index.status = recall.Status{State: recall.State{Files: 12}, Chunks: 340, Bytes: 2_500_000}
		b.shown()
		b.w.ShowSettings()
		b.Settle()
		b.w.settings.query = "recall"
		b.w.settings.show()
		b.Settle()
		card := b.w.settings.index
		test.Tap(card.rebuild)
		b.Settle()
		b.index.mu.Lock()
		b.index.status.Unfinished = true
		b.index.mu.Unlock()
		test.Tap(card.stop)
		b.Settle()
		time.Sleep(2 * indexLook)
		b.Settle()
		b.Sees("Go on", "A rebuild was stopped; it goes on where it was.")
		b.SeesNot("could not be rebuilt")
	})
}

func TestMakingVectorsIsPausedAndDoneNow(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.index.status = recall.Status{State: recall.State{Files: 40, Vectors: recall.VectorsBuilding}, Chunks: 9000, VectorCount: 300, Model: "nomic", VectorsLeft: 100 * time.Minute}
		b.shown()
		b.w.ShowSettings()
		b.Settle()
		b.w.settings.query = "recall"
		b.w.settings.show()
		b.Settle()
		b.Sees("300 of 9000 passages by meaning with nomic · about 2 hours left", "Pause", "Do it now")
		card := b.w.settings.index
		test.Tap(card.pause)
		b.Settle()
		time.Sleep(indexWait)
		b.Settle()
		b.Sees("by meaning with nomic · paused", "Resume")
		test.Tap(card.pause)
		b.Settle()
		time.Sleep(indexWait)
		b.Settle()
		b.Sees("about 2 hours left", "Pause")
		test.Tap(card.now)
		b.Settle()
		if !b.index.now {
			t.Error("nobody was asked for the vectors")
		}
		b.index.mu.Lock()
		b.index.status.Vectors, b.index.status.VectorCount = recall.VectorsReady, 9000
		b.index.mu.Unlock()
		time.Sleep(2 * indexWait)
		b.Settle()
		b.SeesNot("Do it now")
	})
}

func TestTheStateOfTheIndexIsSaidAsCommandsSayIt(t *testing.T) {
	for _, s := range []recall.State{
		{Vectors: recall.VectorsOff},
		{Behind: 1, Vectors: recall.VectorsReady},
		{Behind: 3, Vectors: recall.VectorsPaused, Cold: 120},
		{Building: true, Vectors: recall.VectorsPartial, Cold: 1},
		{Building: true, Behind: 2, Vectors: recall.VectorsBuilding},
		{Building: true, Behind: 2, Done: 1, Of: 40},
	} {
		if got := coverage(s); got != s.String() {
			t.Errorf("%q, want %q", got, s.String())
		}
	}
}

func TestAnAnswerNamesWhatItWasMadeWith(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-old", time.Hour, "the zephyr listens on 8443", "noted")
		old, err := s.Load(t.Context(), "cpu-old")
		if err != nil {
			t.Fatal(err)
		}
		first, second := old.Blocks[0].ID, old.Blocks[1].ID
		b.said(s, "cpu-new", time.Minute, "which port?")
		answer := sessionmem.Block{Kind: sessionmem.KindAssistant, Agent: "o", Text: "8443"}.WithRecalled([]sessionmem.Quotation{
			{Chunk: "cpu-old/" + first + "/0"}, {Chunk: "cpu-old/" + second + "/0"}, {Chunk: "cpu-old/" + second + "/1"},
		})
		if _, err := s.Append(t.Context(), "cpu-new", answer); err != nil {
			t.Fatal(err)
		}
		b.shown()
		b.w.OpenSession("cpu-new")
		b.Settle()
		b.Sees("recalled: 3 notes")
		test.Tap(b.button("recalled: 3 notes", 0))
		b.Settle()
		menu := b.Markup()
		if n := strings.Count(menu, "the zephyr listens on 8443"); n < 2 {
			t.Errorf("the menu names the conversation %d times", n)
		}
		b.press(fyne.KeyEscape)
		b.w.openRecalled([]agents.RecalledNote{{Session: "cpu-old", Block: first}}, b.w.compose.entry)
		b.Settle()
		if b.w.shown.Name != "cpu-old" {
			t.Errorf("%s is shown", b.w.shown.Name)
		}
	})
}
