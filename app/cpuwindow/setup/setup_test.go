package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/ollama"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/screentest"
)

// server is a model server that a test controls.
type server struct {
	mu     sync.Mutex
	down   error
	broken error // its models can't be listed
	models []ollama.ModelInfo
	listed chan struct{} // the models are listed after it is closed; nil: at once
	stale  bool          // the list is an old one without models until it is refreshed
	pulls  chan error
	asked  int
}

func (s *server) Models(context.Context) ([]ollama.ModelInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listed != nil {
		<-s.listed
	}
	if s.stale {
		return nil, nil
	}
	return slices.Clone(s.models), s.broken
}

func (s *server) ModelsNow(context.Context) ([]ollama.ModelInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = false
	return slices.Clone(s.models), s.down
}

func (s *server) Pull(ctx context.Context, _ string, progress func(ollama.Progress)) error {
	progress(ollama.Progress{Status: "downloading", Completed: 1e9, Total: 4e9})
	select {
	case err := <-s.pulls:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *server) Version(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return "0.34.0", s.down
}

func (*server) Address() string { return "127.0.0.1:11434" }

// set changes the server.
func (s *server) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// rig is a window with the page of the first run alone.
type rig struct {
	*screentest.Screen
	setup           *Setup
	server          *server
	memory          uint64
	hidden, left    bool
	foot            string // the server's state, as the foot shows it
	changed, pulled int
	opened, copied  []string
	demo            func()
}

func (r *rig) Visible() bool                   { return !r.hidden }
func (r *rig) MachineMemory() uint64           { return r.memory }
func (r *rig) OpenLink(address string)         { r.opened = append(r.opened, address) }
func (r *rig) Copy(text string)                { r.copied = append(r.copied, text) }
func (r *rig) Demo() func()                    { return r.demo }
func (r *rig) Welcoming() bool                 { return !r.left }
func (r *rig) LeaveWelcome()                   { r.left = true }
func (r *rig) ShowServer(words string, _ bool) { r.foot = words }
func (r *rig) SetupChanged()                   { r.changed++ }
func (r *rig) PullChanged(done bool) {
	if done {
		r.pulled++
	}
}

// built returns a window whose server wasn't asked yet.
func built(t *testing.T, s *server) *rig {
	t.Helper()
	s.pulls = make(chan error)
	r := &rig{Screen: screentest.New(t), server: s, memory: 16 << 30}
	r.setup = New(r, s, "/home/me/.mac-stats")
	r.Win = test.NewTempWindow(t, r.setup.View)
	r.Win.Resize(fyne.NewSize(700, 800))
	t.Cleanup(func() { // no check after the test
		r.setup.Puller.Stop()
		r.hidden = true
		if timer := r.setup.recheck.timer; timer != nil {
			timer.Stop()
		}
	})
	return r
}

// welcomed shows the page of the first run.
func welcomed(t *testing.T, s *server) *rig {
	t.Helper()
	r := built(t, s)
	r.setup.Draw()
	r.Sees("Looking for Ollama…")
	r.SeesNot("Set up later")
	r.setup.Check()
	r.setup.Check() // one at a time
	r.Settle()
	return r
}

// pressFocused presses the focused button.
func (r *rig) pressFocused() {
	r.T.Helper()
	if r.Canvas().Focused() == nil {
		r.T.Fatal("nothing has the focus")
	}
	r.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	r.Settle()
}

// tabTo presses Tab until the button of a name has the focus.
func (r *rig) tabTo(name string) {
	r.T.Helper()
	for range 60 {
		if r.Focus() == name {
			return
		}
		r.Canvas().FocusNext()
	}
	r.T.Fatalf("Tab does not reach %q", name)
}

func (r *rig) chatShown(want bool) {
	r.T.Helper()
	if r.left != want {
		r.T.Errorf("the chat is shown: %t, want %t", r.left, want)
	}
}

// inBubble runs a test in a bubble, on a machine with or without the program ollama.
func inBubble(t *testing.T, installed bool, f func(t *testing.T)) {
	t.Helper()
	bin := t.TempDir()
	if installed {
		if err := os.WriteFile(filepath.Join(bin, "ollama"), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	screentest.InBubble(t, f)
}

var (
	smallModel = ollama.ModelInfo{Name: "smollm2:135m", Parameters: 135_000_000}
	goodModel  = ollama.ModelInfo{Name: "qwen3:8b", Parameters: 8_200_000_000}
	errRefused = errors.New("refused")
)

func TestNothingMissingShowsTheChat(t *testing.T) {
	for name, models := range map[string][]ollama.ModelInfo{
		"given one model":                  {goodModel},
		"given several, one of them small": {smallModel, goodModel},
		"given one of unknown size":        {{Name: "mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, func(t *testing.T) {
				r := welcomed(t, &server{models: models})
				r.chatShown(true)
				if r.foot != "Ollama 0.34.0 · ready" || !r.setup.Seen() || len(r.setup.Models()) != len(models) {
					t.Errorf("the foot says %q, %d models", r.foot, len(r.setup.Models()))
				}
			})
		})
	}
}

func TestWithoutAServer(t *testing.T) {
	inBubble(t, false, func(t *testing.T) {
		r := welcomed(t, &server{down: errRefused})
		r.Sees("Ollama isn't running", "Already installed?", "Re-check", "Get Ollama", "/home/me/.mac-stats")
		r.SeesNot("Try the demo")
		if r.Focus() != "Re-check" || r.setup.Seen() || r.foot != "Ollama is down" {
			t.Errorf("%q has the focus, the foot says %q", r.Focus(), r.foot)
		}
		r.Pushes(r.setup.View, "Get Ollama")
		r.Pushes(r.setup.View, "Copy")
		if diff := cmp.Diff([]string{"https://ollama.com/download"}, r.opened); diff != "" || len(r.copied) != 1 {
			t.Errorf("copied %q, opened (-want +got):\n%s", r.copied, diff)
		}
		r.server.set(func() { r.server.down = nil })
		r.tabTo("Re-check")
		r.pressFocused()
		r.Sees("One model to begin with", "16 GB of memory")
		if got := r.Focus(); got != "Re-check" {
			t.Errorf("a second Enter would press %q", got)
		}
		r.Pushes(r.setup.View, "More models")
		r.server.set(func() { r.server.models = []ollama.ModelInfo{goodModel} })
		r.tabTo("Re-check")
		r.pressFocused()
		r.chatShown(true)
		r.setup.Draw() // nothing while another page is shown
		if r.opened[1] != "https://ollama.com/library" {
			t.Errorf("opened %q", r.opened)
		}
	})
}

// given a server that is installed but not started
func TestInstalledServerOnlyNeedsStarting(t *testing.T) {
	inBubble(t, true, func(t *testing.T) {
		r := welcomed(t, &server{down: errRefused})
		r.Sees("Ollama isn't running", "It is installed.", "ollama serve", "Re-check")
		r.SeesNot("Get Ollama", "install.sh", "Already installed?")
	})
}

func TestHowToStart(t *testing.T) {
	for _, tt := range []struct {
		goos      string
		installed bool
		command   string
	}{
		{"linux", false, "curl -fsSL https://ollama.com/install.sh | sh"},
		{"linux", true, "ollama serve"},
		{"darwin", true, "ollama serve"},
		{"darwin", false, "brew install ollama && brew services start ollama"},
		{"windows", false, "winget install Ollama.Ollama"},
	} {
		if steps, command := startSteps(tt.goos, tt.installed); command != tt.command || steps == "" {
			t.Errorf("%s, installed %t: %q, %q", tt.goos, tt.installed, steps, command)
		}
	}
}

// given a machine for which no larger model is advised
func TestAdvisedModelIsNotCalledSmall(t *testing.T) {
	advised := ollama.ModelInfo{Name: "qwen3:1.7b", Parameters: 2_000_000_000}
	for name, tt := range map[string]struct {
		memory uint64
		chat   bool
	}{
		"little memory": {4 << 30, true},
		"enough memory": {16 << 30, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, false, func(t *testing.T) {
				r := built(t, &server{models: []ollama.ModelInfo{advised}})
				r.memory = tt.memory
				r.setup.Check()
				r.Settle()
				r.chatShown(tt.chat)
				if !tt.chat {
					r.Sees("qwen3:1.7b is installed, but small")
				}
			})
		})
	}
}

