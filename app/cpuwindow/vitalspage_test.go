package cpuwindow

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/apptest"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/screentest"
)

// onVitals returns a window that shows the vitals page of a snapshot.
func onVitals(t *testing.T, s monitor.Snapshot) *bench {
	t.Helper()
	b := newBench(t)
	b.shown()
	b.w.win.Resize(fyne.NewSize(980, 2400))
	test.Tap(b.w.vitals.Cells[0])
	b.vitals.publish(s)
	b.Settle()
	return b
}

func TestTheStripOpensTheVitalsAndClosesThem(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := onVitals(t, apptest.Snapshot())
		b.Sees("Vitals of the whole machine", "% of all 2 cores together", "97 %", "average 2 %, peak 3 %")
		// a second press of the strip returns to the chat
		test.Tap(b.w.vitals.Cells[3])
		b.Settle()
		if b.w.panes.page != pageChat {
			t.Errorf("on page %s", b.w.panes.page)
		}
	})
}

func TestProcessesAreSampledOnlyWhileSeen(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		asked := func() int { b.Settle(); return b.vitals.shown }
		strip := asked()
		b.w.ShowVitals()
		if got := asked(); got != strip+1 {
			t.Errorf("on the page, %d ask, want %d", got, strip+1)
		}
		b.w.showPage(pageChat)
		if got := asked(); got != strip {
			t.Errorf("after it, %d ask, want %d", got, strip)
		}
		b.w.ShowVitals()
		b.w.Hide()
		if got := asked(); got != 0 {
			t.Errorf("hidden, %d ask", got)
		}
		b.w.Show()
		if got := asked(); got != strip+1 {
			t.Errorf("shown again on the page, %d ask, want %d", got, strip+1)
		}
	})
}

func TestAskPutsTheReadingIntoTheMessage(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := onVitals(t, apptest.Snapshot())
		b.w.chat.Compose.SetText("Look at this:")
		b.w.panes.details.Ask(monitor.CPU)
		b.Settle()
		text := b.w.chat.Compose.Entry.Text
		for _, want := range []string{"Look at this:\n\nThe reading of this machine at 10:20:30:\nCPU: 37 % of all 2 cores together", "last 5 min: average 2 %"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q has no %q", text, want)
			}
		}
		if b.w.panes.page != pageChat || len(b.turns.requests) != 0 || b.w.chats().Shown().Draft() != text {
			t.Errorf("page %s, %d sent, draft %q", b.w.panes.page, len(b.turns.requests), b.w.chats().Shown().Draft())
		}
	})
}

// A question about the machine doesn't join the open chat.
func TestAskStartsANewChat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := onVitals(t, apptest.Snapshot())
		before := b.w.chats().Shown()
		before.Begin("about Lisbon", time.Now())
		b.w.panes.details.Ask(monitor.CPU)
		b.Settle()
		if b.w.chats().Shown() == before || !strings.Contains(b.w.chat.Compose.Entry.Text, "CPU: 37 %") || b.w.panes.page != pageChat {
			t.Errorf("%q is in the chat that was open: %t", b.w.chat.Compose.Entry.Text, b.w.chats().Shown() == before)
		}
	})
}

// BenchmarkVitalsUpdate measures the cost of a sample while the page is shown, without painting.
func BenchmarkVitalsUpdate(b *testing.B) {
	w := newBench(b).shown()
	w.w.ShowVitals()
	s := apptest.Snapshot()
	n := 0.0
	for b.Loop() {
		n++
		s.CPU.Percent = float64(int(n) % 100)
		w.vitals.publish(s)
		(<-w.Queue)()
	}
}
