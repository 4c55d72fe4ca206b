package chatpane

import (
	"errors"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents/registry"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

// slashBench is a bench with an agent and a skill that a message can name.
func slashBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.roster.agents = append(b.roster.agents,
		registry.Agent{ID: "002", Slug: "coder", Name: "Coder", Description: "Writes code", Enabled: true},
		registry.Agent{ID: "009", Slug: "broken", Err: errors.New("agent.json: line 4")})
	b.roster.skills = []registry.Skill{{Name: "release-notes", Description: "Writes release notes"}, {Name: "torn", Err: errors.New("no frontmatter")}}
	return b.shown()
}

func TestTheAgentOfAMessageIsKept(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := slashBench(t)
		b.saved("cpu-x",
			transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "fix this", Attrs: map[string]string{"to": "coder"}},
			transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Agent: "coder", Model: "m", Parent: "u1", Text: "fixed"})
		b.pane.OpenSession("cpu-x")
		b.Settle()
		b.Sees("/coder fix this")
		if b.pane.Chats.Shown().Differs(b.onDisk("cpu-x").Blocks) {
			t.Error("it seems to have been changed")
		}
		test.Tap(b.button("Edit", 0))
		b.Settle()
		entry := b.Win.Canvas().Focused().(*kit.Field)
		entry.SetText(entry.Text + " now")
		entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		b.Settle()
		if r := b.turns.requests[0]; r.Edit != "u1" || r.Agent != "coder" || r.Text != "fix this now" {
			t.Errorf("the request is %+v", r)
		}
		b.pane.Send("/coder and then") // it is queued
		b.finish(0, "u3")
		b.Settle()
		if r := b.turns.requests[1]; r.Agent != "coder" || r.Text != "and then" {
			t.Errorf("the one that waited is %+v", r)
		}
	})
}

func TestAForgottenMessageShowsNoAgent(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.saved("cpu-x", transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: forgotten.Text, Attrs: map[string]string{"to": "coder"}})
		b.shown()
		b.pane.OpenSession("cpu-x")
		b.Settle()
		b.Sees(forgotten.Text)
		b.SeesNot("/coder", "More…", ">Copy<")
	})
}
