package transcripts

import (
	"errors"
	"os"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func TestTheViewerShowsAllOfATranscript(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.reads(b.branched("cpu-a"), "", "")
		b.Sees("Friday, 20 November 2026", "Saturday, 21 November 2026", "You", "why is it loud", "doctor", "find it", "Because of", "Earlier version · 2 messages · show", "how long exactly", "20 minutes.", "Continue", "Fork from here", "Continue from here", "started")
		b.SeesNot("how long, the zebra way")
		b.taps("Earlier version · 2 messages · show", 0)
		b.Sees("how long, the zebra way", "Long.")
		b.taps("Earlier version · 2 messages · hide", 0)
		b.SeesNot("how long, the zebra way")
	})
}

func TestFindInsideAConversation(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		in := b.branched("cpu-a")
		b.reads(in, "", "")
		b.view.Find()
		b.Settle()
		v, c := b.view.View, b.Win.Canvas()
		if c.Focused() != fyne.Focusable(v.Bar.Entry) {
			t.Fatalf("%T has the focus", c.Focused())
		}
		test.Type(v.Bar.Entry, "ZEBRA")
		b.Settle()
		steps := []struct{ count, sees string }{
			{"1 of 3", "It is the"}, // in a folded sub-call
			{"2 of 3", "--stop"},
			{"3 of 3", "how long, the"}, // on an abandoned branch
			{"1 of 3", "It is the"},
		}
		for i, step := range steps {
			if i > 0 {
				b.press(fyne.KeyReturn)
			}
			if got := v.Bar.Count.Text; got != step.count {
				t.Errorf("step %d: %q", i, got)
			}
			b.Sees(step.sees)
			if marked := b.marked(); marked < min(i+1, 2) {
				t.Errorf("step %d: %d places are marked", i, marked)
			}
		}
		b.saved("cpu-a", transcript.Block{ID: "q4", Kind: transcript.KindUser, Text: "one zebra more"})
		b.view.Reread()
		b.Settle()
		if got := v.Bar.Count.Text; got != "1 of 4" {
			t.Errorf("after a message from elsewhere it says %q", got)
		}
		test.Type(v.Bar.Entry, "x")
		b.Settle()
		b.Sees("not found")
		b.press(fyne.KeyReturn, fyne.KeyEscape)
		if v.Bar.Visible() || v.Phrase != "" || b.marked() != 0 || c.Focused() != fyne.Focusable(v.Rows.Port) {
			t.Errorf("Esc does not close the bar: %d marks, %T has the focus", b.marked(), c.Focused())
		}
	})
}

func TestRowsDoNotGrowWithTheTranscript(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		v := b.view.View
		v.Show(longTranscript(5000), "", "")
		b.Settle()
		b.Sees("question 0")
		most := 0
		for range 24 {
			v.Rows.Port.ScrollTo(v.Rows.Port.MaxOffset())
			b.settleRows()
			most = max(most, len(v.Rows.Built))
		}
		if most > 2*ReaderMost || v.Read.From < 1000 {
			t.Errorf("%d entries were built, from block %d on", most, v.Read.From)
		}
		v.Show(longTranscript(5000), "b4999", "")
		b.Settle()
		b.Sees("Answer 4999")
		v.Rows.Port.ScrollTo(0)
		b.Settle()
		if v.Read.From > 4999-ReaderStep/2-ReaderStep {
			t.Errorf("scrolling up builds nothing: from block %d on", v.Read.From)
		}
	})
}

