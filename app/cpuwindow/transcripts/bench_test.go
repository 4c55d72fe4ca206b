package transcripts

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/cpuwindow/chat"
	"mac-stats/app/ui/answer"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wordsearch"
)

func TestMain(m *testing.M) { screentest.Main(m, "../../../assets") }

// bench is a viewer in a window of its own, which is its host, with transcripts on disk.
type bench struct {
	*screentest.Screen
	t     *testing.T
	view  *Reader
	store *sessionmem.Store
	did   []string // what the viewer asked for
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{Screen: screentest.New(t), t: t, store: storetest.Open(t, t.TempDir())}
	did := func(words ...string) { b.did = append(b.did, strings.TrimSpace(strings.Join(words, " "))) }
	finder := wordsearch.New(b.store, slog.New(slog.DiscardHandler))
	b.view = NewReader(t.Context(), Actions{
		CopyText: func(text string) { did("copy", text) }, OpenLink: func(url string) { did("link", url) },
		GoOn:   func(in transcript.Info, from string) { did("continue", in.Name, from) },
		Fork:   func(in transcript.Info, through string) { did("fork", in.Name, through) },
		Export: func(in transcript.Info) { did("export", in.Name) }, CopyAll: func(in transcript.Info) { did("copy all", in.Name) },
		Edit: func(path string) { did("edit", path) }, Reveal: func(path string) { did("reveal", path) }, OpenOther: func() { did("another") },
		Remember: func(in transcript.Info, line string) { did("remember", in.Name, line) },
		Files:    func(string) chat.FileActions { return chat.FileActions{} },
		Do:       b.Do,
		Find: func(text, phrase string) []prose.Mark {
			var marks []prose.Mark
			for _, m := range finder.Find(text, phrase) {
				marks = append(marks, prose.Mark(m))
			}
			return marks
		},
	}, b.Do, func(ctx context.Context, in transcript.Info) (*transcript.Transcript, error) {
		return b.store.Load(ctx, in.Name)
	})
	b.Win = test.NewTempWindow(t, kit.NewRoot(b, layout.NewStackLayout(), b.view.Object))
	b.Win.SetPadded(false)
	b.Win.Resize(fyne.NewSize(760, 1300))
	return b
}

func (b *bench) RunKey(*fyne.KeyEvent) bool     { return false }
func (b *bench) RunShortcut(fyne.Shortcut) bool { return false }
func (b *bench) Typed(rune)                     {}
func (b *bench) Escape()                        {}
func (b *bench) Reveal(fyne.CanvasObject)       {}
func (b *bench) Remeasure(r kit.Row)            { b.view.Rows.Port.Remeasure(r) }

// branched writes a session with an abandoned branch, a sub-call and a tool.
func (b *bench) branched(name string) transcript.Info {
	b.t.Helper()
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.Local)
	return b.saved(name,
		transcript.Block{ID: "q1", Time: at, Kind: transcript.KindUser, Text: "why is it loud"},
		transcript.Block{ID: "s1", Time: at, Kind: transcript.KindAgent, Agent: "doctor", Task: "find it", Parent: "q1", Text: "It is the zebra process."},
		transcript.Block{ID: "a1", Time: at, Kind: transcript.KindAssistant, Agent: "orchestrator", Model: "qwen3:8b", Parent: "q1", Text: "Because of `indexing`.\n\n```sh\nzebra --stop\n```"},
		transcript.Block{ID: "q2", Time: at, Kind: transcript.KindUser, Text: "how long, the zebra way"},
		transcript.Block{ID: "a2", Time: at, Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "q2", Text: "Long."},
		transcript.Block{ID: "n1", Time: at, Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: "q2"},
		transcript.Block{ID: "q3", Time: at.Add(24 * time.Hour), Kind: transcript.KindUser, Text: "how long exactly"},
		transcript.Block{ID: "a3", Time: at.Add(24 * time.Hour), Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "q3", Text: "20 minutes."})
}

// saved writes blocks to a session.
func (b *bench) saved(name string, blocks ...transcript.Block) transcript.Info {
	b.t.Helper()
	if _, err := b.store.Session(name).Append(b.t.Context(), blocks...); err != nil {
		b.t.Fatal(err)
	}
	t, err := b.store.Load(b.t.Context(), name)
	if err != nil {
		b.t.Fatal(err)
	}
	return t.Info
}

// reads shows a session at a block.
func (b *bench) reads(in transcript.Info, block, phrase string) {
	b.view.Open(in, block, phrase)
	b.Settle()
}

// taps presses the nth button with a label.
func (b *bench) taps(label string, nth int) {
	b.t.Helper()
	for _, o := range test.LaidOutObjects(b.view.Object) {
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

// leads fails the test unless the viewer asked for this last.
func (b *bench) leads(want string) {
	b.t.Helper()
	if n := len(b.did); n == 0 || b.did[n-1] != want {
		b.t.Errorf("the viewer asked for %q, want %q", b.did, want)
	}
}

// press sends keys to what has the focus.
func (b *bench) press(keys ...fyne.KeyName) {
	b.t.Helper()
	for _, k := range keys {
		b.Win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k})
		b.Settle()
	}
}

// marked returns the number of marked places.
func (b *bench) marked() (n int) {
	for _, p := range b.view.Rows.Port.Rows {
		switch r := p.Row.(type) {
		case *prose.Text:
			n += len(r.Marks)
		case *column.Framed:
			n += len(r.Text.Marks)
		case *answer.CodeRow:
			n += len(r.Text.Marks)
		}
	}
	return n
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

// settleRows runs the UI goroutine until the viewer has its rows.
func (b *bench) settleRows() {
	for b.view.Busy {
		(<-b.Queue)()
	}
}
