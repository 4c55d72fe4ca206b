package compose

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

// bench is a composer in a window.
type bench struct {
	*screentest.Screen
	c       *Composer
	did     []string // what the composer asked for
	drafts  []string
	texts   []string
	resized int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{Screen: screentest.New(t)}
	did := func(what string) func() { return func() { b.did = append(b.did, what) } }
	b.c = NewComposer(func(text string) { b.did = append(b.did, "send "+text) }, did("stop"), func(text string) { b.drafts = append(b.drafts, text) })
	b.c.OnAttach, b.c.Resized = did("attach"), func() { b.resized++ }
	b.c.OnRemove = func(i int) { b.did = append(b.did, "remove "+string(rune('0'+i))) }
	b.c.OnText = func(text string) { b.texts = append(b.texts, text) }
	b.c.Keys.OnLongPaste = func(string) { b.did = append(b.did, "long paste") }
	b.c.Keys.OnPasteImage, b.c.Keys.OnUp = did("image"), did("up")
	b.c.Keys.OnScroll = func(k *fyne.KeyEvent) { b.did = append(b.did, "scroll "+string(k.Name)) }
	b.Win = test.NewTempWindow(t, kit.Stack(0, b.c))
	b.Win.Resize(fyne.NewSize(500, 400))
	b.Win.Canvas().Focus(b.c.Entry)
	return b
}

func (b *bench) key(names ...fyne.KeyName) {
	for _, n := range names {
		b.c.Entry.TypedKey(&fyne.KeyEvent{Name: n})
	}
}

func (b *bench) paste(text string) {
	clip := fyne.CurrentApp().Clipboard()
	clip.SetContent(text)
	b.c.Entry.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clip})
}

// does fails the test unless the composer asked for these things since the last call.
func (b *bench) does(want ...string) {
	b.T.Helper()
	if got := strings.Join(b.did, "|"); got != strings.Join(want, "|") {
		b.T.Errorf("it asked for %q, want %q", got, want)
	}
	b.did = nil
}

