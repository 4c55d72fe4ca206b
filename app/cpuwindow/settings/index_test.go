package settings

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/recall"
)

// stubIndex is a search index with the state that the test sets.
type stubIndex struct {
	mu       sync.Mutex
	status   recall.Status
	err      error
	rebuilds int
	now      bool          // vectors were requested
	building chan struct{} // a rebuild ends when it is closed

	server    *recall.ServerStatus
	serverErr error
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

func (s *stubIndex) ServerName() string { return "postgres://ada@db.example.org/memory" }

func (s *stubIndex) TestServer(context.Context) (*recall.ServerStatus, error) {
	return s.server, s.serverErr
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

func TestSettingsShowAndRebuildTheIndex(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.index.building = make(chan struct{})
		b.index.status = recall.Status{State: recall.State{Files: 12, Behind: 3}, Chunks: 340, Bytes: 2_500_000}
		b.open()
		test.Type(b.page.search.Entry, "")
		b.page.query = "recall"
		b.page.show()
		b.Settle()
		b.Sees("Index: 12 conversations, 340 passages · behind by 3 files", "2.5 MB · by words alone", "Rebuild")
		test.Tap(b.page.index.rebuild)
		b.Settle()
		time.Sleep(pollBuilding)
		b.Settle()
		b.Sees("· building, 3 files to go", "Stop")
		b.index.mu.Lock()
		b.index.status.Done, b.index.status.Of = 3, 12
		b.index.mu.Unlock()
		time.Sleep(2 * pollBuilding)
		b.Settle()
		b.Sees("Index: 12 conversations, 340 passages · 25 % · building, 3 of 12 files")
		if bar := b.page.index.bar; !bar.Visible() || bar.Fraction != .25 {
			t.Errorf("the bar shows %v, visible: %v", bar.Fraction, bar.Visible())
		}
		b.index.mu.Lock()
		b.index.status.Behind = 0
		b.index.mu.Unlock()
		close(b.index.building)
		time.Sleep(2 * pollBuilding)
		b.Settle()
		b.Sees("Index up to date: 12 conversations, 340 passages")
		if card := b.page.index; b.index.rebuilds != 1 || card.bar.Visible() || card.stop.Visible() || !card.rebuild.Visible() {
			t.Errorf("rebuilt %d times; bar %v, Stop %v", b.index.rebuilds, card.bar.Visible(), card.stop.Visible())
		}
	})
}

func TestABuildThatStartsLaterIsShown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.index.status = recall.Status{State: recall.State{Files: 40, Behind: 40}}
		b.open()
		b.page.query = "recall"
		b.page.show()
		b.Settle()
		b.Sees("behind by 40 files")
		for _, now := range []struct {
			status recall.Status
			want   string
		}{
			{recall.Status{State: recall.State{Files: 40, Behind: 40, Building: true, Done: 10, Of: 40}}, "25 % · building, 10 of 40 files"},
			{recall.Status{State: recall.State{Files: 40, Vectors: recall.VectorsBuilding}, Chunks: 80, VectorCount: 20, Model: "nomic"}, "20 of 80 passages by meaning with nomic"},
			{recall.Status{State: recall.State{Files: 40, Vectors: recall.VectorsReady}, Chunks: 80, VectorCount: 80, Model: "nomic"}, "Index up to date: 40 conversations"},
		} {
			b.index.mu.Lock()
			b.index.status = now.status
			b.index.mu.Unlock()
			time.Sleep(pollWaiting + pollBuilding)
			b.Settle()
			b.Sees(now.want)
			if shown := b.page.index.buttons.Visible(); shown == now.status.Building {
				t.Errorf("%s: Rebuild is shown: %v", now.want, shown)
			}
		}
	})
}

func TestARebuildIsStoppedAndResumed(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.index.building = make(chan struct{})
		b.index.status = recall.Status{State: recall.State{Files: 12}, Chunks: 340, Bytes: 2_500_000}
		b.open()
		b.page.query = "recall"
		b.page.show()
		b.Settle()
		card := b.page.index
		test.Tap(card.rebuild)
		b.Settle()
		b.index.mu.Lock()
		b.index.status.Unfinished = true
		b.index.mu.Unlock()
		test.Tap(card.stop)
		b.Settle()
		time.Sleep(2 * pollBuilding)
		b.Settle()
		b.Sees("Resume rebuild", "A rebuild was stopped. It resumes where it left off.")
		b.SeesNot("could not be rebuilt")
	})
}

func TestMakingVectorsIsPausedAndSpedUp(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.index.status = recall.Status{State: recall.State{Files: 40, Vectors: recall.VectorsBuilding}, Chunks: 9000, VectorCount: 300, Model: "nomic", VectorsLeft: 100 * time.Minute}
		b.open()
		b.page.query = "recall"
		b.page.show()
		b.Settle()
		b.Sees("300 of 9,000 passages by meaning with nomic · about 2 hours left", "Pause", "Finish now")
		card := b.page.index
		test.Tap(card.pause)
		b.Settle()
		time.Sleep(pollWaiting)
		b.Settle()
		b.Sees("by meaning with nomic · paused", "Resume")
		test.Tap(card.pause)
		b.Settle()
		time.Sleep(pollWaiting)
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
		time.Sleep(2 * pollWaiting)
		b.Settle()
		b.SeesNot("Finish now")
	})
}

func TestSettingsTryTheMemoryServer(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := onPage(t)
		b.page.query = "recall"
		b.page.show()
		b.Settle()
		b.SeesNot("Test connection")
		b.set("recall.postgres_url", "postgres://ada:secret@db.example.org/memory")
		b.set("recall.backend", "postgres")
		b.page.refresh()
		b.Settle()
		b.Sees("Memory server: postgres://ada@db.example.org/memory", "Not tested yet", "The address contains a password")
		b.set("recall.postgres_url", "postgres://ada@db.example.org/memory")
		b.page.refresh()
		b.Settle()
		b.SeesNot("The address contains a password")
		b.index.serverErr = errors.New("it can't be reached; check that it runs")
		test.Tap(b.page.server.test)
		b.Settle()
		b.Sees("It can't be reached;", "nothing is lost")
		b.index.serverErr, b.index.server = nil, &recall.ServerStatus{Version: "16.8", Vectors: "0.8.0", Took: 3 * time.Millisecond, Machines: []recall.ServerMachine{{Name: "desk", Mine: true, Passages: 7}, {Name: "lap", Passages: 3}}}
		test.Tap(b.page.server.test)
		b.Settle()
		b.Sees("PostgreSQL 16.8 answers in 3 ms and is searched by words and by meaning.", "This machine: 7")
		b.set("recall.backend", "local")
		b.page.refresh()
		b.Settle()
		b.SeesNot("Test connection")
	})
}
