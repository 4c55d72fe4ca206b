package models

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

// bench is the page in a window, on a scripted server.
type bench struct {
	*screentest.Screen
	t       *testing.T
	server  *testkit.Server
	down    bool
	client  *ollama.Client
	page    *Page
	puller  *Puller
	chosen  map[string]string
	setBy   map[string]string
	changes int
}

// catalogue is the window's server: the client and the catalogue.
type catalogue struct {
	*ollama.Client
	models *ollama.Catalog
}

func (c catalogue) ModelsNow(ctx context.Context) ([]ollama.ModelInfo, error) {
	return c.models.ModelsNow(ctx)
}

func (c catalogue) Resolve(ctx context.Context, explicit string, role ollama.Role) (ollama.ModelInfo, error) {
	return c.models.Resolve(ctx, explicit, role)
}

// RoundTrip implements http.RoundTripper. It calls the server without a network, so that
// the bubble knows when nothing is under way.
func (b *bench) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.down {
		return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	}
	body, w := io.Pipe()
	answer := &streamed{PipeWriter: w, header: http.Header{}, status: make(chan int, 1)}
	go func() {
		b.server.Handler().ServeHTTP(answer, r)
		answer.WriteHeader(http.StatusOK)
		w.Close()
	}()
	context.AfterFunc(r.Context(), func() { w.CloseWithError(r.Context().Err()) })
	return &http.Response{StatusCode: <-answer.status, Header: answer.header, Body: body, Request: r}, nil
}

// streamed is a response that is read while it is written.
type streamed struct {
	*io.PipeWriter
	header http.Header
	begun  sync.Once
	status chan int
}

func (s *streamed) Header() http.Header  { return s.header }
func (s *streamed) WriteHeader(code int) { s.begun.Do(func() { s.status <- code }) }
func (s *streamed) Write(p []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	return s.PipeWriter.Write(p)
}
func (*streamed) Flush() {}

func (b *bench) Visible() bool         { return true }
func (b *bench) MachineMemory() uint64 { return 16 << 30 }
func (b *bench) OpenLink(string)       {}
func (b *bench) ModelsChanged()        { b.changes++ }
func (b *bench) Chosen(key string) (value, setBy string) {
	return b.chosen[key], b.setBy[key]
}

func (b *bench) Choose(key, value string, then func(error)) {
	b.chosen[key] = value
	then(nil)
}

func open(t *testing.T, script testkit.Script) *bench {
	b := &bench{Screen: screentest.New(t), t: t, server: testkit.New(script), chosen: map[string]string{}, setBy: map[string]string{}}
	client, err := ollama.New(ollama.Params{Host: "127.0.0.1:11434", HTTP: &http.Client{Transport: b}})
	if err != nil {
		t.Fatal(err)
	}
	b.client = client
	b.puller = NewPuller(b, client.Pull, func(done bool) {
		if done {
			b.page.Load()
		} else {
			b.page.Draw()
		}
	})
	b.page = NewPage(b, catalogue{client, ollama.NewCatalog(client, 0)}, b.puller)
	b.Win = test.NewTempWindow(t, b.page.View)
	b.Win.Resize(fyne.NewSize(700, 1600))
	b.page.Load()
	return b
}

var (
	chatModel  = testkit.Model{Name: "qwen3:8b", ParameterSize: "8.2B", Size: 5_200_000_000, Capabilities: []string{"completion", "tools", "thinking"}, ContextLength: 40960, Loaded: true}
	largeModel = testkit.Model{Name: "llama3.3:70b", ParameterSize: "70.6B", Size: 43_000_000_000, Capabilities: []string{"completion", "tools"}}
	embedModel = testkit.Model{Name: "nomic-embed-text:latest", ParameterSize: "137M", Size: 274_000_000, Capabilities: []string{"embedding"}}
)

func TestThePageDescribesEachModel(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := open(t, testkit.Script{Models: []testkit.Model{chatModel, largeModel, embedModel}})
		b.Until("3 models · 48.5 GB on disk", "Loaded until")
		b.Sees("16 GB of memory", "up to 10 GB run well", "qwen3:8b", "5.2 GB · 8.2B parameters · context of 40,960 tokens", "uses tools · thinks before it answers",
			"for search by meaning", "Too large to run well with 16 GB of memory.",
			"Automatic (qwen3:8b now)", "Automatic (nomic-embed-text:latest now)", "5.2 GB · better answers", "fits this machine best", "installed")
	})
}