func TestKeysOfTheComposer(t *testing.T) {
	b := newBench(t)
	b.key(fyne.KeyReturn) // nothing is written
	b.does()
	b.key(fyne.KeyUp)
	b.does("up")
	test.Type(b.c.Entry, "  one ")
	b.key(fyne.KeyUp) // moves the cursor
	b.c.Entry.KeyDown(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
	b.key(fyne.KeyReturn)
	b.c.Entry.KeyUp(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
	b.does()
	b.key(fyne.KeyPageUp, fyne.KeyPageDown, fyne.KeyEscape)
	b.does("scroll Prior", "scroll Next", "stop")
	b.c.SetText("  two\n")
	b.key(fyne.KeyEnter)
	b.does("send two")
	b.c.Keys.OnMenu = func(k *fyne.KeyEvent) bool { return k.Name == fyne.KeyReturn }
	b.key(fyne.KeyReturn, fyne.KeyEscape) // a menu lies over the field
	b.does("stop")
	var e any = b.c.Entry
	if f, ok := e.(fyne.Tabbable); ok && f.AcceptsTab() {
		t.Error("the composer takes Tab for itself")
	}
}

func TestTextIsADraftAndNewsForTheMenu(t *testing.T) {
	b := newBench(t)
	test.Type(b.c.Entry, "hi")
	if strings.Join(b.drafts, "|") != "h|hi" || strings.Join(b.texts, "|") != "h|hi" {
		t.Errorf("drafts %q, texts %q", b.drafts, b.texts)
	}
	b.c.SetText("another chat's")
	if len(b.drafts) != 2 || b.texts[2] != "" || b.c.Entry.Text != "another chat's" || b.c.Entry.CursorColumn != len("another chat's") {
		t.Errorf("drafts %q, texts %q, the cursor at %d", b.drafts, b.texts, b.c.Entry.CursorColumn)
	}
}

// What was pasted at the beginning isn't a command, until the field is empty again.
func TestPastedTextIsKnown(t *testing.T) {
	b := newBench(t)
	b.paste("/usr/bin")
	if !b.c.Keys.Pasted || b.c.Entry.Text != "/usr/bin" {
		t.Errorf("%q is pasted: %v", b.c.Entry.Text, b.c.Keys.Pasted)
	}
	b.c.SetText("")
	test.Type(b.c.Entry, "/new ")
	if b.paste("things"); b.c.Keys.Pasted {
		t.Error("what was typed first counts as pasted")
	}
	b.paste(strings.Repeat("long ", 2000))
	b.paste("")
	b.does("long paste", "image")
	if b.c.Entry.Text != "/new things" {
		t.Errorf("the field holds %d bytes", len(b.c.Entry.Text))
	}
	b.c.Entry.TypedShortcut(&fyne.ShortcutSelectAll{}) // not a paste
	b.paste("/etc")
	if !b.c.Keys.Pasted || b.c.Entry.Text != "/etc" {
		t.Errorf("%q in place of all is pasted: %v", b.c.Entry.Text, b.c.Keys.Pasted)
	}
}

func TestTheComposerGrowsWithItsText(t *testing.T) {
	b := newBench(t)
	one := b.c.MinSize().Height
	b.c.Entry.SetText(strings.Repeat("line\n", 4) + "line")
	five, resized := b.c.MinSize().Height, b.resized
	if five <= one || resized == 0 {
		t.Errorf("one line is %g high, five are %g, told %d times", one, five, resized)
	}
	b.c.Entry.SetText(strings.Repeat("line\n", 40))
	forty := b.c.MinSize().Height
	b.c.Entry.SetText(strings.Repeat("long ", 4000))
	if long := b.c.MinSize().Height; forty <= five || long != forty {
		t.Errorf("forty lines are %g high, a long text %g", forty, long)
	}
}

func TestProblemsAndFilesStandAboveTheText(t *testing.T) {
	b := newBench(t)
	b.c.Check = func(text string) string { return map[bool]string{true: "It is too long."}[len(text) > 3] }
	low := b.c.MinSize().Height
	b.c.SetHint("reading…")
	b.Sees("reading…")
	test.Type(b.c.Entry, "long")
	b.Sees("It is too long.")
	b.SeesNot("reading…")
	if b.c.MinSize().Height <= low {
		t.Error("the problem has no room")
	}
	b.c.Entry.SetText("")
	b.SeesNot("It is too long.")
	upload, err := attach.New(t.Context(), "notes.txt", []byte("apples"))
	if err != nil {
		t.Fatal(err)
	}
	stored := transcript.Attachment{Name: "a picture with a very long name that no chip has the room to show.png"}
	b.c.SetFiles(nil)
	b.c.SetFiles([]conversation.File{{Upload: upload}, {Stored: &stored}})
	b.Win.Resize(fyne.NewSize(501, 400))
	b.Sees("notes.txt · 6 bytes", "a picture with")
	if w := b.c.Chips.Objects[1].MinSize().Width; w != chipMax {
		t.Errorf("a long name is %g wide", w)
	}
	b.key(fyne.KeyReturn) // without a word
	b.c.Chips.Objects[1].(*Chip).Remove.Tapped(nil)
	test.Tap(b.c.Attach)
	b.does("send ", "remove 1", "attach")
	if b.c.SetFiles(nil); !b.c.Chips.Hidden {
		t.Error("without a file there is a row for them")
	}
}

func TestStopTakesThePlaceOfSend(t *testing.T) {
	b := newBench(t)
	b.Sees(">Send<")
	b.c.SetBusy(true)
	b.c.SetBusy(true)
	b.Sees(">Stop<")
	b.SeesNot(">Send<")
	b.Pushes(b.c, "Stop")
	b.does("stop")
	b.c.SetHint("stopping…")
	b.c.SetBusy(false)
	b.SeesNot(">Stop<", "stopping…")
	b.c.SetPlaceholder("Private: nothing is saved.")
	b.Sees("Private: nothing is saved.")
}

func TestTheFootShowsContextSummaryAndServer(t *testing.T) {
	screentest.New(t)
	opened := 0
	f := NewFoot(func() { opened++ })
	for name, tt := range map[string]struct {
		usage   *agents.Usage
		summary int
		meter   string
		role    fyne.ThemeColorName
		link    string
	}{
		"no answer yet": {nil, 0, "", "", ""},
		"half full":     {&agents.Usage{PromptTokens: 3000, AnswerTokens: 100, ContextSize: 8192}, 0, "3.1k of 8k", kit.RoleAccent, ""},
		"nearly full":   {&agents.Usage{PromptTokens: 7000, ContextSize: 8192}, 2, "7k of 8k", kit.RoleWarn, "2 older messages summarised"},
		"full":          {&agents.Usage{PromptTokens: 8000, ContextSize: 8192}, 0, "8k of 8k", kit.RoleHot, ""},
		"no known size": {&agents.Usage{PromptTokens: 8000}, 0, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f.SetUsage(tt.usage, tt.summary)
			if f.meter.Text != tt.meter || f.summary.Text != tt.link || f.bar.Hidden != (tt.meter == "") {
				t.Errorf("it says %q and %q", f.meter.Text, f.summary.Text)
			}
		})
	}
	f.SetUsage(&agents.Usage{PromptTokens: 1, ContextSize: 8192}, 3)
	f.Box.Resize(fyne.NewSize(700, 16))
	test.Tap(f.summary)
	f.SetServer("Ollama is down", true)
	f.SetServer("Ollama is down", true)
	if opened != 1 || f.server.Role != kit.RoleHot || f.server.Text != "Ollama is down" {
		t.Errorf("opened %d times; the server is %q in %s", opened, f.server.Text, f.server.Role)
	}
}

func TestTokensInWords(t *testing.T) {
	for n, want := range map[int]string{0: "0", 640: "640", 3100: "3.1k", 8192: "8k", 16384: "16k", 131072: "128k", 2000: "2k", 120_500: "121k"} {
		if got := TokensWords(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestWaitingMessagesAreListedAndActedOn(t *testing.T) {
	s := screentest.New(t)
	var did []string
	act := func(what string) func(int) { return func(id int) { did = append(did, what+string(rune('0'+id))) } }
	resized := 0
	q := NewQueue(act("edit"), act("drop"), act("send"), func() { resized++ })
	s.Win = test.NewTempWindow(t, q.Box)
	s.Win.Resize(fyne.NewSize(700, 400))
	upload, err := attach.New(t.Context(), "notes.txt", []byte("apples"))
	if err != nil {
		t.Fatal(err)
	}
	rows := []conversation.Queued{{Id: 1, Text: "one\ntwo"}, {Id: 2, Files: []conversation.File{{Upload: upload}}}, {Id: 3, Text: "three"}, {Id: 4, Text: "four"}, {Id: 5, Text: "five"}, {Id: 6, Text: "six"}}
	q.Show(rows, false)
	q.Show(rows, false)
	s.Sees("next", "waiting", "one two", "notes.txt", "and 2 more messages")
	s.SeesNot("five", " · notes.txt", "paused")
	for _, button := range []string{"Edit", "Delete", "Send now"} {
		s.Pushes(q.Box, button)
	}
	if strings.Join(did, " ") != "edit1 drop1 send1" || resized != 1 {
		t.Errorf("it did %q and told its size %d times", did, resized)
	}
	q.Show(rows[:2], true)
	s.Sees("paused")
	s.SeesNot("three", "more messages")
	if q.Show(nil, false); q.Box.Visible() {
		t.Error("without a message there is a queue")
	}
}
