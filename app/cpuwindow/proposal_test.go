package cpuwindow

import (
	"context"
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/memory"
)

func (stubMemories) Accept(context.Context, string) (memory.Written, error) {
	return memory.Written{}, memory.ErrNoProposal
}

func (stubMemories) Discard(context.Context, string) (memory.Proposal, error) {
	return memory.Proposal{}, memory.ErrNoProposal
}

func (stubMemories) InboxPath() string { return "/data/agents/memory-inbox.md" }

// tap taps the only button with a label.
func (b *bench) tap(words string) {
	b.t.Helper()
	test.Tap(b.shownButton(words))
	b.Settle()
}

// shownButton returns the only button of the window with a label.
func (b *bench) shownButton(words string) *kit.Button {
	b.t.Helper()
	var found []*kit.Button
	for _, o := range test.LaidOutObjects(b.w.win.Canvas().Content()) {
		if btn, ok := o.(*kit.Button); ok && btn.Text == words && btn.Visible() {
			found = append(found, btn)
		}
	}
	if len(found) != 1 {
		b.t.Fatalf("%d buttons %q", len(found), words)
	}
	return found[0]
}

func TestAProposalIsDecidedInTheChat(t *testing.T) {
	for _, tt := range []struct{ name, button, see, memory string }{
		{"given Save, then the memory changes", "Save", "saved: proposed", "- Likes jazz\n"},
		{"given Discard, then it doesn't", "Discard", "discarded: proposed", "- Likes rock\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				m := memory.New(memory.Config{Root: t.TempDir()})
				b.with(func(p *parts) { p.memories = m })
				path := m.Path(memory.Target{Kind: memory.TargetGlobal})
				if _, err := m.Append(t.Context(), memory.Lesson{Text: "Likes rock"}); err != nil {
					t.Fatal(err)
				}
				p, err := m.Propose(t.Context(), memory.Proposal{Kind: memory.ProposeReplace, Old: "Likes rock", Text: "Likes jazz"})
				if err != nil {
					t.Fatal(err)
				}
				b.w.chat.Send("tidy up")
				b.Settle()
				b.run(0).events <- agents.Event{Type: agents.EventMemoryProposed, Memory: &agents.MemoryChange{Inbox: p.ID, Change: "replace", Old: p.Old, Text: p.Text}}
				b.Settle()
				b.Sees("Likes jazz", "in place of", "Likes rock", "Edit")
				b.tap(tt.button)
				b.Sees(tt.see)
				data, err := os.ReadFile(path)
				if err != nil || !strings.HasPrefix(string(data), strings.TrimSpace(tt.memory)) {
					t.Errorf("memory %q, %v", data, err)
				}
				if waiting, err := m.Inbox(); err != nil || len(waiting) != 0 {
					t.Errorf("waiting %v, %v", waiting, err)
				}
				if tt.button == "Save" {
					b.tap("Undo")
					if data, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(data), "- Likes rock") {
						t.Errorf("after Undo: %q, %v", data, err)
					}
				}
			})
		})
	}
}
