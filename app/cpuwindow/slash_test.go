package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents/registry"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/memory"
)

// twoAgents is a roster with an agent that a message can name.
type twoAgents struct{ stubRoster }

func (twoAgents) Agents() []registry.Agent {
	return append(stubRoster{}.Agents(), registry.Agent{ID: "002", Slug: "coder", Name: "Coder", Description: "Writes code", Enabled: true})
}

func (twoAgents) Skills() []registry.Skill {
	return []registry.Skill{{Name: "release-notes", Description: "Writes release notes"}}
}

func slashBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.with(func(p *parts) { p.roster = twoAgents{stubRoster{p.roster.(stubRoster).Registry}} })
	return b.shown()
}

func TestSlashCommands(t *testing.T) {
	for name, tt := range map[string]struct {
		typed, pasted      string
		text, agent, skill string // of the request; text "" means no request
		draft              string
	}{
		"for an agent":             {typed: "/coder fix this", text: "fix this", agent: "coder"},
		"for a skill":              {typed: "/release-notes of today", text: "of today", skill: "release-notes"},
		"an agent, and no message": {typed: "/coder ", draft: "/coder "},
		"a broken agent":           {typed: "/broken do it", text: "/broken do it"},
		"a path":                   {typed: "/etc/hosts is empty", text: "/etc/hosts is empty"},
		"a path that is all":       {typed: "/etc", text: "/etc"},
		"a command":                {typed: "/new"},
		"a command, and a message": {typed: "/private is it?", draft: "is it?"},
		"a pasted path":            {pasted: "/usr/bin", text: "/usr/bin"},
		"a pasted command":         {pasted: "/new", text: "/new"},
		"a pasted beginning":       {pasted: "/new", typed: " things happen", text: "/new things happen"},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := slashBench(t)
				e := b.w.chat.Compose.Entry
				if tt.pasted != "" {
					clip := fyne.CurrentApp().Clipboard()
					clip.SetContent(tt.pasted)
					e.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clip})
				}
				test.Type(e, tt.typed)
				e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
				b.Settle()
				if len(b.turns.requests) != min(len(tt.text), 1) {
					t.Fatalf("%d requests", len(b.turns.requests))
				}
				if tt.text != "" {
					if r := b.turns.requests[0]; r.Text != tt.text || r.Agent != tt.agent || r.Skill != tt.skill {
						t.Errorf("the request is %+v", r)
					}
					b.Sees(tt.pasted + tt.typed) // unchanged
				}
				if got := b.w.chat.Compose.Entry.Text; got != tt.draft || b.w.chats().Shown().Draft() != tt.draft {
					t.Errorf("the composer holds %q", got)
				}
			})
		})
	}
}

func TestRememberAMessage(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		m := memory.New(memory.Config{Root: t.TempDir()})
		b.with(func(p *parts) { p.memories = m })
		b.w.OpenSession("cpu-x")
		b.Settle()
		remembered := func() string {
			f, err := m.Load(memory.Target{Kind: memory.TargetGlobal})
			if err != nil {
				t.Fatal(err)
			}
			return f.Text
		}
		test.Tap(b.button("Remember…", 0))
		b.Until("Remember this", "answer one with a page")
		b.Confirm("Save")
		b.Until("Remembered “answer one with a page”", "Show")
		b.tap("Undo")
		b.Until("No longer remembered")
		if got := remembered(); got != "" {
			t.Errorf("after Undo the memory says %q", got)
		}
		test.Tap(b.button("More…", 0)) // of a message of the user's
		b.focusedKey(fyne.KeyDown)
		b.focusedKey(fyne.KeyReturn)
		b.Until("Remember this", "question one")
		windowHost{b.w}.Escape()
		port := b.w.chat.View.Port
		for _, item := range port.OnMenu("one with", nil) {
			item.Action()
		}
		b.Until("Remember this")
		b.Confirm("Save")
		b.Until("Remembered “one with”")
		b.tap("Show")
		b.Until("All agents", "one with")
		windowHost{b.w}.ReadAt(b.sessions.files["cpu-x"].Info, "", "")
		b.Until("answer two")
		b.w.panes.reader.Rows.Port.OnMenu("answer two", nil)[0].Action()
		b.Until("Remember this")
		b.Confirm("Save")
		b.Until("Remembered “answer two”")
		b.w.chat.NewPrivateChat()
		b.w.chat.Send("/remember My secret plan")
		b.Settle()
		b.Sees("Nothing of a private chat is remembered")
	})
}
