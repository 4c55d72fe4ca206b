package chat

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

func TestActionsShowUnderThePointerAndOnTheNewest(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.reads(twoTurns()...)
		older, newest := b.button("Answer again", 0), b.button("Answer again", 1)
		if older.Group.Visible() || !newest.Group.Visible() {
			t.Fatalf("at rest: older %v, newest %v", older.Group.Visible(), newest.Group.Visible())
		}
		port := b.view.Port
		var y float32
		for _, p := range port.Rows {
			if p.Hover == older.Group {
				y = p.Top - port.Offset + 2
			}
		}
		port.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(300, y)}})
		if !older.Group.Visible() {
			t.Error("not shown under the pointer")
		}
		port.MouseOut()
		if older.Group.Visible() {
			t.Error("still shown")
		}
		b.Win.Canvas().Focus(older)
		if !older.Group.Visible() {
			t.Error("not shown with the focus")
		}
	})
}

func TestOpenedCallAtTheEndStaysVisible(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		// given a reader at the end, when a visible call is opened, then its row stays
		// where it was
		b := newBench(t)
		b.sends("q")
		b.gets(token(strings.Repeat("a paragraph\n\n", 40)), agents.Event{Type: agents.EventTool, Call: &agents.Call{ID: "c1", Name: "SYSTEM_STATS", Task: "all", Done: true, Result: strings.Repeat("a line\n", 60)}})
		port, call := b.view.Port, b.entries()[len(b.entries())-1]
		if !port.Follow {
			t.Fatal("the end is not followed")
		}
		row := b.view.Built[call.Key].Call
		before := row.Position().Y
		b.view.Toggle(call.Key)
		if after := row.Position().Y; after != before || port.Follow {
			t.Errorf("the row went from %g to %g, the end is followed: %v", before, after, port.Follow)
		}
		b.view.Toggle(call.Key)
		if after := row.Position().Y; after != before || !port.Follow {
			t.Errorf("closed, the row is at %g, the end is followed: %v", after, port.Follow)
		}
	})
}

func TestOnlyAReaderAtTheEndFollowsNewText(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.sends("q")
		b.gets(token(strings.Repeat("a paragraph of an answer\n\n", 60)))
		port := b.view.Port
		if port.Offset != port.MaxOffset() || port.MaxOffset() == 0 {
			t.Fatalf("at %v of %v after the first text", port.Offset, port.MaxOffset())
		}
		port.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 400)})
		at := port.Offset
		b.gets(token(strings.Repeat("more of it\n\n", 30)))
		if port.Offset != at {
			t.Errorf("the reader was moved from %v to %v", at, port.Offset)
		}
		if !b.view.Latest.Visible() {
			t.Error("no way to the latest")
		}
		test.Tap(b.view.Latest)
		b.gets(token("the very end\n\n"))
		if port.Offset != port.MaxOffset() || b.view.Latest.Visible() {
			t.Errorf("at %v of %v", port.Offset, port.MaxOffset())
		}
		b.Sees("the very end")
	})
}

func TestOnlyVisibleRowsAreOnTheCanvas(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.sends("q")
		b.gets(token(strings.Repeat("a paragraph\n\n", 2000)))
		if n := len(b.view.Port.Shown); n > 60 {
			t.Errorf("%d objects on the screen", n)
		}
	})
}

func TestAnotherConversationBeginsAtItsEnd(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.reads(twoTurns()...)
		b.taps("Edit", 0)
		b.view.Port.ScrollTo(0)
		b.c = conversation.New("cpu-y")
		b.reads(transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: strings.Repeat("another question\n\n", 12)}, transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Parent: "u1", Text: strings.Repeat("its answer\n\n", 60)})
		if p := b.view.Port; p.Offset != p.MaxOffset() || p.Offset == 0 {
			t.Errorf("it is at %g of %g", p.Offset, p.MaxOffset())
		}
		b.SeesNot("Send again")
	})
}

func TestWhatIsAboveIsAskedForAtTheTop(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		var blocks []transcript.Block
		for range 20 {
			blocks = append(blocks, twoTurns()...)
		}
		for i := range blocks {
			blocks[i].ID, blocks[i].Parent = "", ""
		}
		for i := range blocks {
			blocks[i].ID = strings.Repeat("x", i+1)
		}
		first, all := "", true
		b.view.OnLaidOut = func(f string, a bool) { first, all = f, a }
		b.reads(blocks...)
		if first != blocks[20].ID || all {
			t.Errorf("the first block is %d long, and that is all: %v", len(first), all)
		}
		b.view.Port.ScrollTo(0)
		b.Settle()
		b.Sees("20 older entries · show")
		b.leads("older")
	})
}

