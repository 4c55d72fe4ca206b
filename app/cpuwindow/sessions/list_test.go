package sessions

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func TestSessionsAreGroupedByDay(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return now.Add(-d) }
	infos := []transcript.Info{
		{Name: "cpu-1", Source: "cpu", Title: "a", Agent: "coder", Active: at(time.Hour)},
		{Name: "cli-2", Source: "cli", Title: "b", Active: at(2 * time.Hour)},
		{Name: "cpu-3", Source: "cpu", Active: at(20 * time.Hour)},
		{Name: "cpu-5", Source: "cpu", Title: "c", Active: at(4 * 24 * time.Hour)},
		{Name: "cpu-6", Source: "cpu", Title: "e", Active: at(12 * 24 * time.Hour), Archived: true},
		{Name: "cpu-4", Source: "cpu", Active: at(20 * 24 * time.Hour), Err: errors.New("binary")},
		{Name: "discord-7", Source: "discord", Title: "d", Active: at(630 * 24 * time.Hour)},
	}
	for i := range infos {
		infos[i].Path = infos[i].Name
	}
	want := []string{"# Today", "a|window · 11:00 · coder", "b|command line · 10:00", "# Yesterday", "cpu-3|window · 16:00", "# Previous 7 days", "c|window · Tuesday", "# November", "cpu-4|can't be read: binary", "# March 2025", "d|Discord · 1 Mar 2025", "# Archived · 1"}
	for _, archive := range []bool{false, true} {
		if archive {
			want = append(want, "e|window · 9 Nov")
		}
		var got []string
		for _, l := range Lines(infos, Notes{}, archive, now) {
			if l.Heading != "" {
				got = append(got, "# "+l.Heading)
				continue
			}
			got = append(got, l.Title+"|"+l.Meta)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// What a line tells besides its title and its day.
func TestALineTellsWhatIsSpecial(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		in    transcript.Info
		notes Notes
		want  string
	}{
		{"private", transcript.Info{Name: "cpu-1", Source: "cpu"}, Notes{}, "window · private"},
		{"a copy", transcript.Info{Name: "cpu-1", Path: "/x", Source: "cli", Copy: true, ReadOnly: true}, Notes{}, "command line · copy, read-only"},
		{"read-only", transcript.Info{Name: "cpu-1", Path: "/x", ReadOnly: true}, Notes{}, "file · read-only"},
		{"a question waits", transcript.Info{Name: "cpu-1", Path: "/x", Source: "cpu"}, Notes{Asking: map[string]bool{"cpu-1": true}}, "a question waits for you"},
		{"scheduled", transcript.Info{Name: "s-1", Path: "/x", Source: "schedule", Agent: "coder"}, Notes{}, "schedule · coder"},
		{"a heartbeat", transcript.Info{Name: "h-1", Path: "/x", Source: "heartbeat"}, Notes{}, "heartbeat"},
		{"from elsewhere", transcript.Info{Name: "m-1", Path: "/x", Source: "mastodon"}, Notes{}, "mastodon"},
	} {
		lines := Lines([]transcript.Info{tt.in}, tt.notes, false, now)
		if len(lines) != 2 || lines[0].Heading != "Undated" || lines[1].Meta != tt.want || lines[1].Title != tt.in.Name {
			t.Errorf("%s: %+v, want %q", tt.name, lines, tt.want)
		}
	}
}

func TestWhatCanBeContinued(t *testing.T) {
	for _, tt := range []struct {
		in   transcript.Info
		want bool
	}{
		{transcript.Info{Source: "cpu"}, true},
		{transcript.Info{Source: "cli"}, true},
		{transcript.Info{Source: "schedule"}, true},
		{transcript.Info{Source: "discord"}, false},
		{transcript.Info{}, false},
		{transcript.Info{Source: "cpu", ReadOnly: true}, false},
		{transcript.Info{Source: "cpu", Err: errors.New("x")}, false},
	} {
		if got := Continues(tt.in); got != tt.want {
			t.Errorf("%+v: %t", tt.in, got)
		}
	}
}

// listed is a window with a session list alone, and what it asked for.
type listed struct {
	*screentest.Screen
	list  *List
	infos []transcript.Info
	asked []string
	now   time.Time
}

// showing shows n sessions, one a day, the newest first.
func showing(t *testing.T, n int) *listed {
	t.Helper()
	l := &listed{Screen: screentest.New(t), now: time.Now()}
	note := func(format string, args ...any) { l.asked = append(l.asked, fmt.Sprintf(format, args...)) }
	l.list = NewList(Actions{
		Open: func(in transcript.Info) { note("open %s", in.Name) },
		Menu: func(in transcript.Info, pinned bool) *fyne.Menu {
			note("menu %s %t", in.Name, pinned)
			return fyne.NewMenu("", fyne.NewMenuItem("Delete", func() {}))
		},
		Rename: func(in transcript.Info, title string) { note("rename %s to %s", in.Name, title) },
		Remove: func(in transcript.Info) { note("remove %s", in.Name) }, Archive: func() { note("archive") },
		Leave: func() { note("leave") }, Typed: func(r rune) { note("typed %c", r) },
	})
	l.Win = test.NewTempWindow(t, l.list.Port)
	l.Win.SetPadded(false)
	l.Win.Resize(fyne.NewSize(kit.SidebarWidth, 400))
	for i := range n {
		name := fmt.Sprintf("cpu-%02d", i)
		l.infos = append(l.infos, transcript.Info{Name: name, Path: "/" + name, Source: "cpu", Title: fmt.Sprintf("session %d", i), Active: l.now.AddDate(0, 0, -i)})
	}
	l.show("")
	return l
}

// show draws the list; current is the name of the shown session.
func (l *listed) show(current string) {
	l.list.Show(Lines(l.infos, Notes{Shown: current}, false, l.now), current)
}

// press sends keys to what has the focus.
func (l *listed) press(keys ...fyne.KeyName) {
	for _, k := range keys {
		l.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k})
	}
}

