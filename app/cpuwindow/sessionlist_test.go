package cpuwindow

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// withStore uses real transcripts in a folder of their own.
func (b *bench) withStore() (*bench, *sessionmem.Store) {
	b.t.Helper()
	store := b.parts.library.(*sessionmem.Store)
	b.with(func(p *parts) { p.sessions = store })
	return b, store
}

func (b *bench) said(s *sessionmem.Store, name string, age time.Duration, texts ...string) {
	b.t.Helper()
	now := time.Now()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	if today := now.Sub(midnight); age < 24*time.Hour && today < 4*time.Hour { // hours ago must be today even shortly after midnight
		age = time.Duration(float64(age) * today.Hours() / 24)
	}
	at := now.Add(-age)
	for i, text := range texts {
		kind := []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[i%2]
		if _, err := s.Append(b.t.Context(), name, transcript.Block{ID: fmt.Sprintf("b%d", i), Kind: kind, Time: at, Text: text}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// titles returns the lines of the list, headings with a #.
func (b *bench) titles() []string {
	var out []string
	for _, l := range b.w.side.Lines {
		if l.Heading != "" {
			out = append(out, "# "+l.Heading)
		} else {
			out = append(out, l.Title)
		}
	}
	return out
}

func (b *bench) listed(want ...string) {
	b.t.Helper()
	if got := b.titles(); !slices.Equal(got, want) {
		b.t.Errorf("the list is %q, want %q", got, want)
	}
}

func (b *bench) press(keys ...fyne.KeyName) {
	b.t.Helper()
	for _, k := range keys {
		f := b.w.win.Canvas().Focused()
		if f == nil {
			b.t.Fatalf("nothing has the focus to take %s", k)
		}
		f.TypedKey(&fyne.KeyEvent{Name: k})
		b.Settle()
	}
}

func TestASessionIsRenamedInPlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-a", time.Hour, "fan?", "hot")
		b.said(s, "cpu-b", 2*time.Hour, "disk?")
		b.shown()
		c := b.w.win.Canvas()
		c.Focus(b.w.side.Port)
		b.press(fyne.KeyF2)
		e, ok := c.Focused().(*kit.Field)
		if !ok || e.Text != "fan?" || e.SelectedText() != "fan?" {
			t.Fatalf("the field is %T", c.Focused())
		}
		e.SetText("never mind")
		b.press(fyne.KeyEscape)
		b.listed("# Today", "fan?", "disk?")
		b.press(fyne.KeyF2) // the list has the focus again
		c.Focused().(*kit.Field).SetText("lost to a click")
		c.Focus(b.w.chat.Compose.Entry)
		b.Settle()
		b.listed("# Today", "fan?", "disk?")
		c.Focus(b.w.side.Port)
		b.press(fyne.KeyF2)
		c.Focused().(*kit.Field).SetText("  Why is   my 🌀 loud ")
		b.press(fyne.KeyReturn)
		b.listed("# Today", "Why is my 🌀 loud", "disk?")
		if c.Focused() != fyne.Focusable(b.w.side.Port) {
			t.Errorf("after it %T has the focus", c.Focused())
		}
		if tr, err := s.Load(t.Context(), "cpu-a"); err != nil || tr.Info.Title != "Why is my 🌀 loud" {
			t.Errorf("%+v, %v", tr, err)
		}
	})
}

func TestADeletedSessionCanBeRestoredForAWhile(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		if got := b.w.toast.Duration; got != 10*time.Second {
			t.Errorf("Undo is offered for %v", got)
		}
		b.w.toast.Duration = 400 * time.Millisecond
		b.said(s, "cpu-a", time.Hour, "fan?", "hot")
		b.said(s, "cpu-b", 2*time.Hour, "disk?")
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Settle()
		b.w.win.Canvas().Focus(b.w.side.Port)
		b.press(fyne.KeyDelete)
		b.Sees("Deleted “fan?”", "Undo")
		b.listed("# Today", "disk?")
		if b.w.chats().Shown().Name == "cpu-a" {
			t.Error("a deleted chat is still shown")
		}
		test.Tap(b.w.toast.Act)
		b.Settle()
		b.listed("# Today", "fan?", "disk?")
		if b.w.chats().Shown().Name != "cpu-a" || b.w.toast.Visible() {
			t.Errorf("%s is shown", b.w.chats().Shown().Name)
		}
		b.w.side.MoveTo(b.w.side.KeyOf("cpu-b"))
		b.w.win.Canvas().Focus(b.w.side.Port)
		b.press(fyne.KeyDelete)
		b.listed("# Today", "fan?")
		time.Sleep(450 * time.Millisecond)
		b.Settle()
		if b.w.toast.Visible() {
			t.Error("the offer stays")
		}
		if name, err := s.Undelete(t.Context(), ""); name != "cpu-b" || err != nil {
			t.Errorf("it is gone for good: %v", err)
		}
	})
}

// chooses runs an item of the menu of a session.
func (b *bench) chooses(in transcript.Info, pinned bool, label string) {
	b.t.Helper()
	for _, item := range b.w.library.Menu(in, pinned).Items {
		if item.Label == label {
			item.Action()
			return
		}
	}
	b.t.Fatalf("the menu has no %q", label)
}

