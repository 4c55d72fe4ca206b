package cpuwindow

import (
	"context"

	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
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
