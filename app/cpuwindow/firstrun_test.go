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

// welcomed returns a window at its first run.
func welcomed(t *testing.T, prepare func(*bench)) *bench {
	t.Helper()
	if err := i18n.Load(os.DirFS(translationsFolder)); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	prepare(b)
	b.with(func(p *parts) { p.firstRun = true })
	b.shown()
	b.Settle()
	return b
}

// pressFocused presses the focused button.
func (b *bench) pressFocused() {
	b.t.Helper()
	f := b.w.win.Canvas().Focused()
	if f == nil {
		b.t.Fatal("nothing has the focus")
	}
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	b.Settle()
}

// tabTo presses Tab until the control of a name has the focus.
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

// inChat fails the test unless the chat is shown and the composer has the focus.
func (b *bench) inChat() {
	b.t.Helper()
	if b.w.panes.page != pageChat || b.w.win.Canvas().Focused() != b.w.chat.Compose.Entry {
		b.t.Errorf("page %s, the focus is on %s", b.w.panes.page, b.focusName())
	}
}

// focused returns the label of the focused button.
func (b *bench) focused() string {
	if f, ok := b.w.win.Canvas().Focused().(*kit.Button); ok {
		return f.Text
	}
	return ""
}

var (
	smallModel = ollama.ModelInfo{Name: "smollm2:135m", Parameters: 135_000_000}
	goodModel  = ollama.ModelInfo{Name: "qwen3:8b", Parameters: 8_200_000_000}
)

func TestWelcome_nothingMissingShowsTheChat(t *testing.T) {
	for name, models := range map[string][]ollama.ModelInfo{
		"given one model":                  {goodModel},
		"given several, one of them small": {smallModel, goodModel},
		"given one of unknown size":        {{Name: "mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := welcomed(t, func(b *bench) { b.server.models = models })
			b.inChat()
			b.SeesNot("Welcome to mac-stats")
			b.Sees("What is using my CPU right now?")
		})
	}
}

func TestWelcome_withoutAServer(t *testing.T) {
	b := welcomed(t, func(b *bench) { b.server.down, b.server.models = errors.New("refused"), nil })
	b.Sees("Welcome to mac-stats", "Ollama isn't running", "Re-check", b.home)
	if got := b.focused(); got != "Re-check" {
		t.Errorf("%q has the focus", got)
	}
	b.server.down = nil
	b.pressFocused()
	b.Sees("One model to begin with", "16 GB of memory")
	if got := b.focused(); got != "Re-check" {
		t.Errorf("a second Enter would press %q", got)
	}
	b.server.models = []ollama.ModelInfo{goodModel}
	b.pressFocused()
	b.inChat()
	b.w.Hide()
	b.w.Show()
	b.Settle()
	b.SeesNot("Welcome to mac-stats")
}

func TestWelcome_setUpLater(t *testing.T) {
	b := welcomed(t, func(b *bench) { b.server.down, b.server.models = errors.New("refused"), nil })
	b.tabTo("Set up later")
	b.pressFocused()
	b.inChat()
	b.Sees("Ollama isn't running") // the chat says so too
}

func TestWelcome_aModelIsPulledAndTheChatBegins(t *testing.T) {
	b := welcomed(t, func(b *bench) { b.server.models = nil })
	b.pressFocused()
	b.Sees("Pulling qwen3:8b", "1.0 GB of 4.0 GB · 25 %")
	b.w.setup.Puller.Stop()
	b.Settle()
	b.Sees("One model to begin with")
	b.tabTo("Pull qwen3:8b")
	b.pressFocused()
	b.server.mu.Lock()
	b.server.models = []ollama.ModelInfo{goodModel}
	b.server.mu.Unlock()
	b.server.pulls <- nil
	b.Settle()
	b.inChat()
}

func TestWelcome_demoReturnsToIt(t *testing.T) {
	var calls []bool
	b := welcomed(t, func(b *bench) {
		b.server.down = errors.New("refused")
		b.params.OnDemo = func(welcomed bool) { calls = append(calls, welcomed) }
	})
	b.tabTo("Try the demo")
	b.pressFocused()
	b.tabTo("Set up later")
	b.pressFocused()
	b.tabTo("Try the demo")
	b.pressFocused()
	if diff := cmp.Diff([]bool{false, true}, calls); diff != "" {
		t.Errorf("asked for the demo on the first page, then in the chat, welcomed (-want +got):\n%s", diff)
	}
}
