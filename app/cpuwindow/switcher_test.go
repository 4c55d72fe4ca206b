package cpuwindow

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/prose"
	"mac-stats/app/ui/screentest"
)

func TestEnterOpensAResultOfTheNewQuery(t *testing.T) {
	tests := map[string]struct {
		keys  func(b *bench)
		shown string // the shown session; "" while the switcher is still open
	}{
		"Enter before the result":            {func(b *bench) { b.switcherKey(fyne.KeyReturn) }, "cpu-fan"},
		"an arrow after Enter takes it back": {func(b *bench) { b.switcherKey(fyne.KeyReturn); b.switcherKey(fyne.KeyDown) }, ""},
		"Enter after the result":             {func(b *bench) { b.Settle(); b.switcherKey(fyne.KeyReturn) }, "cpu-fan"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				_, s := b.withStore()
				b.said(s, "cpu-fan", 2*time.Hour, "fan?", "loud")
				b.said(s, "cpu-disk", time.Hour, "disk?", "full")
				b.shown()
				// given recent sessions, the newest of which is not the wanted one
				b.w.commands.openSwitcher()
				b.Settle()
				b.w.commands.switcher.Entry.SetText("loud")
				tt.keys(b)
				b.Settle()
				if open := b.w.commands.switcher != nil; open != (tt.shown == "") {
					t.Fatalf("the switcher is open: %v", open)
				}
				if tt.shown != "" && b.w.chats().Shown().Name != tt.shown {
					t.Errorf("%s is shown, want %s", b.w.chats().Shown().Name, tt.shown)
				}
			})
		})
	}
}

func TestAHitMarksNoMatchesInsideWordsInTheChat(t *testing.T) {
	tests := map[string]struct {
		answer string
		marked int
	}{
		"words that start so, and parts of words": {"A fan of profane elefants has two fans.", 2},
		"only parts of words":                     {"Profane elefants.", 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				_, s := b.withStore()
				b.said(s, "cpu-fan", 2*time.Hour, "which one?", tt.answer)
				b.said(s, "cpu-disk", time.Hour, "disk?", "full")
				b.shown()
				b.w.commands.openSwitcher()
				b.Settle()
				b.w.commands.switcher.Entry.SetText("fan")
				b.Settle()
				b.switcherKey(fyne.KeyReturn)
				b.Settle()
				if got := b.marked(); b.w.chats().Shown().Name != "cpu-fan" || got != tt.marked {
					t.Errorf("%s is shown with %d marks, want %d", b.w.chats().Shown().Name, got, tt.marked)
				}
			})
		})
	}
}

func (b *bench) switcherKey(name fyne.KeyName) {
	b.w.commands.switcher.Entry.TypedKey(&fyne.KeyEvent{Name: name})
}

// marked returns the number of marked places in the chat.
func (b *bench) marked() (n int) {
	for _, p := range b.w.chat.View.Port.Rows {
		switch r := p.Row.(type) {
		case *prose.Text:
			n += len(r.Marks)
		case *column.Framed:
			n += len(r.Text.Marks)
		}
	}
	return n
}
