package chatpane

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func TestSwitchingDuringAStreamMixesNoTokens(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		// given two runs at once, when the user switches between them, then each
		// conversation has exactly its own tokens
		b := newBench(t).shown()
		b.pane.Send("alpha")
		first := b.pane.Chats.Shown()
		b.pane.NewChat()
		b.pane.Send("beta")
		second := b.pane.Chats.Shown()
		var wantA, wantB strings.Builder
		for i := range 200 {
			a, z := fmt.Sprintf("a%d ", i), fmt.Sprintf("b%d ", i)
			wantA.WriteString(a)
			wantB.WriteString(z)
			b.run(0).Sent <- token(a)
			b.run(1).Sent <- token(z)
			if i%20 == 0 {
				b.pane.OpenSession([]string{first.Name, second.Name}[i/20%2])
				for len(b.Queue) > 0 {
					(<-b.Queue)()
				}
			}
		}
		b.run(0).Sent <- agents.Event{Type: agents.EventDone}
		b.run(1).Sent <- agents.Event{Type: agents.EventDone}
		close(b.run(0).Sent)
		close(b.run(1).Sent)
		b.Settle()
		if got := first.AnswerText(entriesNow(first)[1].Key); got != wantA.String() {
			t.Errorf("the first conversation holds %q", got)
		}
		if got := second.AnswerText(entriesNow(second)[1].Key); got != wantB.String() {
			t.Errorf("the second conversation holds %q", got)
		}
		b.pane.OpenSession(first.Name)
		b.Settle()
		b.Sees("a199")
		b.SeesNot("b199")
		if b.pane.Compose.Busy {
			t.Error("Stop is still there")
		}
	})
}

func TestOlderEntriesKeepTheReadersPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		var blocks []transcript.Block
		for i := range 200 {
			blocks = append(blocks, transcript.Block{ID: fmt.Sprint("u", i), Kind: transcript.KindUser, Text: fmt.Sprintf("question %d.", i)})
		}
		b.saved("cpu-x", blocks...)
		b.shown()
		b.pane.OpenSession("cpu-x")
		b.Settle()
		b.Sees("question 199.")
		b.pane.View.Port.ScrollTo(0)
		b.Settle()
		b.Sees("question 140.")
		if b.pane.View.Port.Offset == 0 {
			t.Error("the reader was moved to the beginning")
		}
	})
}

func TestStatesBeforeTheFirstToken(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.pane.Send("q")
		b.Settle()
		b.Sees("waiting for the model", "Stop")
		b.run(0).Sent <- agents.Event{Type: agents.EventState, State: agents.StateLoading, Detail: "loading qwen3:8b", Agent: "orchestrator", Model: "qwen3:8b"}
		b.Settle()
		b.Sees("loading qwen3:8b…", "orchestrator", "· qwen3:8b")
		for range 4 {
			time.Sleep(time.Second)
			b.Settle()
		}
		if !regexp.MustCompile("loading qwen3:8b… [2-5] s").MatchString(b.Markup()) {
			t.Errorf("for how long isn't told:\n%s", b.Markup())
		}
		b.run(0).Sent <- agents.Event{Type: agents.EventState, State: agents.StateWriting}
		b.run(0).Sent <- token("words")
		b.Settle()
		b.Sees("words")
		b.SeesNot("loading qwen3:8b…")
	})
}

func TestTheFirstStateIsShownWithinATenthOfASecond(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		sent := time.Now()
		b.pane.Send("q")
		for !strings.Contains(b.Markup(), "waiting for the model") {
			if time.Since(sent) > time.Minute {
				t.Fatal("nothing is said")
			}
			(<-b.Queue)()
		}
		if took := time.Since(sent); took > 100*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
}

func TestCallsAndErrorsOnTheScreen(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.pane.Send("q")
		ev := b.run(0).Sent
		ev <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "orchestrator", Model: "m"}
		ev <- agents.Event{Type: agents.EventSubcallStart, Call: &agents.Call{ID: "c1", Name: "coder", Task: "write it"}}
		b.Settle()
		b.Sees("coder", "write it", "working…")
		test.Tap(b.pane.View.Built[entriesNow(b.pane.Chats.Shown())[2].Key].Call.Stop)
		if d := b.run(0).Calls; len(d) != 1 || d[0] != "c1" {
			t.Errorf("stopped calls: %v", d)
		}
		ev <- agents.Event{Type: agents.EventSubcallEnd, Call: &agents.Call{ID: "c1", Done: true, Result: "inner text", Took: 3100 * time.Millisecond}}
		ev <- agents.Event{Type: agents.EventError, Kind: "model_missing", Model: "qwen3:8b", Text: "The model qwen3:8b isn't installed.", Detail: "Pull it."}
		b.Settle()
		b.Sees("done in 3.1 s", "Pull qwen3:8b", "Retry", "isn't installed.")
		b.SeesNot("inner text")
		b.pane.View.Toggle(entriesNow(b.pane.Chats.Shown())[2].Key)
		b.Sees("inner text")
		b.pane.View.Act.Retry(*entriesNow(b.pane.Chats.Shown())[3].Fault)
		b.Settle()
		if r := b.turns.requests[1]; r.Retry != "u1" {
			t.Errorf("the retry is %+v", r)
		}
		b.SeesNot("isn't installed.")
	})
}

