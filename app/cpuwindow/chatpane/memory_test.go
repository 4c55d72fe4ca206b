package chatpane

import (
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/memory"
)

func TestAProposalIsDecidedInTheChat(t *testing.T) {
	for _, tt := range []struct{ name, button, see, memory string }{
		{"given Save, then the memory changes", "Save", "saved: proposed", "## Remembered\n\n- Likes jazz <!-- "},
		{"given Discard, then it doesn't", "Discard", "discarded: proposed", "## Remembered\n\n- Likes rock <!-- "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				m := b.memory
				path := m.Path(memory.Target{Kind: memory.TargetGlobal})
				if _, err := m.Append(t.Context(), memory.Lesson{Text: "Likes rock"}); err != nil {
					t.Fatal(err)
				}
				p, err := m.Propose(t.Context(), memory.Proposal{Kind: memory.ProposeReplace, Old: "Likes rock", Text: "Likes jazz"})
				if err != nil {
					t.Fatal(err)
				}
				b.pane.Send("tidy up")
				b.Settle()
				b.run(0).Sent <- agents.Event{Type: agents.EventMemoryProposed, Memory: &agents.MemoryChange{Inbox: p.ID, Change: "replace", Old: p.Old, Text: p.Text}}
				b.Settle()
				b.Sees("Likes jazz", "in place of", "Likes rock", "Edit")
				b.tap(tt.button)
				b.Sees(tt.see)
				data, err := os.ReadFile(path)
				if err != nil || !strings.HasPrefix(string(data), tt.memory) {
					t.Errorf("memory %q, %v", data, err)
				}
				if waiting, err := m.Inbox(); err != nil || len(waiting) != 0 {
					t.Errorf("waiting %v, %v", waiting, err)
				}
				if tt.button == "Save" {
					b.tap("Undo")
					if data, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(data), "## Remembered\n\n- Likes rock <!-- ") {
						t.Errorf("after Undo: %q, %v", data, err)
					}
				}
			})
		})
	}
}

func TestAProposalIsEditedInPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		files := b.memory
		global := memory.Target{Kind: memory.TargetGlobal}
		p, err := files.Propose(t.Context(), memory.Proposal{Kind: memory.ProposeAdd, Target: global, Text: "likes cats"})
		if err != nil {
			t.Fatal(err)
		}
		b.pane.Send("q")
		b.run(0).Sent <- agents.Event{Type: agents.EventMemoryProposed, Memory: &agents.MemoryChange{Text: "likes cats", Inbox: p.ID, Change: "add"}}
		b.Settle()
		e := entriesNow(b.pane.Chats.Shown())[1]
		b.pane.View.Toggle(e.Key)
		b.Settle()
		b.Sees("This is what will be remembered.", "Cancel")
		field, ok := b.Win.Canvas().Focused().(*kit.Field)
		if !ok || field.Text != "likes cats" {
			t.Fatalf("the focus is in %T", b.Win.Canvas().Focused())
		}
		field.SetText("likes big cats")
		field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.Settle()
		b.Sees("saved: proposed to remember “likes big cats”")
		b.SeesNot("Discard")
		f, err := files.Load(global)
		if err != nil || !strings.Contains(f.Text, "likes big cats") {
			t.Errorf("the memory holds %q, %v", f.Text, err)
		}
	})
}
