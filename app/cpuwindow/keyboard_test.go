package cpuwindow

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

// focusName returns the label of the focused control.
func (b *bench) focusName() string {
	switch f := b.w.win.Canvas().Focused().(type) {
	case *kit.Field:
		if f != b.w.chat.Compose.Entry {
			return "a field"
		}
		return "composer"
	case *kit.Button:
		return f.Text
	case *kit.Tappable:
		return "call"
	case *column.Viewport:
		if f == b.w.side.Port {
			return "session " + b.w.side.Rows[b.w.side.Cursor].Line.Title
		}
		return "chat"
	case nil:
		return "nothing"
	default:
		return fmt.Sprintf("%T", f)
	}
}

func (b *bench) withSessions(n int) *bench {
	for i := range n {
		b.sessions.infos = append(b.sessions.infos, transcript.Info{Name: fmt.Sprintf("cpu-old-%02d", i), Path: fmt.Sprintf("cpu-old-%02d", i), Source: "cpu", Title: fmt.Sprintf("s%02d", i), Active: time.Now().Add(-time.Duration(i) * time.Second)})
	}
	return b
}

func TestTabGoesThroughTheWholeWindowAndBack(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).withSessions(20).shown()
		b.w.chat.Send("q")
		ev := b.run(0).Sent
		ev <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "orchestrator", Model: "m"}
		ev <- agents.Event{Type: agents.EventSubcallStart, Call: &agents.Call{ID: "c1", Name: "coder", Task: "write it"}}
		ev <- agents.Event{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "x", UndoID: "1"}}
		b.Settle()
		b.w.SetNotice("Something.")
		c := b.w.win.Canvas()
		c.Focus(b.w.chat.Compose.Entry)
		var names []string
		for range 80 {
			c.FocusNext()
			names = append(names, b.focusName())
			if b.focusName() == "composer" {
				break
			}
		}
		if names[len(names)-1] != "composer" {
			t.Fatalf("Tab does not come round: %v", names)
		}
		want := []string{"New chat", "Search", "Memory", "Agents", "Transcript", "Settings", "orchestrator", "automatic model", "Dismiss", "chat", "Copy", "Edit", "call", "Stop", "Undo"}
		want = append(want, "session s00") // one stop: the arrow keys move within it
		for _, w := range want {
			if !slices.Contains(names, w) {
				t.Errorf("Tab does not reach %q: %v", w, names)
			}
		}
		if before, after := slices.Index(names, "New chat"), slices.Index(names, "session s00"); before > after {
			t.Errorf("the list comes before New chat: %v", names)
		}
		var back []string
		for range 80 {
			c.FocusPrevious()
			back = append(back, b.focusName())
			if b.focusName() == "composer" {
				break
			}
		}
		if len(back) != len(names) {
			t.Errorf("there are %d steps forth and %d back: %v", len(names), len(back), back)
		}
	})
}

func TestFocusedControlIsPressedByKeyAndShowsFocus(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).withSessions(3).shown()
		b.w.chat.Send("q")
		b.run(0).Sent <- agents.Event{Type: agents.EventTool, Call: &agents.Call{ID: "c1", Name: "system_stats", Done: true, Result: "cpu 3 %\nmemory 4 GB"}}
		b.Settle()
		c := b.w.win.Canvas()
		row := b.w.chat.View.Built[entriesNow(b.w.chats().Shown())[1].Key].Call.Content.(*kit.Tappable)
		for c.Focused() != fyne.Focusable(row) {
			c.FocusNext()
			if b.focusName() == "composer" {
				t.Fatal("Tab does not reach the row")
			}
		}
		if row.Bg.Stroke != kit.RoleAccent {
			t.Errorf("the line of a focused row is %q", row.Bg.Stroke)
		}
		row.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.Settle()
		b.Sees("memory 4 GB")
		list := b.w.side.Port
		c.Focus(list)
		if first := b.w.side.Rows["cpu-old-00"]; row.Bg.Stroke == kit.RoleAccent || !first.Cursor {
			t.Errorf("the line of the row is %q, the session has the cursor: %v", row.Bg.Stroke, first.Cursor)
		}
		list.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
		if got := b.focusName(); got != "session s01" {
			t.Errorf("Down goes to %s", got)
		}
		list.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if b.w.chats().Shown().Name != "cpu-old-01" {
			t.Errorf("Enter opened %s", b.w.chats().Shown().Name)
		}
		b.w.SetNotice("Something.")
		for _, o := range []*kit.Button{b.w.chat.Head.Agent, b.w.side.pages[pageMemory], b.shownButton("Dismiss")} {
			c.Focus(o)
			if _, line, _ := o.Roles(); line != kit.RoleAccent {
				t.Errorf("the line of %q is %q", o.Text, line)
			}
		}
	})
}