func (l *listed) did(want ...string) {
	l.T.Helper()
	if diff := cmp.Diff(want, l.asked); diff != "" {
		l.T.Errorf("asked for (-want +got):\n%s", diff)
	}
	l.asked = nil
}

func (l *listed) visible(name string) bool {
	r, v := l.list.Rows[l.list.KeyOf(name)], l.list.Port
	return r != nil && r.Position().Y >= 0 && r.Position().Y+rowHeight <= v.Size().Height
}

func TestAnEmptyListSaysWhatAppearsThere(t *testing.T) {
	l := showing(t, 0)
	l.Sees("Your conversations appear here")
	l.Canvas().Focus(l.list.Port)
	l.press(fyne.KeyDown, fyne.KeyReturn, fyne.KeyDelete)
	l.did()
	if l.list.NextTo("cpu-00") != "" || l.list.KeyOf("cpu-00") != "" {
		t.Error("an empty list has sessions")
	}
}

// The list is one Tab stop with a cursor of its own.
func TestTheListByKeys(t *testing.T) {
	l := showing(t, 40)
	l.Canvas().Focus(l.list.Port)
	at := func(what, want string) {
		t.Helper()
		if l.list.Cursor != l.list.KeyOf(want) || !l.list.Rows[l.list.Cursor].Cursor || !l.visible(want) {
			t.Errorf("%s: the cursor is on %q, want %s; visible: %t", what, l.list.Cursor, want, l.visible(want))
		}
	}
	at("focused", "cpu-00")
	l.press(fyne.KeyUp)
	at("above the first", "cpu-00")
	l.press(fyne.KeyDown, fyne.KeyDown) // over a heading
	at("two below", "cpu-02")
	l.press(fyne.KeyEnd)
	at("at the end", "cpu-39")
	l.press(fyne.KeyDown)
	at("below the last", "cpu-39")
	l.press(fyne.KeyPageUp)
	if at := l.list.Cursor; at >= l.list.KeyOf("cpu-39") || at < l.list.KeyOf("cpu-30") {
		t.Errorf("a page up is %s", at)
	}
	l.press(fyne.KeyPageDown)
	at("and down", "cpu-39")
	l.press(fyne.KeyHome)
	at("at the beginning", "cpu-00")
	l.press(fyne.KeyReturn, fyne.KeySpace, fyne.KeyEscape, fyne.KeyDelete, fyne.KeyBackspace, fyne.KeyTab)
	l.did("open cpu-00", "open cpu-00", "leave", "remove cpu-00", "remove cpu-00")
	l.Canvas().Focused().TypedRune('x')
	l.did("typed x")
	l.Canvas().Unfocus()
	if l.list.Rows[l.list.Cursor].Cursor {
		t.Error("without the focus the cursor is shown")
	}
	// the cursor begins at the shown session
	l.list.Cursor = ""
	l.show("cpu-20")
	l.Canvas().Focus(l.list.Port)
	at("on the shown session", "cpu-20")
}