func TestPinsAndUnreadCounts(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-a", time.Hour, "fan?", "hot")
		b.said(s, "discord-7", 2*time.Hour, "bots")
		if err := s.State().MarkRead(t.Context(), mustInfo(t, s, "discord-7")); err != nil {
			t.Fatal(err)
		}
		b.shown()
		b.chooses(mustInfo(t, s, "discord-7"), false, "Pin")
		b.Settle()
		b.listed("# Pinned", "bots", "# Today", "fan?")
		b.said(s, "discord-8", time.Minute, "one", "two")
		if _, err := s.Append(t.Context(), "discord-7", transcript.Block{Kind: transcript.KindUser, Text: "more"}); err != nil {
			t.Fatal(err)
		}
		b.w.library.Reload()
		b.Settle()
		b.Sees("1 new")
		b.w.OpenSession("discord-7")
		b.Settle()
		if l := b.w.side.Rows[b.w.side.KeyOf("discord-7")].Line; l.Unread != 0 {
			t.Errorf("what is looked at has %d new", l.Unread)
		}
		b.w.NewChat()
		b.Settle()
		if l := b.w.side.Rows[b.w.side.KeyOf("discord-7")].Line; l.Unread != 0 {
			t.Errorf("what was looked at has %d new", l.Unread)
		}
		b.chooses(mustInfo(t, s, "discord-7"), true, "Unpin")
		b.Settle()
		if got := b.titles(); slices.Contains(got, "# Pinned") {
			t.Errorf("%q", got)
		}
	})
}

func mustInfo(t *testing.T, s *sessionmem.Store, name string) transcript.Info {
	t.Helper()
	tr, err := s.Load(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return tr.Info
}

func TestBrokenFilesAreListedAndHideNothing(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-a", time.Hour, "fan?")
		dir := filepath.Dir(mustInfo(t, s, "cpu-a").Path)
		if err := os.Mkdir(filepath.Join(dir, "session-memory-cpu-bad-20260101-000000-x.md"), 0o700); err != nil {
			t.Fatal(err)
		}
		b.shown()
		b.Sees("fan?", "can't be read")
		for key, r := range b.w.side.Rows {
			if r.Line.Failed {
				b.w.side.StartRename(key)
			}
		}
		if b.w.side.Editing != "" {
			t.Error("a file that can't be read can be renamed")
		}
	})
}

func TestMenusOfTheList(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-a", time.Hour, "fan?", "hot")
		b.shown()
		c := b.w.win.Canvas()
		want := []string{"Rename", "Pin", "Fork into a new chat", "Open in editor", "Show in folder", "Export as Markdown", "Export as HTML", "Print or save as PDF…", "Copy as text", "Delete"}
		row := b.w.side.Rows[b.w.side.KeyOf("cpu-a")]
		for how, open := range map[string]func(){
			"the menu key":   func() { c.Focus(b.w.side.Port); b.press(desktop.KeyMenu) },
			"a right click":  func() { test.TapSecondary(row) },
			"the three dots": func() { row.Tapped(&fyne.PointEvent{Position: fyne.NewPos(row.Size().Width-10, 20)}) },
			"Shift+F10":      func() { c.Focus(b.w.side.Port); b.press(fyne.KeyF10) },
		} {
			open()
			if c.Overlays().Top() == nil {
				t.Errorf("%s opens no menu", how)
			}
			b.Sees(want...)
			for o := c.Overlays().Top(); o != nil; o = c.Overlays().Top() {
				c.Overlays().Remove(o)
			}
		}
	})
}

func TestForkAndCopyFromTheList(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "discord-7", time.Hour, "who?", "me")
		b.shown()
		b.w.library.Fork(b.w.library.Infos()[0], "")
		b.Settle()
		if !strings.HasPrefix(b.w.chats().Shown().Name, "cpu-") || b.w.chats().Shown().Title() != "who? (fork)" {
			t.Errorf("%s %q is shown", b.w.chats().Shown().Name, b.w.chats().Shown().Title())
		}
		b.Sees("who?", "me")
		b.w.library.Copy(mustInfo(t, s, "discord-7"))
		b.Settle()
		if got := b.w.p.App.Clipboard().Content(); !strings.Contains(got, "You, ") || !strings.Contains(got, ":\nwho?\n") {
			t.Errorf("copied %q", got)
		}
	})
}

// BenchmarkSessionList measures redrawing a list of 10,000 sessions, as after each change.
func BenchmarkSessionList(b *testing.B) {
	w := newBench(b)
	now := time.Now()
	for i := range 10_000 {
		w.sessions.infos = append(w.sessions.infos, transcript.Info{Name: fmt.Sprintf("cpu-%05d", i), Path: fmt.Sprintf("/s/%05d", i), Source: "cpu", Title: fmt.Sprintf("Session %d", i), Active: now.Add(-time.Duration(i) * time.Hour)})
	}
	w.shown()
	for b.Loop() {
		w.w.library.Draw()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
	b.ReportMetric(16, "ms-promised")
}

// A chat opened while another one is being deleted stays open.
func TestAChatOpenedDuringADeletionStaysOpen(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		gone, other := b.w.chats().Shown(), conversation.New("cpu-other")
		b.w.library.Delete(transcript.Info{Name: gone.Name})
		b.w.chat.Show(other)
		b.Settle()
		if b.w.chats().Shown() != other {
			t.Errorf("%s is shown", b.w.chats().Shown().Name)
		}
	})
}
