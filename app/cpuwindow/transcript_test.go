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

	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/transcripts"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// branched writes a session with an abandoned branch, a sub-call, a tool and a Summary.
func (b *bench) branched(s *sessionmem.Store, name string) {
	b.t.Helper()
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.Local)
	for i, blk := range []transcript.Block{
		{ID: "q1", Kind: transcript.KindUser, Text: "why is it loud"},
		{ID: "s1", Kind: transcript.KindAgent, Agent: "doctor", Task: "find it", Parent: "q1", Text: "It is the zebra process."},
		{ID: "a1", Kind: transcript.KindAssistant, Agent: "orchestrator", Model: "qwen3:8b", Parent: "q1", Text: "Because of `indexing`.\n\n```sh\nzebra --stop\n```"},
		{ID: "q2", Kind: transcript.KindUser, Text: "how long, the zebra way"},
		{ID: "a2", Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "q2", Text: "Long."},
		{ID: "n1", Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: "q2"},
		{ID: "q3", Kind: transcript.KindUser, Text: "how long exactly"},
		{ID: "a3", Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "q3", Text: "20 minutes."},
	} {
		blk.Time = at.Add(time.Duration(i) * time.Minute)
		if _, err := s.Append(b.t.Context(), name, blk); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) reads(s *sessionmem.Store, name, block string) *transcripts.View {
	b.t.Helper()
	tr, err := s.Load(b.t.Context(), name)
	if err != nil {
		b.t.Fatal(err)
	}
	windowHost{b.w}.ReadAt(tr.Info, block, "")
	b.Settle()
	return b.w.panes.reader.View
}

// tapWord presses the nth button of a label in the viewer.
func (b *bench) tapWord(label string, nth int) {
	b.t.Helper()
	for _, o := range test.LaidOutObjects(b.w.panes.reader.Object) {
		if btn, ok := o.(*kit.Button); ok && btn.Text == label {
			if nth == 0 {
				btn.Tapped(nil)
				b.Settle()
				return
			}
			nth--
		}
	}
	b.t.Fatalf("there is no button %q", label)
}

func TestForkAndContinueFromHere(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.w.win.Resize(fyne.NewSize(980, 1400))
		b.branched(s, "cpu-a")
		b.shown()
		b.reads(s, "cpu-a", "")
		b.tapWord("Fork from here", 0)
		fork := b.w.chats().Shown().Name
		if fork == "cpu-a" || b.w.panes.page != pageChat {
			t.Fatalf("%s is shown", fork)
		}
		if tr, err := s.Load(t.Context(), fork); err != nil || tr.Blocks[len(tr.Blocks)-3].ID != "a1" {
			t.Errorf("the fork is %+v, %v", tr, err)
		}
		b.reads(s, "cpu-a", "")
		b.tapWord("Continue from here", 0)
		if b.w.chats().Shown().Name != "cpu-a" || b.w.panes.page != pageChat {
			t.Fatalf("%s is shown", b.w.chats().Shown().Name)
		}
		b.SeesNot("how long exactly")
		if ctx, err := s.Context(t.Context(), "cpu-a"); err != nil || len(ctx.Messages) != 2 {
			t.Errorf("the context is %+v, %v", ctx, err)
		}
	})
}

func TestAChannelIsReadAndNotContinued(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		if _, err := s.Append(t.Context(), "discord-9", transcript.Block{Kind: transcript.KindUser, Text: "hi", Attrs: map[string]string{"author": "Ann B."}}); err != nil {
			t.Fatal(err)
		}
		b.shown()
		libraryHost{windowHost{b.w}}.OpenInfo(b.w.library.Infos()[0])
		b.Settle()
		b.Sees("Ann B.", "Discord · 1 message", "Fork")
		b.SeesNot("Continue")
	})
}

