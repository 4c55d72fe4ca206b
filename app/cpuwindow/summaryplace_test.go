package cpuwindow

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/app/backend"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
)

func said(from, to int) []sessionmem.Block {
	var out []sessionmem.Block
	for i := from; i < to; i++ {
		out = append(out,
			sessionmem.Block{ID: fmt.Sprint("u", i), Kind: sessionmem.KindUser, Text: fmt.Sprint("question ", i)},
			sessionmem.Block{ID: fmt.Sprint("a", i), Kind: sessionmem.KindAssistant, Agent: "o", Model: "m", Parent: fmt.Sprint("u", i), Text: fmt.Sprint("answer ", i)})
	}
	return out
}

func summary(id, through string) sessionmem.Block {
	return sessionmem.Block{ID: id, Kind: sessionmem.KindSummary, Through: through, Text: "in short " + id}
}

func TestASummaryStandsBehindWhatItCovers(t *testing.T) {
	ended := sessionmem.Block{ID: "n1", Kind: sessionmem.KindNote, Note: sessionmem.NoteEnded}
	tests := []struct {
		name   string
		blocks []sessionmem.Block
		want   string
		count  int
	}{
		{"none", said(0, 1), "u0 a0", 0},
		{"kept messages stand below it", append(said(0, 4), summary("s1", "a1")), "u0 a0 u1 a1 s1 u2 a2 u3 a3", 4},
		{"the newest alone", append(append(said(0, 2), summary("s1", "a0")), append(said(2, 4), summary("s2", "a2"))...), "u0 a0 u1 a1 u2 a2 s2 u3 a3", 6},
		{"what it goes through is gone", append(said(0, 1), summary("s1", "x")), "u0 a0 s1", 2},
		{"before a new topic it counts no more", append(append(said(0, 1), summary("s1", "a0"), ended), said(1, 2)...), "u0 a0 s1 n1 u1 a1", 0},
		{"counted since the new topic", append(append(append(said(0, 2), ended), said(2, 4)...), summary("s1", "a2")), "u0 a0 u1 a1 n1 u2 a2 s1 u3 a3", 2},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			blocks, _, count := placeSummary(tc.blocks)
			var ids []string
			for _, b := range blocks {
				ids = append(ids, b.ID)
			}
			if got := strings.Join(ids, " "); got != tc.want || count != tc.count {
				t.Errorf("%s, %d; want %s, %d", got, count, tc.want, tc.count)
			}
		})
	}
}

func TestTheMeterOpensTheSummary(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.sessions.files["cpu-x"] = &sessionmem.Transcript{Info: sessionmem.Info{Name: "cpu-x", Path: "/x"}, Blocks: append(said(0, 100), summary("s1", "a95"))}
		b.shown()
		b.w.OpenSession("cpu-x")
		b.settle()
		b.sees("192 older messages summarised")
		b.seesNot("in short s1")
		b.w.openSummary()
		b.settle()
		b.sees("192 older messages summarised · hide", "in short s1")
	})
}

func TestOlderMessagesComeAboveAndTheSummaryGoesUp(t *testing.T) {
	tr := transcript(append(said(0, 100), summary("s1", "a20"))...)
	c := newConversation("cpu-1")
	c.fill(tr)
	if c.entries[0].kind != entrySummary || c.entries[0].count != 42 {
		t.Fatalf("first is %+v", c.entries[0])
	}
	for c.prepend(tr) && c.older > 0 {
	}
	var kinds []string
	for i, e := range c.entries {
		if e.kind == entrySummary {
			kinds = append(kinds, c.entries[i-1].doc.Text(), c.entries[i+1].text)
		}
	}
	if d := cmp.Diff([]string{"answer 20", "question 21"}, kinds); d != "" {
		t.Error(d)
	}
}