func TestTextIsSelectedAcrossRows(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.pane.Send("the question")
		b.run(0).Sent <- token("first **bold** words\n\n- an item\n\n```\ncode here\n```\n\nlast words")
		b.Settle()
		port := b.pane.View.Port
		at := func(i int, x float32) fyne.Position {
			p := port.Rows[i]
			return fyne.NewPos(port.Left+p.Indent+x, p.Top-port.Offset+10)
		}
		port.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at(2, 0)}, Button: desktop.MouseButtonPrimary})
		port.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: at(5, 600)}})
		port.DragEnd()
		port.TypedShortcut(&fyne.ShortcutCopy{})
		want := "first bold words\n• an item\ncode here\nlast words"
		if got := fyne.CurrentApp().Clipboard().Content(); got != want {
			t.Errorf("copied %q, want %q", got, want)
		}
		port.DoubleTapped(&fyne.PointEvent{Position: at(2, 5)})
		if got := port.SelectedText(); got != "first" {
			t.Errorf("a double click selects %q", got)
		}
		port.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at(2, 0)}, Button: desktop.MouseButtonPrimary})
		if port.SelectedText() != "" {
			t.Error("a click does not end the selection")
		}
		port.TypedRune('x')
		if b.pane.Compose.Entry.Text != "x" {
			t.Error("typing does not go to the composer")
		}
	})
}

func TestCopyTakesTheMarkdown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.pane.Send("q")
		b.run(0).Sent <- token("**bold** and `code`")
		b.Settle()
		b.pane.View.Act.CopyAnswer(entriesNow(b.pane.Chats.Shown())[1].Key)
		if got := fyne.CurrentApp().Clipboard().Content(); got != "**bold** and `code`" {
			t.Errorf("copied %q", got)
		}
	})
}

func TestAQuestionIsAnsweredInTheChat(t *testing.T) {
	const address = "https://evil.example/?d=green-tea"
	for _, tt := range []struct {
		button string
		answer agents.Answer
		see    string
	}{
		{"Allow once", agents.AnswerOnce, "you allowed once: " + address},
		{"Don't allow", agents.AnswerNo, "not done: " + address},
	} {
		t.Run(tt.button, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				b.pane.Send("read the page")
				b.Settle()
				if !b.turns.requests[0].CanAsk {
					t.Error("the turn was not told that it can ask")
				}
				q := agents.Question{ID: "call-1", Tool: "FETCH_URL", What: address, Where: "evil.example", Answers: []agents.Answer{agents.AnswerOnce, agents.AnswerNo, agents.AnswerNever}}
				b.run(0).Sent <- agents.Event{Type: agents.EventQuestion, Question: &q}
				b.run(0).Sent <- agents.Event{Type: agents.EventState, State: agents.StateAsking}
				b.Settle()
				b.Sees("an address of evil.example", address, "waiting for your answer")
				b.tap(tt.button)
				if got := b.run(0).Answers["call-1"]; got != tt.answer {
					t.Errorf("answered %q", got)
				}
				answered := q
				answered.Answer = tt.answer
				b.run(0).Sent <- agents.Event{Type: agents.EventQuestion, Question: &answered}
				b.Settle()
				b.Sees(tt.see)
				b.SeesNot("Allow once", "Don't allow")
			})
		})
	}
}

func TestEnterSendsAndShiftEnterDoesNot(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		e := b.pane.Compose.Entry
		test.Type(e, "one")
		e.KeyDown(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
		e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		e.KeyUp(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
		test.Type(e, "two")
		if e.Text != "one\ntwo" || len(b.turns.requests) != 0 {
			t.Fatalf("after Shift+Enter: %q, %d sent", e.Text, len(b.turns.requests))
		}
		e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if e.Text != "" || len(b.turns.requests) != 1 || b.turns.requests[0].Text != "one\ntwo" {
			t.Fatalf("after Enter: %q, sent %v", e.Text, b.turns.requests)
		}
		if r := b.turns.requests[0]; r.Holder != "window" || !strings.HasPrefix(r.Session, "cpu-") {
			t.Errorf("the request is %+v", r)
		}
	})
}

func TestNothingIsSentForBlanks(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		test.Type(b.pane.Compose.Entry, "  ")
		b.pane.Compose.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if len(b.turns.requests) != 0 {
			t.Error("blanks were sent")
		}
	})
}
