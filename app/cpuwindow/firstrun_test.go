package cpuwindow

import (
	"errors"
	"os"
	"testing"

	"fyne.io/fyne/v2"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/ollama"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// welcomed is a window at its first run.
func welcomed(t *testing.T, prepare func(*bench)) *bench {
	if err := i18n.Load(os.DirFS(translationsFolder)); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.w.parts.firstRun = true
	prepare(b)
	b.shown()
	b.Settle()
	return b
}

// pressFocused presses the button that has the focus.
func (b *bench) pressFocused() {
	b.t.Helper()
	f := b.w.win.Canvas().Focused()
	if f == nil {
		b.t.Fatal("nothing has the focus")
	}
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	b.Settle()
}

// tabTo goes on by Tab until what has the focus says so.
func (b *bench) tabTo(name string) {
	b.t.Helper()
	for range 60 {
		if f, ok := b.w.win.Canvas().Focused().(*kit.Button); ok && f.Text == name {
			return
		}
		b.w.win.Canvas().FocusNext()
	}
	b.t.Fatalf("Tab does not reach %q", name)
}

func TestWelcome_threeStepsByKeyboard(t *testing.T) {
	b := welcomed(t, func(*bench) {})
	b.Sees("Welcome to mac-stats", "Step 1 of 3", "is running", "One model is installed.", "Where it is", b.home)
	b.tabTo("Continue")
	b.pressFocused()
	b.Sees("Step 2 of 3", "Which model answers?", "qwen3:8b")
	b.tabTo("qwen3:8b")
	b.pressFocused()
	b.inFile(`model = "qwen3:8b"`)
	b.tabTo("Continue")
	b.pressFocused()
	b.Sees("Step 3 of 3", "What is remembered")
	b.tabTo("Ask me")
	b.pressFocused()
	b.inFile(`write = "ask"`)
	b.tabTo("Begin")
	b.pressFocused()
	if b.w.page != pageChat || b.w.win.Canvas().Focused() != b.w.compose.Entry {
		t.Errorf("after the last step: page %s, focus not in the composer", b.w.page)
	}
	b.w.Hide()
	b.w.Show()
	b.Settle()
	b.SeesNot("Welcome to mac-stats")
}

func TestWelcome_canBeSkipped(t *testing.T) {
	b := welcomed(t, func(*bench) {})
	b.tabTo("Skip setup")
	b.pressFocused()
	if b.w.page != pageChat {
		t.Errorf("page = %s", b.w.page)
	}
}

func TestWelcome_withoutAServer(t *testing.T) {
	b := welcomed(t, func(b *bench) { b.server.down, b.server.models = errors.New("refused"), nil })
	b.Sees("Ollama isn't running", "Re-check", "Continue without Ollama")
	b.tabTo("Continue without Ollama")
	b.pressFocused()
	b.Sees("There is no server to list or download models yet.")
	b.tabTo("Continue")
	b.pressFocused()
	b.Sees("What is remembered")
}

func TestWelcome_aModelIsPulled(t *testing.T) {
	b := welcomed(t, func(b *bench) { b.server.models = nil })
	b.Sees("has no model yet")
	b.tabTo("Continue")
	b.pressFocused()
	b.Sees("One model to begin with", "16 GB of memory", "Pull qwen3:8b")
	b.tabTo("Pull qwen3:8b")
	b.pressFocused()
	b.Sees("Pulling qwen3:8b")
	b.w.puller.Stop()
	b.Settle()
	b.Sees("Download of qwen3:8b stopped", "Resume")
	b.w.puller.Dismiss()
	b.Settle()
	b.Sees("One model to begin with")
}

func TestModelNote(t *testing.T) {
	for _, tt := range []struct {
		name  string
		model ollama.ModelInfo
		want  string
	}{
		{"fits", ollama.ModelInfo{Size: 5_200_000_000}, "5.2 GB"},
		{"does not fit", ollama.ModelInfo{Size: 40_000_000_000}, "40.0 GB, too large to run well with 16 GB of memory"},
		{"elsewhere", ollama.ModelInfo{Remote: true}, "runs elsewhere: your messages leave this machine"},
	} {
		if got := modelNote(tt.model, 16<<30); got != tt.want {
			t.Errorf("given one that %s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWelcome_theDemoLeadsBackToIt(t *testing.T) {
	var told []bool
	b := welcomed(t, func(b *bench) {
		b.server.down = errors.New("refused")
		b.w.p.OnDemo = func(welcomed bool) { told = append(told, welcomed) }
	})
	b.tabTo("Try the demo")
	b.pressFocused()
	b.tabTo("Skip setup")
	b.pressFocused()
	b.tabTo("Try the demo")
	b.pressFocused()
	if diff := cmp.Diff([]bool{false, true}, told); diff != "" {
		t.Errorf("asked for the demo on the first page, then in the chat, welcomed (-want +got):\n%s", diff)
	}
}

func TestWelcome_theFocusIsOnWhatGoesOn(t *testing.T) {
	b := welcomed(t, func(b *bench) { b.server.down, b.server.models = errors.New("refused"), nil })
	focused := func() string {
		if f, ok := b.w.win.Canvas().Focused().(*kit.Button); ok {
			return f.Text
		}
		return ""
	}
	if got := focused(); got != "Re-check" {
		t.Errorf("without a server %q has the focus, want Re-check", got)
	}
	b.server.down, b.server.models = nil, []ollama.ModelInfo{{Name: "qwen3:8b"}}
	b.pressFocused()
	if got := focused(); got != "Continue" {
		t.Errorf("when the server is found %q has the focus, want Continue", got)
	}
}

func TestWelcome_whatGoesOnIsInSightAndHasTheFocus(t *testing.T) {
	for _, height := range []float32{700, 420} {
		b := welcomed(t, func(*bench) {})
		b.w.win.Resize(fyne.NewSize(900, height))
		b.Settle()
		for _, want := range []string{"Continue", "Continue", "Begin"} {
			if f, ok := b.w.win.Canvas().Focused().(*kit.Button); !ok || f.Text != want {
				t.Errorf("%g high, step %d: %v has the focus, want %s", height, b.w.step+1, b.focusName(), want)
			}
			b.pressFocused()
		}
		if b.w.page != pageChat {
			t.Errorf("%g high: after three times what goes on, the page is %s", height, b.w.page)
		}
	}
}
