package cpuwindow

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/backend"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// storeForgetter forgets text in the transcripts of the bench.
type storeForgetter struct{ f *forget.Forgetter }

func (s storeForgetter) ForgetPlan(ctx context.Context, sel forget.Selection) (*forget.Plan, error) {
	return s.f.Plan(ctx, sel)
}

func (s storeForgetter) Forget(ctx context.Context, p *forget.Plan) (forget.Report, error) {
	return s.f.Do(ctx, p)
}

// forgetting returns a window with two sessions to forget text in.
func forgetting(t *testing.T) (*bench, *sessionmem.Store) {
	t.Helper()
	b, store := newBench(t).withStore()
	b.said(store, "cpu-x", 0, "the zebra sleeps below the old bridge", "so it does")
	b.said(store, "cpu-y", 0, "another question", "another answer")
	root := filepath.Dir(filepath.Dir(infoOf(t, store, "cpu-x").Path))
	memory := memory.New(memory.Config{Root: root})
	b.with(func(p *parts) {
		p.forgetter = storeForgetter{forget.New(forget.Params{Root: root, Store: store, Memory: memory})}
	})
	b.shown()
	b.w.OpenSession("cpu-x")
	b.Settle()
	return b, store
}

func infoOf(t *testing.T, s *sessionmem.Store, name string) transcript.Info {
	t.Helper()
	list, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range list {
		if in.Name == name {
			return in
		}
	}
	t.Fatalf("%s is not listed", name)
	return transcript.Info{}
}

// forgetsFirst presses Forget in the menu of the first message.
func (b *bench) forgetsFirst() {
	b.t.Helper()
	b.button("More…", 0).OnTap()
	b.Settle()
	for _, k := range []fyne.KeyName{fyne.KeyUp, fyne.KeyReturn} { // the last entry
		b.focusedKey(k)
	}
}

func TestForgetAMessage(t *testing.T) {
	for name, tt := range map[string]struct {
		keys []fyne.KeyName
		back bool // Shift+Tab first
		gone bool
	}{
		"Enter alone is not enough": {[]fyne.KeyName{fyne.KeyReturn}, false, false},
		"Esc leaves all as it is":   {[]fyne.KeyName{fyne.KeyEscape}, false, false},
		"Shift+Tab and Enter":       {[]fyne.KeyName{fyne.KeyReturn}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b, store := forgetting(t)
				b.forgetsFirst()
				b.Settle()
				b.Sees("Forget this message?", "Will be erased", "These may repeat it.", "the zebra sleeps below the old bridge", "can't be undone")
				if tt.back {
					b.w.win.Canvas().FocusPrevious()
				}
				for _, k := range tt.keys {
					b.focusedKey(k)
				}
				b.notify(backend.Notice{Kind: backend.NoticeForgot, Forgot: func(string) bool { return false }})
				b.Settle()
				load, err := store.Load(t.Context(), "cpu-x")
				if err != nil {
					t.Fatal(err)
				}
				if gone := load.Blocks[0].Text == forgotten.Text; gone != tt.gone || load.Blocks[1].Text != "so it does" {
					t.Errorf("gone %v, want %v: %+v", gone, tt.gone, load.Blocks)
				}
				if tt.gone {
					b.Sees("Forgotten in", "your message · cpu-x")
					b.focusedKey(fyne.KeyReturn)
				}
				if overlay.OpenModal(b.w.win.Canvas()) != nil {
					t.Error("the sheet is still there")
				}
				if seen := strings.Contains(b.Markup(), "zebra"); seen == tt.gone {
					t.Errorf("on the screen: %v", seen)
				}
			})
		})
	}
}

func TestAForgottenMessageOffersNoActions(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, store := newBench(t).withStore()
		b.said(store, "cpu-x", 0, forgotten.Text, forgotten.Text)
		b.with(func(p *parts) { p.forgetter = storeForgetter{} })
		b.shown()
		b.w.OpenSession("cpu-x")
		b.Settle()
		b.Sees(forgotten.Text, "Edit")
		b.SeesNot(">Copy<", "Answer again", "Forget…")
	})
}

func TestForgetASessionFromItsMenu(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, store := forgetting(t)
		for _, item := range b.w.library.Menu(infoOf(t, store, "cpu-y"), false).Items {
			if item.Label == "Forget…" {
				item.Action()
			}
		}
		b.Settle()
		b.Sees("Forget everything said in “another question”?")
		b.w.win.Canvas().FocusPrevious()
		b.focusedKey(fyne.KeySpace)
		load, err := store.Load(t.Context(), "cpu-y")
		if err != nil || load.Blocks[0].Text != forgotten.Text || load.Blocks[1].Text != forgotten.Text {
			t.Errorf("%+v %v", load, err)
		}
	})
}

func TestDraftsWithForgottenTextAreDeleted(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, _ := forgetting(t)
		drafts := filepath.Join(b.home, "session", "drafts.json")
		writeText(t, drafts, "")
		if err := conversation.WriteDrafts(drafts, map[string]conversation.SavedDraft{"cpu-other": {Draft: "a zebra", Queue: []string{"fine", "zebras"}}}); err != nil {
			t.Fatal(err)
		}
		b.with(func(*parts) {})
		b.w.OpenSession("cpu-x")
		b.Settle()
		b.w.chat.Compose.SetText("about the zebra")
		b.w.chats().Shown().KeepDraft("about the zebra")
		b.w.chats().Shown().Enqueue("zebra too", nil)
		b.w.chats().Shown().Enqueue("fine", nil)
		b.notify(backend.Notice{Kind: backend.NoticeForgot, Forgot: func(text string) bool { return strings.Contains(text, "zebra") }})
		b.Settle()
		if got := b.w.chat.Compose.Entry.Text; got != "" {
			t.Errorf("the field holds %q", got)
		}
		b.w.chats().Drafts.Write()
		if k := conversation.ReadDrafts(drafts, func(string, time.Time) bool { return false })["cpu-other"]; k.Draft != "" || len(k.Queue) != 1 {
			t.Errorf("kept: %+v", k)
		}
		if q := b.w.chats().Shown().View(time.Now()).Queue; len(q) != 1 || q[0].Text != "fine" {
			t.Errorf("queue: %+v", q)
		}
	})
}

func TestAHiddenWindowDropsForgottenMessages(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, _ := forgetting(t)
		b.w.Hide()
		b.Settle()
		plan, err := b.w.parts.forgetter.ForgetPlan(t.Context(), forget.Selection{Text: "zebra"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.w.parts.forgetter.Forget(t.Context(), plan); err != nil {
			t.Fatal(err)
		}
		b.notify(backend.Notice{Kind: backend.NoticeForgot, Forgot: func(text string) bool { return strings.Contains(text, "zebra") }})
		b.Settle()
		for _, e := range b.w.chats().Shown().View(time.Now()).Entries {
			if strings.Contains(e.Text, "zebra") {
				t.Errorf("the hidden window still holds %q", e.Text)
			}
		}
	})
}