func TestReadingAgainKeepsWhatNoTranscriptHolds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		// given a turn with thoughts and a memory, when a summary is written behind it,
		// then both are still there
		b := newBench(t).shown()
		b.w.send("q")
		ev := b.run(0).events
		ev <- agents.Event{Type: agents.EventState, State: agents.StateThinking, Block: "u0", Agent: "o", Model: "m"}
		ev <- agents.Event{Type: agents.EventThinking, Round: 1, Text: "deep thoughts", Agent: "o", Model: "m"}
		ev <- agents.Event{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "a lesson", UndoID: "7"}}
		ev <- agents.Event{Type: agents.EventUsage, Agent: "o", Usage: &agents.Usage{TokensPerSecond: 41}}
		ev <- agents.Event{Type: agents.EventDone, Round: 1, Text: "answer 0", Block: "a0", Agent: "o", Model: "m"}
		close(ev)
		b.settle()
		c := b.w.shown
		c.fill(transcript(append(said(0, 1), summary("s1", "a0"))...))
		got := told(c)
		want := []string{"user question 0", "head o m", "thinking deep thoughts", "answer answer 0", "summary in short s1", "note remembered “a lesson”"}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if h := c.entries[1]; h.speed != 41 {
			t.Errorf("speed is %g", h.speed)
		}
	})
}

func TestWhatWasLearntBehindTheScenesIsShownOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.enter("q")
		b.finish(0, "u0")
		b.notify(backend.Notice{
			Kind: backend.NoticeMemory, Session: b.w.shown.name, Text: "remembered", Time: time.Now(),
			Written:  []sessionmem.Written{{Text: "short answers", UndoID: "7"}, {Text: "short answers", UndoID: "7"}, {Text: "tea", UndoID: "8"}},
			Proposed: []sessionmem.Proposal{{ID: "p1", Kind: sessionmem.ProposeAdd, Text: "likes cats", Why: sessionmem.WhyStrangers}, {ID: "p2", Kind: sessionmem.ProposeRemove, Old: "likes dogs"}},
		})
		b.settle()
		var notes []string
		for _, e := range b.w.shown.entries {
			if e.kind == entryNote {
				notes = append(notes, e.text+"|"+e.undoID+"|"+e.proposal)
			}
		}
		want := []string{
			"remembered “short answers”|7|", "remembered “tea”|8|",
			"proposed to remember “likes cats” · the conversation holds text of strangers||p1", "proposed to forget “likes dogs”||p2",
		}
		if d := cmp.Diff(want, notes); d != "" {
			t.Error(d)
		}
		b.sees("Undo", "Save", "Discard", "Open inbox")
		b.notify(backend.Notice{Kind: backend.NoticeMemory, Session: "cpu-other", Written: []sessionmem.Written{{Text: "elsewhere", UndoID: "9"}}})
		b.settle()
		b.seesNot("elsewhere")
	})
}

func TestAProposalIsEditedInPlace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		memory := b.w.parts.memories.(stubMemories).Memory
		b.w.parts.memories = memory
		global := sessionmem.Target{Kind: sessionmem.TargetGlobal}
		p, err := memory.Propose(t.Context(), sessionmem.Proposal{Kind: sessionmem.ProposeAdd, Target: global, Text: "likes cats"})
		if err != nil {
			t.Fatal(err)
		}
		b.w.send("q")
		b.run(0).events <- agents.Event{Type: agents.EventMemoryProposed, Memory: &agents.MemoryChange{Text: "likes cats", Inbox: p.ID, Change: "add"}}
		b.settle()
		e := b.w.shown.entries[1]
		b.w.chat.toggle(e.key)
		b.settle()
		b.sees("This is what will be remembered.", "Cancel")
		field, ok := b.w.win.Canvas().Focused().(*kit.Field)
		if !ok || field.Text != "likes cats" {
			t.Fatalf("the focus is in %T", b.w.win.Canvas().Focused())
		}
		field.SetText("likes big cats")
		field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.settle()
		b.sees("saved: proposed to remember “likes big cats”")
		b.seesNot("Discard")
		f, err := memory.Load(global)
		if err != nil || !strings.Contains(f.Text, "likes big cats") {
			t.Errorf("the memory holds %q, %v", f.Text, err)
		}
	})
}

func TestTheJumpCountsNewMessages(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.send("q")
		b.run(0).events <- token(strings.Repeat("long words\n\n", 60))
		b.settle()
		b.w.chat.port.ScrollTo(100)
		b.settle()
		b.sees("Jump to latest ↓")
		b.w.shown.enqueue("next", nil)
		b.run(0).events <- agents.Event{Type: agents.EventDone, Block: "a1", Agent: "orchestrator", Model: "m"}
		close(b.run(0).events)
		b.settle()
		b.sees("1 new message ↓")
		b.run(1).events <- token("more")
		b.settle()
		b.sees("2 new messages ↓")
		b.w.chat.port.ToEnd()
		b.w.chat.port.ScrollTo(100)
		b.sees("Jump to latest ↓")
	})
}