// What is beyond the rows is announced, and comes when asked for.
func TestAPartOfALongTranscriptSaysHowMuchIsBeyondIt(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		v := b.view.View
		v.Show(longTranscript(200), "b100", "")
		b.Settle()
		rows := v.Rows.Port.Rows
		v.Rows.Port.ScrollTo(300)
		b.Settle()
		if v.Read.From != 70 || v.Read.to != 130 {
			t.Fatalf("rows from %d to %d", v.Read.From, v.Read.to)
		}
		v.grow(1)
		b.Settle()
		v.grow(-1)
		b.Settle()
		if v.Read.From != 10 || v.Read.to != 190 || len(v.Rows.Port.Rows) <= len(rows) {
			t.Errorf("rows from %d to %d", v.Read.From, v.Read.to)
		}
		for range 3 {
			v.grow(1)
			b.Settle()
			v.grow(-1)
			b.Settle()
		}
		if v.Read.From != 0 || v.Read.to != 200 {
			t.Errorf("in the end rows from %d to %d", v.Read.From, v.Read.to)
		}
	})
}

// A reader at the end of the file goes on seeing its end; elsewhere the place stays.
func TestRereadingKeepsThePlace(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after int
		block         string // where the reader is
		from, to      int    // what has rows afterwards
	}{
		"the end, and more came":       {40, 60, "", 0, 60},
		"the middle, and more came":    {500, 600, "b200", 170, 230},
		"the middle, and much is gone": {500, 100, "b200", 100, 100},
		"the end, and much is gone":    {500, 20, "b499", 20, 20},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReadout(longTranscript(tt.before))
			if at := r.indexOf(tt.block); at >= 0 {
				r.show(at)
			}
			r.replace(longTranscript(tt.after))
			if r.From != tt.from || r.to != tt.to {
				t.Errorf("rows from %d to %d, want %d to %d", r.From, r.to, tt.from, tt.to)
			}
		})
	}
}

func TestASessionIsContinuedForkedAndPassedOn(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		in := b.branched("cpu-a")
		b.reads(in, "", "")
		for _, tt := range []struct {
			button string
			nth    int
			want   string
		}{
			{"Continue", 0, "continue cpu-a"},
			{"Fork", 0, "fork cpu-a"},
			{"Export", 0, "export cpu-a"},
			{"Copy as text", 0, "copy all cpu-a"},
			{"Open in editor", 0, "edit " + in.Path},
			{"Show in folder", 0, "reveal " + in.Path},
			{"Open another file…", 0, "another"},
			{"Continue from here", 0, "continue cpu-a q3"},
			{"Fork from here", 0, "fork cpu-a a1"},
			{"Fork from here", 1, "fork cpu-a a3"},
		} {
			b.taps(tt.button, tt.nth)
			b.leads(tt.want)
		}
		b.taps("Find", 0)
		if !b.view.Bar.Visible() {
			t.Error("Find opens no bar")
		}
		b.view.Rows.Port.OnMenu("20 minutes", nil)[0].Action()
		b.leads("remember cpu-a 20 minutes")
	})
}

// Each kind of session names its author and offers only what can be done with it.
func TestWhatASessionIsDecidesWhatItOffers(t *testing.T) {
	user := transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "hi", Attrs: map[string]string{}}
	for name, tt := range map[string]struct {
		in            transcript.Info
		author        string
		sees, seesNot []string
	}{
		"a channel":         {transcript.Info{Name: "discord-9", Source: "discord", Path: "/s", Messages: 1}, "", []string{"Channel", "Discord · 1 message", "Fork", "Show in folder"}, []string{">Continue<"}},
		"its named author":  {transcript.Info{Name: "discord-9", Source: "discord", Path: "/s"}, "Ann B.", []string{"Ann B."}, []string{">Continue<", "Channel"}},
		"an archived one":   {transcript.Info{Name: "cpu-1", Source: "cpu", Path: "/s", Archived: true}, "", []string{"archived", "You"}, nil},
		"a private one":     {transcript.Info{Name: "cpu-1", Source: "cpu"}, "", []string{"private, in memory only"}, []string{"Show in folder", "Open in editor"}},
		"a newer format":    {transcript.Info{Name: "cpu-1", Source: "cpu", Path: "/s", ReadOnly: true}, "", []string{"read-only: a newer format"}, []string{">Continue<"}},
		"another machine's": {transcript.Info{Name: "cpu-1", Source: "cpu", Machine: "lap", ReadOnly: true}, "", []string{"Conversation on lap", "go on with it, edit it or delete it there", "Find"}, []string{"Fork", "Export", ">Continue<"}},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				block := user
				if tt.author != "" {
					block.Attrs = map[string]string{"author": tt.author}
				}
				b.view.Show(&transcript.Transcript{Info: tt.in, Blocks: []transcript.Block{block, {ID: "a1", Kind: transcript.KindAssistant, Parent: "u1", Text: "hello"}}}, "", "")
				b.Settle()
				b.Sees(append(tt.sees, "hello")...)
				b.SeesNot(tt.seesNot...)
			})
		})
	}
}