func TestTheMenuOfASession(t *testing.T) {
	l := showing(t, 3)
	row := l.list.Rows[l.list.KeyOf("cpu-00")]
	for how, open := range map[string]func(){
		"the menu key":   func() { l.press(desktop.KeyMenu) },
		"Shift+F10":      func() { l.press(fyne.KeyF10) },
		"a right click":  func() { test.TapSecondary(row) },
		"the three dots": func() { row.Tapped(&fyne.PointEvent{Position: fyne.NewPos(row.Size().Width-10, 20)}) },
	} {
		c := l.Canvas()
		c.Focus(l.list.Port) // a click takes it away
		open()
		if c.Overlays().Top() == nil {
			t.Errorf("%s opens no menu", how)
			continue
		}
		l.Sees("Delete")
		l.press(fyne.KeyEscape)
		l.did("menu cpu-00 false")
	}
}

func TestATitleIsEditedInPlace(t *testing.T) {
	l := showing(t, 3)
	l.infos[2].Err = errors.New("not text")
	l.show("")
	for name, tt := range map[string]struct {
		text string
		end  func()
		want []string
	}{
		"Enter":               {"Fan noise", func() { l.press(fyne.KeyReturn) }, []string{"rename cpu-01 to Fan noise"}},
		"Enter, unchanged":    {"session 1", func() { l.press(fyne.KeyEnter) }, nil},
		"Esc":                 {"Fan noise", func() { l.press(fyne.KeyEscape) }, nil},
		"the focus elsewhere": {"Fan noise", func() { l.Canvas().Unfocus() }, nil},
	} {
		l.Canvas().Focus(l.list.Port)
		l.list.MoveTo(l.list.KeyOf("cpu-01"))
		l.press(fyne.KeyF2)
		field, ok := l.Canvas().Focused().(*kit.Field)
		if !ok || field.SelectedText() != "session 1" || l.list.Editing != l.list.KeyOf("cpu-01") {
			t.Fatalf("%s: %T has the focus, edited is %q", name, l.Canvas().Focused(), l.list.Editing)
		}
		l.list.StartRename(l.list.KeyOf("cpu-01")) // again
		l.SeesNot("session 1 ·")
		l.press(fyne.KeyLeft)
		field.SetText(tt.text)
		tt.end()
		l.did(tt.want...)
		if name != "the focus elsewhere" && l.Canvas().Focused() != fyne.Focusable(l.list.Port) || l.list.Editing != "" {
			t.Errorf("%s: %T has the focus, edited is %q", name, l.Canvas().Focused(), l.list.Editing)
		}
	}
	l.list.StartRename(l.list.KeyOf("cpu-02"))
	l.list.StartRename("no such row")
	if l.list.Editing != "" {
		t.Error("a session that can't be read can be renamed")
	}
}