func TestTheStateIsShownUntilTextArrives(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.sends("q")
		b.Sees("waiting for the model")
		b.gets(agents.Event{Type: agents.EventState, State: agents.StateLoading, Detail: "loading qwen3:8b", Agent: "orchestrator", Model: "qwen3:8b"})
		b.Sees("loading qwen3:8b…", "orchestrator", "· qwen3:8b")
		b.gets(agents.Event{Type: agents.EventState, State: agents.StateWriting}, token("words"))
		b.Sees("words")
		b.SeesNot("loading qwen3:8b…")
		b.gets(agents.Event{Type: agents.EventUsage, Agent: "orchestrator", Usage: &agents.Usage{TokensPerSecond: 41}}, agents.Event{Type: agents.EventDone, Text: "words", Block: "a1"})
		b.Sees("41 tokens/s")
	})
}

func TestThoughtsAndCallsAreFolded(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.sends("q")
		began := time.Now()
		b.gets(agents.Event{Type: agents.EventThinking, Round: 1, Text: "deep thoughts", Agent: "o", Model: "m", Time: began})
		time.Sleep(2 * time.Second)
		b.shows()
		b.Sees("Thinking… 2 s ›")
		b.SeesNot("deep thoughts")
		b.gets(agents.Event{Type: agents.EventSubcallStart, Call: &agents.Call{ID: "c1", Name: "coder", Task: "write it"}})
		b.Sees("Thought for 2.5 s", "coder", "write it", "working…")
		b.taps("Thought for 2.5 s ›", 0)
		b.Sees("deep thoughts", "Thought for 2.5 s ⌄")
		b.taps("Stop", 0)
		b.leads("stop c1")
		time.Sleep(time.Second)
		b.shows()
		b.Sees("working… 1 s")
		b.gets(
			agents.Event{Type: agents.EventSubcallEnd, Call: &agents.Call{ID: "c1", Done: true, Result: "inner text", Took: 3100 * time.Millisecond}},
			agents.Event{Type: agents.EventTool, Call: &agents.Call{ID: "c2", Name: "FETCH_URL", Task: "http://example.org/a", Failed: "the page is gone"}},
			agents.Event{Type: agents.EventTool, Call: &agents.Call{ID: "c3", Name: "SYSTEM_STATS", Done: true, Result: "cpu 3 %"}},
			agents.Event{Type: agents.EventSubcallStart, Call: &agents.Call{ID: "c4", Name: "writer"}},
			agents.Event{Type: agents.EventError, Kind: "cancelled"})
		b.Sees("done in 3.1 s", "failed: the page is gone", "stopped")
		b.SeesNot("inner text", ">cpu 3 %<")
		for _, e := range b.entries() {
			if e.Kind == conversation.Call {
				b.view.Toggle(e.Key)
			}
		}
		b.view.Port.ScrollTo(0)
		b.Settle()
		b.Sees("inner text", "cpu 3 %", "http://example.org/a")
	})
}

func TestTheSummaryIsOpenedFromItsLineAndFromTheFoot(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.reads(append(twoTurns(), transcript.Block{ID: "s1", Kind: transcript.KindSummary, Through: "a1", Text: "in short s1"})...)
		b.Sees("2 older messages summarised · show")
		b.SeesNot("in short s1")
		b.view.OpenSummary()
		b.Sees("2 older messages summarised · hide", "in short s1")
		for _, e := range b.entries() {
			if e.Kind == conversation.Summary {
				b.view.Toggle(e.Key)
			}
		}
		b.SeesNot("in short s1")
	})
}

func TestAMessageIsEditedInItsPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.reads(twoTurns()...)
		b.taps("Edit", 0)
		b.Sees("Send again", "The earlier version and the 3 messages after it leave the conversation.")
		entry, ok := b.Win.Canvas().Focused().(*kit.Field)
		if !ok || entry.Text != "question one" {
			t.Fatalf("the focus is in %T", b.Win.Canvas().Focused())
		}
		low := entry.Size().Height
		entry.SetText(strings.Repeat("a line\n", 6))
		b.Settle()
		if entry.Size().Height < 3*low {
			t.Errorf("six lines are %g high, one is %g", entry.Size().Height, low)
		}
		entry.SetText("  ")
		entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if len(b.did) != 0 {
			t.Errorf("blanks were sent: %q", b.did)
		}
		entry.SetText("a better question")
		entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.leads("edit u1 a better question")
		b.shows()
		b.SeesNot("Send again")
		b.taps("Edit", 1)
		b.Sees("The earlier version stays in the transcript.")
		b.taps("Cancel", 0)
		b.leads("composer")
		b.Sees("question two")
		b.SeesNot("Send again")
		b.taps("Edit", 1)
		b.Win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		b.Settle()
		b.SeesNot("Send again")
	})
}

