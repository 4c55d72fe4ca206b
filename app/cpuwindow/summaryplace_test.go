package cpuwindow

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/app/backend"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/memory"
)

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
