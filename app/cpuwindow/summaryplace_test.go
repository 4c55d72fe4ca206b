package cpuwindow

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/app/backend"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

func TestReadingAgainKeepsWhatTheTranscriptDoesNotHold(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		// given a turn with thoughts and a memory, when a summary is written after it,
		// then both are still there
		b := newBench(t).shown()
		b.w.chat.Send("q")
		ev := b.run(0).events
		ev <- agents.Event{Type: agents.EventState, State: agents.StateThinking, Block: "u0", Agent: "o", Model: "m"}
		ev <- agents.Event{Type: agents.EventThinking, Round: 1, Text: "deep thoughts", Agent: "o", Model: "m"}
		ev <- agents.Event{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "a lesson", UndoID: "7"}}
		ev <- agents.Event{Type: agents.EventUsage, Agent: "o", Usage: &agents.Usage{TokensPerSecond: 41}}
		ev <- agents.Event{Type: agents.EventDone, Round: 1, Text: "answer 0", Block: "a0", Agent: "o", Model: "m"}
		close(ev)
		b.Settle()
		c := b.w.chats().Shown()
		blocks := said(0, 1)
		blocks[1].Attrs = map[string]string{"tokens": "10+2/4096", "speed": "41.0"}
		thought := transcript.Block{ID: "t0", Kind: transcript.KindNote, Note: transcript.NoteThinking, Parent: "u0", Text: "deep thoughts"}
		c.Fill(transcriptOf(blocks[0], thought, blocks[1], summary("s1", "a0")))
		got := entryWords(c)
		want := []string{"user question 0", "head o m", "thinking deep thoughts", "note remembered “a lesson”", "answer answer 0", "summary in short s1"}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if h := entriesNow(c)[1]; h.Speed != 41 {
			t.Errorf("speed is %g", h.Speed)
		}
	})
}

func TestLessonsOfACompactionAreShownOnce(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.enter("q")
		b.finish(0, "u0")
		b.notify(backend.Notice{
			Kind: backend.NoticeMemory, Session: b.w.chats().Shown().Name, Text: "remembered", Time: time.Now(),
			Written:  []memory.Written{{Text: "short answers", UndoID: "7"}, {Text: "short answers", UndoID: "7"}, {Text: "tea", UndoID: "8"}},
			Proposed: []memory.Proposal{{ID: "p1", Kind: memory.ProposeAdd, Text: "likes cats", Why: memory.WhyStrangers}, {ID: "p2", Kind: memory.ProposeRemove, Old: "likes dogs"}},
		})
		b.Settle()
		var notes []string
		for _, e := range entriesNow(b.w.chats().Shown()) {
			if e.Kind == conversation.Note {
				notes = append(notes, e.Text+"|"+e.UndoID+"|"+e.Proposal)
			}
		}
		want := []string{
			"remembered “short answers”|7|", "remembered “tea”|8|",
			"proposed to remember “likes cats” · the conversation holds text of strangers||p1", "proposed to forget “likes dogs”||p2",
		}
		if d := cmp.Diff(want, notes); d != "" {
			t.Error(d)
		}
		b.Sees("Undo", "Save", "Discard", "Open inbox")
		b.notify(backend.Notice{Kind: backend.NoticeMemory, Session: "cpu-other", Written: []memory.Written{{Text: "elsewhere", UndoID: "9"}}})
		b.Settle()
		b.SeesNot("elsewhere")
	})
}