func TestEscapeStopsFromAnywhere(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.chat.Send("q")
		b.Settle()
		b.w.chat.Head.Agent.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		if !b.run(0).Stopped {
			t.Error("Esc on a button did not stop the run")
		}
	})
}

func TestTheSessionListStaysAtItsTop(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		for _, n := range []int{7, 9, 40} {
			b := newBench(t).withSessions(n).shown()
			list := b.w.side.Port
			list.ScrollTo(list.Offset + 20)
			list.ScrollTo(0)
			b.w.library.Reload()
			b.Settle()
			if list.Offset != 0 {
				t.Errorf("%d sessions: the list is at %v", n, list.Offset)
			}
			b.sessions.infos = append([]transcript.Info{{Name: "cli-new", Source: "cli", Title: "newest", Active: time.Now()}}, b.sessions.infos...)
			b.w.library.Reload()
			b.Settle()
			if list.Offset != 0 {
				t.Errorf("%d sessions and a new one: the list is at %v", n, list.Offset)
			}
			b.Sees("newest", "Today")
		}
	})
}

func TestTheCurrentSessionIsVisible(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).withSessions(40).shown()
		list := b.w.side.Port
		inSight := func() bool {
			for _, p := range list.Rows {
				if p.Row == kit.Row(b.w.side.Rows[b.w.chats().Shown().Name]) {
					return p.Top >= list.Offset && p.Top+p.Height <= list.Offset+list.Size().Height
				}
			}
			return false
		}
		for _, name := range []string{"cpu-old-39", "cpu-old-20", "cpu-old-00"} {
			b.w.OpenSession(name)
			b.Settle()
			if !inSight() {
				t.Errorf("%s is open and out of sight, the list is at %v", name, list.Offset)
			}
		}
		list.ScrollTo(list.MaxOffset())
		b.w.NewChat()
		b.w.chat.Send("what now?")
		b.sessions.infos = append([]transcript.Info{{Name: b.w.chats().Shown().Name, Source: "cpu", Title: "what now?", Active: time.Now()}}, b.sessions.infos...)
		b.w.library.Reload()
		b.Settle()
		if !inSight() {
			t.Errorf("the new chat is out of sight, the list is at %v", list.Offset)
		}
	})
}

func TestOneRowIsSelectedAtATime(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).withSessions(2).shown()
		b.w.OpenSession("cpu-old-00")
		b.Settle()
		b.w.ShowSettings()
		b.Settle()
		if b.w.side.Rows["cpu-old-00"].Current || !b.w.side.pages[pageSettings].Selected {
			t.Error("a session is selected beside Settings")
		}
		b.w.showPage(pageChat)
		b.Settle()
		if !b.w.side.Rows["cpu-old-00"].Current || b.w.side.pages[pageSettings].Selected {
			t.Error("the session is not selected again")
		}
	})
}

func TestANarrowWindowNamesNewChatOnce(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.win.Resize(fyne.NewSize(420, 700))
		if strings.Count(b.Markup(), ">New chat<") != 1 { // its title
			t.Error("an empty chat offers a new chat")
		}
		b.w.chat.Send("q")
		b.Settle()
		if strings.Count(b.Markup(), ">New chat<") != 1 {
			t.Error("a chat does not offer a new one")
		}
	})
}