func TestAFailedTurnIsToldWithoutItsButtons(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.reads(b.saved("cpu-a",
			transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "q"},
			transcript.Block{Kind: transcript.KindNote, Parent: "u1", Note: transcript.NoteError, Text: "the model is gone"}), "", "")
		b.Sees("failed: the model is gone")
		b.SeesNot("Retry", "Send again", "not answered yet")
	})
}

func TestATranscriptOpensAtAPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		in := b.branched("cpu-a")
		b.reads(in, "q2", "zebra way") // on an abandoned branch
		b.Sees("how long, the ")
		if b.marked() == 0 {
			t.Error("nothing is marked")
		}
		b.reads(in, "gone", "zebra way")
		if b.view.Phrase != "" || b.view.Rows.Port.Offset != 0 {
			t.Errorf("an unknown place is looked for: %q", b.view.Phrase)
		}
	})
}

func TestATranscriptThatCantBeReadIsReported(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.view.Reread() // nothing is open yet
		b.view.Find()
		b.view.openFind()
		b.view.findPlaces(true)
		b.view.mark()
		in := b.branched("cpu-a")
		if err := errors.Join(os.Remove(in.Path), os.Mkdir(in.Path, 0o700)); err != nil {
			t.Fatal(err)
		}
		b.reads(in, "", "")
		b.Sees("This transcript can", "The file is left as it is.")
		b.taps("Show in folder", 0)
		b.leads("reveal " + in.Path)
		broken := transcript.Info{Name: "stray", Err: errors.New("it is a binary file")}
		b.reads(broken, "", "")
		b.Sees("it is a binary file")
		b.SeesNot("Show in folder")
		b.view.Empty()
		b.Sees("Nothing to read yet", "Choose a conversation from the list.")
		if got := b.view.From(); got.Name != "" {
			t.Errorf("%q is shown", got.Name)
		}
	})
}

// Reading takes a while; what the user opened last is shown.
func TestTheLastTranscriptThatWasOpenedIsShown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		first, second := b.branched("cpu-a"), b.saved("cpu-b", transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "only this"})
		b.view.Open(first, "", "")
		b.view.Open(second, "", "")
		b.Settle()
		b.Sees("only this")
		b.SeesNot("why is it loud")
		if b.view.From().Name != "cpu-b" || b.view.Name != "cpu-b" {
			t.Errorf("%s is shown", b.view.Name)
		}
		b.view.from = first // opened, but not read yet
		b.view.Find()
		b.Settle()
		b.Sees("why is it loud")
		if !b.view.Bar.Visible() {
			t.Error("there is no find bar")
		}
	})
}

// While someone searches, the file becomes shorter: the place that was found is gone.
func TestAPlaceThatIsGoneIsNotShown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.view.Show(longTranscript(300), "", "")
		b.Settle()
		b.view.openFind()
		test.Type(b.view.Bar.Entry, "question 298")
		b.Settle()
		b.Sees("1 of 1", "Answer 299")
		b.view.Read.replace(longTranscript(10))
		b.view.goTo()
		b.view.mark()
		b.view.Refresh(longTranscript(10))
		b.Settle()
		b.Sees("not found")
		b.SeesNot("Answer 299")
	})
}