func TestDownloadedModelIsNotCalledSmall(t *testing.T) {
	inBubble(t, false, func(t *testing.T) {
		r := welcomed(t, &server{})
		r.tabTo("Pull qwen3:4b")
		r.pressFocused()
		listed := make(chan struct{})
		r.server.set(func() {
			r.server.models = []ollama.ModelInfo{{Name: "qwen3:4b", Parameters: 2_000_000_000}}
			r.server.listed, r.server.stale = listed, true
		})
		r.server.pulls <- nil
		r.Settle()
		r.Sees("Pulling qwen3:4b") // until the server lists its models
		close(listed)
		r.Settle()
		r.chatShown(true)
		if r.pulled != 1 {
			t.Errorf("reported as installed %d times", r.pulled)
		}
	})
}

func TestADownloadIsStoppedFailsAndBeginsAgain(t *testing.T) {
	inBubble(t, false, func(t *testing.T) {
		r := welcomed(t, &server{})
		r.pressFocused()
		r.Sees("Pulling qwen3:8b", "1.0 GB of 4.0 GB · 25 %")
		if r.setup.Cards(false, false) == nil {
			t.Error("the chat doesn't show the download")
		}
		r.setup.Puller.Stop()
		r.Settle()
		r.Sees("One model to begin with")
		r.tabTo("Pull qwen3:8b")
		r.pressFocused()
		r.server.pulls <- errors.New("no space left")
		r.Settle()
		r.Sees("The disk is full.", "Try again")
		r.chatShown(false)
	})
}