func TestWhatIsInAMessageIsCopiedRememberedAndForgotten(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.reads(twoTurns()...)
		b.Sees("Used memory.md · 12 lines")
		for _, tt := range []struct {
			button string
			nth    int
			want   string
		}{
			{"Copy", 0, "copy question one"},
			{"Copy", 1, "copy answer one with [a page](http://example.org/p)"},
			{"More…", 0, "forget u1"},
			{"Answer again", 0, "again u1"},
			{"Answer again with…", 1, "again with u2"},
			{"Links", 0, "links"},
			{"Remember…", 0, "remember answer one with a page"},
			{"Forget…", 1, "forget a2"},
			{"Used memory.md · 12 lines", 0, "memory memory.md"},
		} {
			b.taps(tt.button, tt.nth)
			b.leads(tt.want)
		}
		if !strings.Contains(strings.Join(b.did, "|"), "menu Remember this…|remember question one|menu Forget…|forget u1") {
			t.Errorf("the menu of a message: %q", b.did)
		}
	})
}

func TestTheContextMenuRemembersTheSelectionOrTheMessage(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.reads(twoTurns()...)
		rows := b.view.Port.Rows
		for _, tt := range []struct {
			selected string
			row      int
			want     []string // the item, and what it remembers
		}{
			{"two words", 0, []string{"Remember the selection…", "remember two words"}},
			{"", 0, []string{"Remember this…", "remember question one"}},
			{" ", 2, []string{"Remember this…", "remember answer one with a page"}},
		} {
			items := b.view.Port.OnMenu(tt.selected, rows[tt.row].Row)
			if len(items) != 1 || items[0].Label != tt.want[0] {
				t.Fatalf("the menu has %+v", items)
			}
			items[0].Action()
			b.leads(tt.want[1])
		}
		if items := b.view.Port.OnMenu("", nil); items != nil {
			t.Errorf("beside the messages the menu has %+v", items)
		}
	})
}

// What was forgotten can't be copied, answered again or remembered.
func TestAForgottenTurnOffersNothing(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.reads(
			transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: forgotten.Text},
			transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Agent: "o", Parent: "u1", Text: forgotten.Text})
		b.Sees("Edit")
		b.SeesNot(">Copy<", "More…", "Answer again", "Remember…", "Forget…")
	})
}

func TestVersionsAreTurnedLikePages(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		blocks := append(twoTurns(),
			transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: "u2"},
			transcript.Block{ID: "u3", Kind: transcript.KindUser, Text: "question three"},
			transcript.Block{ID: "a3", Kind: transcript.KindAssistant, Agent: "o", Parent: "u3", Text: "answer three"},
			transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Parent: "u3", Text: "a3"},
			transcript.Block{ID: "a4", Kind: transcript.KindAssistant, Agent: "o", Parent: "u3", Text: "answer four"})
		b.reads(blocks...)
		b.Sees("question three", "answer four", "2 / 2")
		b.SeesNot("question two", "answered again")
		b.taps("‹", 0)
		b.leads("version u2 true")
		b.taps("‹", 1)
		b.leads("version a3 true")
		c := b.Win.Canvas()
		b.view.FocusVersion(c, "u3", true)
		if c.Focused() != fyne.Focusable(b.button("‹", 0)) {
			t.Errorf("going back, the focus is on %s", b.Focus())
		}
		b.view.FocusVersion(c, "a4", false) // there is none after it
		if c.Focused() != fyne.Focusable(b.button("‹", 1)) {
			t.Errorf("going on, the focus is on %s", b.Focus())
		}
		c.Unfocus()
		if b.view.FocusVersion(c, "gone", false); c.Focused() != nil {
			t.Errorf("of a version that isn't shown, the focus is on %s", b.Focus())
		}
	})
}

func TestAnEditedMessageIsMarkedUntilItsVersionsAreKnown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.reads(twoTurns()...)
		b.c.BeginEdit("u2", "question three", time.Now())
		b.shows()
		b.Sees("question three", "edited")
		b.SeesNot("question two")
	})
}

func TestTheJumpSaysHowManyMessagesCame(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.sends("q")
		b.gets(token(strings.Repeat("long words\n\n", 60)))
		b.view.Port.ScrollTo(100)
		b.Settle()
		b.Sees("Jump to latest ↓")
		b.gets(agents.Event{Type: agents.EventDone, Block: "a1"})
		b.sends("next")
		b.Sees("1 new message ↓")
		b.gets(token("more"))
		b.Sees("2 new messages ↓")
		b.view.Port.ToEnd()
		b.view.Port.ScrollTo(100)
		b.Sees("Jump to latest ↓")
	})
}

func TestAReaderCannotChangeAnything(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.view.Reading = true
		b.reads(twoTurns()...)
		b.Sees("question one", "answer two", ">Copy<")
		b.SeesNot(">Edit<", "Answer again")
	})
}

func TestALetterAndALinkLeaveTheChat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.view.Port.OnRune('x')
		b.leads("type x")
		b.view.Port.OnLink("http://example.org/p")
		b.leads("link http://example.org/p")
	})
}