func TestAnyFormOfATranscriptCanBeRead(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.said(s, "cpu-a", time.Hour, "q")
		dir := filepath.Dir(mustInfo(t, s, "cpu-a").Path)
		for name, text := range map[string]string{
			"session-memory-cpu-new-20260101-000000-x.md":   "---\nformat: mac-stats-session/9\ntitle: future\n---\n\n## User · 2026-01-01T00:00:00Z\n\nhello\n\n## Hologram · 2026-01-01T00:00:01Z\n\na picture\n",
			"session-memory-old-1234567-20250101-000000.md": "## User\n\nold words\n\n## Assistant\n\nold answer\n",
			"stray.md": "just some text\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b.shown()
		for title, want := range map[string][]string{
			"future":    {"hello", "a picture", "read-only"},
			"old words": {"old words", "old answer", "Discord"},
			"stray":     {"just some text"},
		} {
			at := slices.IndexFunc(b.w.side.Lines, func(l sessions.Line) bool { return l.Title == title })
			if at < 0 {
				t.Fatalf("%q is not in %q", title, b.titles())
			}
			windowHost{b.w}.ReadAt(b.w.side.Lines[at].Info, "", "")
			b.Settle()
			b.Sees(want...)
		}
		other := filepath.Join(t.TempDir(), "elsewhere.md")
		readerHost{windowHost{b.w}}.openFile(other)
		b.Settle()
		b.Sees("This transcript can't be read", "such") // "no such file": the line may wrap between words
		if err := os.WriteFile(other, []byte("## User\n\nfrom elsewhere\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		readerHost{windowHost{b.w}}.openFile(other)
		b.Settle()
		b.Sees("from elsewhere")
	})
}

func TestEditsMadeOutsideAppearInTheViewer(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.branched(s, "cpu-a")
		b.shown()
		b.reads(s, "cpu-a", "")
		path := mustInfo(t, s, "cpu-a").Path
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(data), "why is it loud", "why is it quiet")), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * watchEvery)
		b.Settle()
		b.Sees("why is it quiet")
		if got := b.w.panes.reader.Read.Blocks[0].Text; got != "why is it quiet" {
			t.Errorf("%q", got)
		}
	})
}

// longTranscript returns a transcript of n messages in turns of two.
func longTranscript(n int) *transcript.Transcript {
	t := &transcript.Transcript{Info: transcript.Info{Name: "cpu-long", Source: "cpu", Path: "/s", Title: "long", Messages: n}}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		kind, text := transcript.KindUser, fmt.Sprintf("question %d", i)
		if i%2 == 1 {
			kind, text = transcript.KindAssistant, fmt.Sprintf("Answer %d with *some* words.\n\n- one\n- two\n\n```go\nfmt.Println(%d)\n```", i, i)
		}
		t.Blocks = append(t.Blocks, transcript.Block{ID: fmt.Sprintf("b%d", i), Kind: kind, Agent: "orchestrator", Time: at.Add(time.Duration(i) * time.Minute), Text: text})
	}
	return t
}

// settle2 runs the UI goroutine until the viewer has its rows.
func (b *bench) settle2() {
	for b.w.panes.reader.Busy {
		(<-b.Queue)()
	}
}