func TestSmallModelOffersABetterOne(t *testing.T) {
	inBubble(t, false, func(t *testing.T) {
		r := welcomed(t, &server{models: []ollama.ModelInfo{smallModel}})
		r.Sees("smollm2:135m is installed, but small", "It has 135M parameters", "qwen3:8b fits this machine")
		if got := r.Focus(); got != "Pull qwen3:8b" {
			t.Errorf("%q has the focus", got)
		}
		r.tabTo("Begin with smollm2:135m")
		r.pressFocused()
		r.chatShown(true)
	})
}

// A model that runs elsewhere isn't chosen without a word about it.
func TestARemoteModelIsExplained(t *testing.T) {
	inBubble(t, false, func(t *testing.T) {
		r := welcomed(t, &server{models: []ollama.ModelInfo{{Name: "big:cloud", Parameters: 480_000_000_000, Remote: true}}})
		r.Sees("big:cloud runs elsewhere", "your messages leave this machine")
		r.chatShown(false)
	})
}

func TestPrimaryButtonIsVisibleInASmallWindow(t *testing.T) {
	inBubble(t, false, func(t *testing.T) {
		r := welcomed(t, &server{models: []ollama.ModelInfo{smallModel}})
		r.Win.Resize(fyne.NewSize(340, 420))
		r.Canvas().Unfocus()
		r.setup.Draw()
		r.pressFocused()
		r.Sees("Pulling qwen3:8b")
	})
}

func TestSetUpLaterAndTheDemo(t *testing.T) {
	inBubble(t, false, func(t *testing.T) {
		demos := 0
		r := built(t, &server{down: errRefused})
		r.demo = func() { demos++ }
		r.setup.Check()
		r.Settle()
		r.tabTo("Try the demo")
		r.pressFocused()
		r.tabTo("Set up later")
		r.pressFocused()
		if demos != 1 {
			t.Errorf("the demo was started %d times", demos)
		}
		r.chatShown(true)
	})
}

func TestModelsThatCannotBeListed(t *testing.T) {
	inBubble(t, false, func(t *testing.T) {
		r := welcomed(t, &server{broken: errors.New("500")})
		r.Sees("Ollama 0.34.0 is running", "be listed. mac-stats looks again")
		if r.foot != "Ollama 0.34.0 · its models can't be listed" || r.setup.Cards(true, true) != nil {
			t.Errorf("the foot says %q", r.foot)
		}
	})
}