// A list at its top stays there; the shown session is scrolled into view once.
func TestTheShownSessionIsVisible(t *testing.T) {
	l := showing(t, 40)
	for _, name := range []string{"cpu-39", "cpu-20", "cpu-00"} {
		l.show(name)
		if !l.visible(name) || !l.list.Rows[l.list.KeyOf(name)].Current {
			t.Errorf("%s is shown, and isn't visible in the list at %g", name, l.list.Port.Offset)
		}
	}
	l.list.Port.ScrollTo(l.list.Port.MaxOffset())
	at := l.list.Port.Offset
	l.show("cpu-00") // drawn again; the reader looks elsewhere
	if l.list.Port.Offset != at {
		t.Errorf("the list was moved to %g", l.list.Port.Offset)
	}
	l.list.Port.ScrollTo(0)
	l.infos = append([]transcript.Info{{Name: "cli-new", Path: "/new", Source: "cli", Title: "newest", Active: l.now}}, l.infos...)
	l.show("cpu-20")
	l.list.Port.ScrollTo(0)
	l.show("cpu-20")
	if l.list.Port.Offset != 0 {
		t.Errorf("a list at its top was moved to %g", l.list.Port.Offset)
	}
	l.Sees("newest", "Today", "Yesterday")
}

// Rows that are still there are kept, and are drawn again only if they look different.
func TestRowsAreKept(t *testing.T) {
	l := showing(t, 3)
	first, head := l.list.Rows[l.list.KeyOf("cpu-00")], l.list.heads["group Today"]
	l.infos = l.infos[:2]
	l.infos[0].Title = "another title"
	l.show("cpu-01")
	if l.list.Rows[l.list.KeyOf("cpu-00")] != first || l.list.heads["group Today"] != head || len(l.list.Rows) != 2 {
		t.Error("the rows are new")
	}
	l.Sees("another title")
	for name, want := range map[string]string{"cpu-00": l.list.KeyOf("cpu-01"), "cpu-01": l.list.KeyOf("cpu-00"), "other": ""} {
		if got := l.list.NextTo(name); got != want {
			t.Errorf("after %s comes %q, want %q", name, got, want)
		}
	}
	l.infos = append(l.infos, transcript.Info{Name: "cpu-00", Path: "/copy", ReadOnly: true, Active: l.now})
	l.show("cpu-00")
	if l.list.KeyOf("cpu-00") != "/cpu-00" || l.list.Rows["/copy"].Current {
		t.Error("a copy is taken for the session")
	}
}

func TestArchivedSessionsFold(t *testing.T) {
	l := showing(t, 2)
	l.infos[1].Archived = true
	l.show("")
	l.Sees("Archived · 1 ›")
	l.Pushes(l.list.Port, "Archived · 1 ›")
	l.did("archive")
	l.list.Show(Lines(l.infos, Notes{}, true, l.now), "")
	l.Sees("Archived · 1 ⌄", "session 1")
}

func TestARowUnderThePointer(t *testing.T) {
	l := showing(t, 1)
	row := l.list.Rows["/cpu-00"]
	over := func(x float32) *desktop.MouseEvent {
		return &desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(x, 10)}}
	}
	shows := func(what string, more, menu bool) {
		t.Helper()
		if got := strings.Contains(l.Markup(), "⋯"); got != more || row.onMore != menu {
			t.Errorf("%s: the three dots show: %t, the pointer is on them: %t", what, got, row.onMore)
		}
	}
	shows("at rest", false, false)
	row.MouseIn(over(10))
	shows("under the pointer", true, false)
	row.MouseMoved(over(row.Size().Width - 5))
	shows("on the dots", true, true)
	row.MouseOut()
	shows("afterwards", false, false)
	test.TapAt(row, fyne.NewPos(10, 10))
	l.did("open cpu-00")
	l.list.Show([]Line{{key: "/a", Info: transcript.Info{Name: "a"}, Title: "unread", Unread: 2}, {key: "/b", Title: "asks", asks: true}, {key: "/c", Title: "broken", Meta: "can't be read", Failed: true}}, "")
	var texts []string
	for _, o := range test.LaidOutObjects(l.list.Port) {
		if x, ok := o.(*kit.Label); ok && x.Visible() {
			texts = append(texts, fmt.Sprintf("%s %t %s", x.Text, x.Style.Bold, x.Role))
		}
	}
	for _, want := range []string{"unread true " + string(kit.RoleText), "asks false " + string(kit.RoleText), "can't be read false " + string(kit.RoleHot)} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q in %q", want, texts)
		}
	}
}