func TestAModelIsUnloadedDeletedAndChosen(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := open(t, testkit.Script{Models: []testkit.Model{chatModel, largeModel}})
		b.Until("Unload")
		b.Pushes(b.page.View, "Unload")
		b.Until("qwen3:8b")
		b.SeesNot("Loaded until")

		b.chosen["ollama.model"] = "qwen3:8b"
		b.Pushes(b.page.View, "Delete…")
		b.Sees("Delete qwen3:8b?", "It frees 5.2 GB on disk.", "It is chosen for “Chats”")
		b.Confirm("Cancel")
		b.Pushes(b.page.View, "Delete…")
		b.Confirm("Delete model")
		b.Until("1 model", "qwen3:8b is not installed. Pull it or choose another one.")
		if b.changes != 1 {
			t.Errorf("the window was told %d times", b.changes)
		}
		menu := b.page.roleMenu(roles()[0], "qwen3:8b")
		var items []string
		for _, i := range menu.Items {
			items = append(items, strings.Split(i.Label, "  ")[0])
		}
		if diff := cmp.Diff([]string{"Automatic", "llama3.3:70b"}, items); diff != "" {
			t.Errorf("models for chats (-want +got):\n%s", diff)
		}
		menu.Items[1].Action()
		b.Settle()
		if b.chosen["ollama.model"] != "llama3.3:70b" {
			t.Errorf("chosen: %q", b.chosen["ollama.model"])
		}
		b.setBy["ollama.model"] = "MAC_STATS_OLLAMA_MODEL"
		b.page.Draw()
		b.Sees("Set by the environment variable MAC_STATS_OLLAMA_MODEL, which overrides config.toml.")
	})
}

func TestADownloadIsStoppedResumedAndEnds(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := open(t, testkit.Script{Pulls: map[string]testkit.Pull{
			"small:1b": {Model: embedModel, Steps: 4, Delay: 300 * time.Millisecond},
			"full:1b":  {Error: "no space left on device"},
		}})
		b.Until("Get a model", "Pull qwen3:8b", "fits this machine best")
		b.page.field.Entry.SetText("small:1b")
		b.page.field.Submit()
		b.Until("Pulling small:1b", "25 %")
		cancel := func() (found *kit.Button) {
			for _, x := range column.RowButtons(b.page.View.Rows) {
				if x.Text == "Cancel" {
					found = x
				}
			}
			return found
		}
		pressed := cancel()
		b.Until("50 %")
		if pressed == nil || cancel() != pressed {
			t.Error("a step of the download makes other buttons: a click is lost")
		}
		b.Pushes(b.page.View, "Cancel")
		b.Until("Download of small:1b stopped", "Stopped at ")
		b.Pushes(b.page.View, "Resume")
		b.Until("1 model", "nomic-embed-text:latest")
		b.SeesNot("Pulling", "stopped")

		b.page.field.OnSubmit("full:1b")
		b.Until("full:1b could not be pulled", "The disk is full.", "Try again")
		b.Pushes(b.page.View, "Dismiss")
		b.Sees("Get a model")
		b.page.field.OnSubmit("nonsense")
		b.Until("The registry has no model nonsense.")
	})
}

func TestAServerThatIsDownIsReportedWithAdvice(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := open(t, testkit.Script{Models: []testkit.Model{chatModel}})
		b.Until("qwen3:8b")
		b.down = true
		b.page.Load()
		b.Until("Ollama isn't running", "Re-check")
		b.down = false
		b.Pushes(b.page.View, "Re-check")
		b.Until("qwen3:8b")
	})
}

func TestTheWholePageWorksByKeyboard(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := open(t, testkit.Script{Models: []testkit.Model{chatModel}})
		b.Until("Unload")
		c := b.Win.Canvas()
		var reached []string
		for range 12 {
			c.FocusNext()
			if x, ok := c.Focused().(*kit.Button); ok {
				reached = append(reached, x.Text)
			}
		}
		for _, want := range []string{"Pull qwen3:4b", "All models at ollama.com", "Unload", "Delete…", "Automatic (qwen3:8b now)"} {
			if !strings.Contains(strings.Join(reached, "|"), want) {
				t.Errorf("Tab does not reach %q: %q", want, reached)
			}
		}
	})
}

func TestHowLongAModelStaysLoaded(t *testing.T) {
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		until time.Time
		want  string
	}{
		"given ten minutes":   {now.Add(10 * time.Minute), "Loaded until 14:10"},
		"given another day":   {now.Add(50 * time.Hour), "Loaded until 24 Nov 16:00"},
		"given no end":        {now.AddDate(290, 0, 0), "Loaded until you unload it"},
		"given an end passed": {now.Add(-time.Second), "Loaded, about to be unloaded"},
	} {
		if got := loadedWords(api.ProcessModelResponse{ExpiresAt: tt.until}, now); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// Conversations that use one model by turns are named once, with what helps and what it costs.
func TestThePageSaysWhatHelpsConversationsByTurns(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := open(t, testkit.Script{Models: []testkit.Model{chatModel, largeModel}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "Yes."}}}})
		b.Until("Loaded until")
		b.SeesNot("by turns")
		for range 3 {
			for _, who := range []string{"Ann", "Ben"} {
				messages := []api.Message{{Role: "system", Content: strings.Repeat("A rule. ", 200)}, {Role: "user", Content: strings.Repeat(who+" asks. ", 200)}}
				if _, err := b.client.Chat(t.Context(), ollama.ChatRequest{Model: "qwen3:8b", Messages: messages}); err != nil {
					t.Fatal(err)
				}
			}
		}
		b.page.Load()
		b.Until("Conversations use it by turns")
		b.Sees("OLLAMA_NUM_PARALLEL=2", "of memory", "qwen3:1.7b takes about 1.4 GB")
		if n := strings.Count(b.Markup(), "OLLAMA_NUM_PARALLEL=2"); n != 1 {
			t.Errorf("it is said %d times", n)
		}
	})
}