// What the chat shows while it can't answer.
func TestCardsOfTheChat(t *testing.T) {
	for name, tt := range map[string]struct {
		server           *server
		installed        bool
		helpless, failed bool
		want, not        []string
	}{
		"a new chat":                    {server: &server{down: errRefused}, helpless: true, want: []string{"Ollama isn't running", "Nothing answers", "Get Ollama"}},
		"a message that failed":         {server: &server{down: errRefused}, helpless: true, failed: true, want: []string{"Not installed yet?", "Re-check"}, not: []string{"Nothing answers", "Already installed?"}},
		"it failed, Ollama is there":    {server: &server{down: errRefused}, installed: true, helpless: true, failed: true, want: []string{"Start Ollama", "ollama serve"}, not: []string{"Not installed yet?", "Get Ollama"}},
		"a chat with other help":        {server: &server{down: errRefused}},
		"no model":                      {server: &server{}, want: []string{"One model to begin with", "Pull qwen3:8b"}},
		"all there":                     {server: &server{models: []ollama.ModelInfo{smallModel}}, helpless: true},
		"a model that can't chat alone": {server: &server{models: []ollama.ModelInfo{{Name: "nomic-embed-text", Capabilities: []string{"embedding"}}}}, want: []string{"One model to begin with"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, tt.installed, func(t *testing.T) {
				r := built(t, tt.server)
				r.left = true
				if r.setup.Cards(true, true) != nil {
					t.Error("before the first check there is a card")
				}
				before := r.setup.Key()
				r.setup.Check()
				r.Settle()
				if r.changed != 1 || r.setup.Key() == before {
					t.Errorf("the chat was told %d times", r.changed)
				}
				cards := r.setup.Cards(tt.helpless, tt.failed)
				if (len(cards) > 0) != (len(tt.want) > 0) {
					t.Fatalf("%d cards", len(cards))
				}
				page := column.NewViewport()
				r.Win.SetContent(page)
				page.SetRows(cards)
				r.Sees(tt.want...)
				r.SeesNot(tt.not...)
			})
		})
	}
}

func TestRecheckShowsItsResult(t *testing.T) {
	inBubble(t, false, func(t *testing.T) {
		r := welcomed(t, &server{down: errRefused})
		r.Sees("mac-stats looks again every few seconds")
		r.setup.Recheck()
		r.Sees("checking…")
		if r.foot != "checking…" {
			t.Errorf("the foot says %q", r.foot)
		}
		r.Settle()
		r.Sees("still not running, checked ")
		r.server.set(func() { r.server.down = nil })
		r.setup.Recheck()
		r.Settle()
		r.Sees("checked ")
		r.SeesNot("still not running")
		r.setup.pullChanged(true)
		r.Sees("mac-stats looks again every few seconds")
	})
}

// While the server is down it is asked every five seconds, if the window is visible.
func TestTheServerIsAskedAgainWhileItIsDown(t *testing.T) {
	inBubble(t, false, func(t *testing.T) {
		r := welcomed(t, &server{down: errRefused})
		for range 5 {
			r.setup.Recheck() // schedules nothing in addition
			r.Settle()
		}
		in := func(d time.Duration) int {
			before := r.server.asked
			for over := time.After(d); ; {
				select {
				case f := <-r.Queue:
					f()
				case <-over:
					return r.server.asked - before
				}
			}
		}
		if n := in(time.Minute); n < 11 || n > 13 {
			t.Errorf("asked %d times in a minute", n)
		}
		r.hidden = true
		in(recheckEvery)
		changed := r.changed
		if n := in(time.Minute); n != 0 {
			t.Errorf("hidden, it is asked %d times", n)
		}
		r.server.set(func() { r.server.down = nil })
		r.setup.CheckIfStale()
		r.Settle()
		r.setup.CheckIfStale() // just checked
		if n := in(time.Minute); r.foot != "Ollama 0.34.0 · no model yet" || r.changed != changed || n != 0 {
			t.Errorf("the foot says %q; hidden, the cards are drawn %d times, the server is asked %d times", r.foot, r.changed-changed, n)
		}
		if (state{}).line() != "looking for Ollama…" {
			t.Error("before a check the foot doesn't say that it looks")
		}
	})
}