// BenchmarkOpenTranscript measures opening a transcript of 5,000 messages in the viewer, from the
// blocks in memory to the rows, and showing its middle.
func BenchmarkOpenTranscript(b *testing.B) {
	w := newBench(b).shown()
	w.w.showPage(pageTranscript)
	t := longTranscript(5000)
	for b.Loop() {
		w.w.panes.reader.Show(t, "b2500", "")
		w.settle2()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
	b.ReportMetric(150, "ms-promised")
}

func TestSearchOpensTheSessionAtThePlace(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.branched(s, "cpu-a")
		b.said(s, "cli-b", time.Hour, "Über den Fächer", "nichts")
		b.said(s, "discord-9", 2*time.Hour, "a needle in a channel")
		b.shown()
		c := b.w.win.Canvas()
		open := func(query string) {
			t.Helper()
			c.Focus(b.w.chat.Compose.Entry)
			b.w.chat.Compose.Entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyK, Modifier: fyne.KeyModifierShortcutDefault})
			b.Settle()
			test.Type(b.w.commands.switcher.Entry, query)
			b.Settle()
		}
		open("facher")
		b.Sees("1 conversation", "Über den ")
		b.press(fyne.KeyReturn)
		if b.w.chats().Shown().Name != "cli-b" || b.w.commands.switcher != nil {
			t.Errorf("%s is shown", b.w.chats().Shown().Name)
		}
		open("indexing")
		b.press(fyne.KeyReturn)
		if b.w.chats().Shown().Name != "cpu-a" || b.w.panes.page != pageChat {
			t.Errorf("%s is shown on %s", b.w.chats().Shown().Name, b.w.panes.page)
		}
		b.Sees("Because of")
		open("zebra way") // on an abandoned branch, which the chat doesn't show
		b.press(fyne.KeyReturn)
		b.Settle()
		if b.w.panes.page != pageTranscript {
			t.Errorf("%s is shown", b.w.panes.page)
		}
		b.Sees("how long, the ")
		b.w.showPage(pageChat)
		open("needle channel")
		b.press(fyne.KeyReturn)
		b.Sees("needle", "Discord · 1 message")
		open("nowhere to be found")
		b.Sees("No conversation contains every word of")
		b.press(fyne.KeyEscape)
		if b.w.commands.switcher != nil || c.Overlays().Top() != nil {
			t.Error("Esc does not close the search")
		}
	})
}

func TestTheSwitcherShowsRecentConversations(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		for i, name := range []string{"cpu-a", "cpu-b", "cpu-c"} {
			b.said(s, name, time.Duration(i+1)*time.Hour, "title "+name)
		}
		b.shown()
		b.w.commands.openSwitcher()
		b.press(fyne.KeyDown, fyne.KeyDown, fyne.KeyDown, fyne.KeyUp, fyne.KeyReturn)
		if b.w.chats().Shown().Name != "cpu-b" {
			t.Errorf("%s is shown", b.w.chats().Shown().Name)
		}
		next := &desktop.CustomShortcut{KeyName: fyne.KeyTab, Modifier: fyne.KeyModifierControl}
		for _, want := range []string{"cpu-c", "cpu-a", "cpu-b"} {
			b.w.chat.Compose.Entry.TypedShortcut(next)
			b.Settle()
			if b.w.chats().Shown().Name != want {
				t.Errorf("Ctrl+Tab shows %s, want %s", b.w.chats().Shown().Name, want)
			}
		}
		b.w.chat.Compose.Entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyTab, Modifier: fyne.KeyModifierControl | fyne.KeyModifierShift})
		b.Settle()
		if b.w.chats().Shown().Name != "cpu-a" {
			t.Errorf("Ctrl+Shift+Tab shows %s", b.w.chats().Shown().Name)
		}
	})
}

// It is opened from a search and from the chip below an answer.
func TestAConversationOfAnotherMachineIsReadOnly(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		for _, open := range []func(){
			func() {
				windowHost{b.w}.openAt(transcript.Info{Name: "cpu-far", Source: "cpu", Machine: "lap", ReadOnly: true}, "f2", "ferry")
			},
			func() { b.w.OpenSessionAt("cpu-far", "f2") },
		} {
			b.w.goToPage(pageChat)
			b.Settle()
			open()
			b.Settle()
			b.Sees("Conversation on lap", "At the pier of the far island.", "go on with it, edit it or delete it there")
			b.SeesNot("Fork", "Export", "Continue")
		}
		b.w.OpenSessionAt("cpu-unknown", "x1")
		b.Settle()
		if b.w.panes.page != pageChat {
			t.Error("what no machine has isn't a new chat")
		}
	})
}