func TestMenusHaveKeys(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.chat.Compose.Entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyL, Modifier: fyne.KeyModifierShortcutDefault})
		own := 0
		m := header.DemoMenu(func() { own++ }, b.w.quit)
		if len(m.Items) != 2 || !strings.HasPrefix(m.Items[0].Label, "Leave the demo") || !strings.HasPrefix(m.Items[1].Label, "Quit") {
			t.Fatalf("the demo's menu is %+v", m.Items)
		}
		m.Items[0].Action()
		if own != 1 || b.quits != 0 {
			t.Errorf("leaving the demo went to one's own data %d times and quit %d times", own, b.quits)
		}
		m.Items[1].Action()
		if b.quits != 1 {
			t.Error("quitting the demo does not quit")
		}
		if m = header.DemoMenu(nil, b.w.quit); len(m.Items) != 1 {
			t.Errorf("where there is no way to one's own data, the menu is %+v", m.Items)
		}
	})
}

func TestLettersGoToTheMessage(t *testing.T) {
	tests := map[string]struct {
		focus func(b *bench) fyne.Focusable
		page  page
		want  string
	}{
		"from the list":                     {func(b *bench) fyne.Focusable { return b.w.side.Port }, pageChat, "hi"},
		"from the list beside another page": {func(b *bench) fyne.Focusable { return b.w.side.Port }, pageMemory, "hi"},
		"from a button":                     {func(b *bench) fyne.Focusable { return b.w.chat.Head.Agent }, pageChat, "hi"},
		"from nowhere":                      {func(*bench) fyne.Focusable { return nil }, pageChat, "hi"},
		"not from nowhere on another page":  {func(*bench) fyne.Focusable { return nil }, pageSettings, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				if test.page != pageChat {
					b.w.showPage(test.page)
					b.Settle()
				}
				c := b.w.win.Canvas()
				if f := test.focus(b); f != nil {
					c.Focus(f)
				} else {
					c.Unfocus()
				}
				for _, r := range " hi" {
					if f := c.Focused(); f != nil {
						f.TypedRune(r)
					} else {
						c.OnTypedRune()(r)
					}
				}
				if got := b.w.chat.Compose.Entry.Text; got != test.want {
					t.Errorf("the message is %q, want %q", got, test.want)
				}
				if test.want != "" && c.Focused() != fyne.Focusable(b.w.chat.Compose.Entry) {
					t.Errorf("%T has the focus, want the message", c.Focused())
				}
			})
		})
	}
}

// The canvas sends a key first, then its letter, to whatever has the focus at that time.
func TestSpacePressesAndIsNotTypedIntoWhatOpens(t *testing.T) {
	tests := map[string]struct {
		focus func(b *bench) fyne.Focusable
		opens func(b *bench) string // returns the text of the field that has opened
	}{
		"New chat":       {func(b *bench) fyne.Focusable { return b.w.side.fresh }, func(b *bench) string { return b.w.chat.Compose.Entry.Text }},
		"Search":         {func(b *bench) fyne.Focusable { return b.w.side.find }, func(b *bench) string { return b.w.commands.switcher.Entry.Text }},
		"a conversation": {func(b *bench) fyne.Focusable { return b.w.side.Port }, func(b *bench) string { return b.w.chat.Compose.Entry.Text }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).withSessions(3).shown()
				c := b.w.win.Canvas()
				c.Focus(tt.focus(b))
				c.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
				c.Focused().TypedRune(' ')
				b.Settle()
				switch c.Focused().(type) {
				case *kit.Field:
				default:
					t.Fatalf("nothing opened: %T has the focus", c.Focused())
				}
				if text := tt.opens(b); text != "" {
					t.Errorf("it begins with %q", text)
				}
			})
		})
	}
}

// Letters typed on a page that covers the chat don't go into the hidden message.
func TestAPageTakesTheFocusFromTheMessage(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		c := b.w.win.Canvas()
		if c.Focused() != fyne.Focusable(b.w.chat.Compose.Entry) {
			t.Fatalf("%T has the focus", c.Focused())
		}
		b.w.ShowSettings()
		b.Settle()
		for _, r := range "hi" {
			if f := c.Focused(); f != nil {
				f.TypedRune(r)
			}
		}
		if got := b.w.chat.Compose.Entry.Text; got != "" {
			t.Errorf("the message that nobody sees is %q", got)
		}
		b.w.ShowSettings() // again, as from the tray's menu
		if b.w.panes.page != pageSettings {
			t.Error("asked for once more, the settings go away")
		}
		b.w.chat.FocusChat()
		if c.Focused() != fyne.Focusable(b.w.chat.Compose.Entry) {
			t.Errorf("back in the chat %T has the focus", c.Focused())
		}
	})
}
