package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/agents/testkit"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
)

// The setting in which the reading is counted: a conversation of 40 turns, in the app and in
// a terminal beside it, on one model that does everything.
const (
	countedTurns = 40
	muchAgain    = 1500 // characters that a turn reads again and a person notices
)

// readAgain is what a server with one slot has to read.
type readAgain struct {
	turns    int // of the third on, with more than muchAgain characters
	chars    int // read again by turns, in all
	prepared int // read while nobody waited
	causes   []string
}

// countReadAgain runs the conversation and counts what its turns made the server read again:
// what a request shares neither with the request before it nor with what is new in it.
func countReadAgain(t testing.TB) readAgain {
	r := newConversing(t)
	for turn := 1; turn <= countedTurns; turn++ {
		switch turn {
		case 14: // by hand
			r.write("agents/memory.md", strings.Replace(r.read("agents/memory.md"), "# Memory\n", "# Memory\n\n- The printer is on the second floor\n", 1))
			r.app.MemoryChanged()
			r.settle()
		}
		text := fmt.Sprintf("Message %d: ", turn) + words("question", turn, 55)
		if turn == 9 || turn == 22 {
			text = fmt.Sprintf("Please remember the number %d of the locker. ", turn) + words("locker", turn, 50)
		}
		if turn%5 == 0 {
			r.inTerminal(text)
		} else if _, err := r.app.Start(t.Context(), Request{Session: testSession, Text: text, Holder: "window"}).Wait(); err != nil {
			t.Fatal(err)
		}
		r.settle()
	}
	return r.count()
}

// words returns n words that no other call repeats.
func words(of string, at, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%s%c%dx%d", of, 'a'+i%26, at, i))
	}
	return strings.Join(list, " ") + "."
}

// conversing is the app and commands that answer in one session.
type conversing struct {
	*rig
	app *Engine

	repeats string       // what the model's Summary repeats
	calls   api.ToolCall // what it calls in its Summary
	mayNot  bool         // nothing may be prepared
}

func newConversing(t testing.TB) *conversing {
	title := func(req api.ChatRequest) bool {
		return strings.Contains(testkit.LastUser(req), "You name conversations") || strings.Contains(testkit.System(req), "You name conversations")
	}
	r := &conversing{}
	answers := 0
	rules := []testkit.Rule{
		{Name: "prepare", When: func(req api.ChatRequest) bool { return req.Options["num_predict"] == float64(1) }, Reply: testkit.Reply{Text: "x"}},
		{Name: "title", When: title, Reply: testkit.Reply{Text: `{"title": "Questions of forty turns"}`}},
		{Name: "summary", When: func(req api.ChatRequest) bool { return len(req.Format) > 0 }, Func: func(req api.ChatRequest) testkit.Reply {
			more := ""
			if strings.Contains(rendered(&req), r.repeats) {
				more = r.repeats
			}
			answer := retold(req, more)
			if r.calls.Function.Name != "" {
				answer.ToolCalls = []api.ToolCall{r.calls}
			}
			return answer
		}},
		{Name: "remember", When: func(req api.ChatRequest) bool {
			last := req.Messages[len(req.Messages)-1]
			return last.Role == "user" && strings.HasPrefix(last.Content, "Please remember")
		}, Func: func(req api.ChatRequest) testkit.Reply {
			_, after, _ := strings.Cut(testkit.LastUser(req), "the number ")
			return testkit.Reply{ToolCalls: []api.ToolCall{testkit.ToolCall("MEMORY_APPEND", "lesson", "The locker has the number "+after[:2])}}
		}},
		{Name: "chat", Func: func(api.ChatRequest) testkit.Reply {
			answers++
			return testkit.Reply{Text: fmt.Sprintf("Answer %d: ", answers) + words("answer", answers, 100)}
		}},
	}
	other := nativeModel("other:8b", 16384)
	r.rig = newRig(t, testkit.Script{Models: []testkit.Model{nativeModel(testModel, 16384), other}, Rules: rules})
	r.settings.AutoTitle = true
	r.write("agents/memory.md", "# Memory\n\n- Answers in short sentences\n"+strings.Repeat("- A lesson that was learnt on a day in November, and kept ever since then\n", 12))
	r.params.Background = true
	r.params.MayPrepare = func(context.Context) bool { return !r.mayNot }
	r.settings.RoleModels = map[string]string{"small": testModel}
	r.params.Loaded = func(context.Context, string) bool { return true }
	r.app = r.process(r.store)
	r.app.Attend(testSession)
	return r
}

// process returns the engine of a process that works with the store.
func (r *conversing) process(store *sessionmem.Store) *Engine {
	p := r.params
	p.Store, p.Memory = store, memory.New(memory.Config{Root: r.root, Shipped: os.DirFS("../assets")})
	p.Registry = registry.New(registry.Config{Root: r.root, Defaults: os.DirFS("../assets")})
	p.Small = background.NewSmallModel(p.Chat, p.Models, os.DirFS("../assets"), func() background.Settings { return r.settings.Small() })
	p.Cache, _ = p.Chat.(*ollama.Client)
	p.Compactor = compact.New(compact.Config{
		Store: store, Summarizer: p.Small, Policy: func() compact.Policy { return compact.Policy{KeepTokens: 4096, Window: 20} }, Own: OwnTools(),
		Lessons: compact.MemoryLessons{Memory: p.Memory, Store: store, Write: func() string { return "auto" }},
	})
	e := NewEngine(p)
	r.t.Cleanup(func() { _ = e.Close() })
	return e
}

// inTerminal sends a message with `ask -c`, a process of its own beside the app.
func (r *conversing) inTerminal(text string) {
	store, err := sessionmem.Open(sessionmem.Config{Root: r.root})
	if err != nil {
		r.t.Fatal(err)
	}
	defer store.Close()
	client, err := ollama.New(ollama.Params{Host: r.server.URL()})
	if err != nil {
		r.t.Fatal(err)
	}
	ofApp := r.params
	r.params.Chat, r.params.Models, r.params.Background = client, ollama.NewCatalog(client, 0), false
	e := r.process(store)
	r.params = ofApp
	if _, err := e.Start(r.t.Context(), Request{Session: testSession, Text: text, Holder: "command line", AppCompacts: true}).Wait(); err != nil {
		r.t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		r.t.Fatal(err)
	}
	// The app hears of it. What Asked does in the background is done here, so that settle knows
	// when it is over.
	r.app.mu.Lock()
	r.app.ahead.asked, r.app.ahead.askedAt = testSession, time.Now()
	r.app.mu.Unlock()
	r.app.goOn(testSession)
}

// settle waits until the app has done everything that it does after a turn.
func (r *conversing) settle() {
	r.app.after.Wait()
	r.app.prepares.Wait()
}

func (r *conversing) read(name string) string {
	data, err := os.ReadFile(r.root + "/" + name)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

// retold is a Summary of what is in a request: each message of the user in some words.
func retold(req api.ChatRequest, more string) testkit.Reply {
	told := []string{more}
	for _, m := range req.Messages {
		for part := range strings.SplitSeq(m.Content, "\n") {
			if strings.HasPrefix(part, "Message ") || strings.HasPrefix(part, "Please remember") || strings.HasPrefix(part, "They said") {
				fields := strings.Fields(part)
				told = append(told, "They said "+strings.Join(fields[max(0, len(fields)-10):], " "))
			}
		}
	}
	data, _ := json.Marshal(map[string]any{"context": strings.Join(append(told[:1], told[max(1, len(told)-12):]...), "\n"), "lessons": []any{}, "people": []any{}})
	return testkit.Reply{Text: string(data)}
}

// rendered is a request as a server reads it: system prompt, tools, messages.
func rendered(req *api.ChatRequest) string {
	var s strings.Builder
	for i, m := range req.Messages {
		fmt.Fprintf(&s, "<%s>%s", m.Role, m.Content)
		for _, c := range m.ToolCalls {
			s.WriteString(c.Function.Name + c.Function.Arguments.String())
		}
		if i == 0 && m.Role == "system" {
			s.WriteString(req.String())
		}
	}
	return s.String()
}

func sharedBytes(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// count counts what the requests so far made the server read.
func (r *conversing) count() readAgain {
	var out readAgain
	slot, turn, by := "", 0, ""
	for _, c := range r.server.Chats() {
		text := rendered(c.Chat)
		again := len(text) - sharedBytes(slot, text)
		last := c.Chat.Messages[len(c.Chat.Messages)-1]
		switch {
		case c.Rule == "prepare":
			out.prepared += again
		case (c.Rule == "chat" || c.Rule == "remember") && last.Role == "user":
			turn++
			again -= len("<user>") + len(last.Content)
			if n := len(c.Chat.Messages); n > 2 && c.Chat.Messages[n-2].Role == "assistant" {
				again -= len("<assistant>") + len(c.Chat.Messages[n-2].Content)
			}
			if again = max(again, 0); turn > 2 {
				out.chars += again
				if again > muchAgain {
					out.turns++
					out.causes = append(out.causes, fmt.Sprintf("turn %d reads %d of %d characters again after %s", turn, again, len(text), by))
				}
			}
		}
		slot, by = text, c.Rule
	}
	return out
}

// A conversation stays fast: its turns make the server read next to nothing again.
func TestLongConversationReadsLittleAgain(t *testing.T) {
	got := countReadAgain(t)
	if got.turns > 2 || got.chars > 15000 {
		t.Errorf("%d of %d turns read more than %d characters again, %d in all:\n%s", got.turns, countedTurns-2, muchAgain, got.chars, strings.Join(got.causes, "\n"))
	}
	t.Logf("%d characters read again by turns, %d while nobody waited", got.chars, got.prepared)
}

// BenchmarkReadAgain counts the same for the table of promised figures.
func BenchmarkReadAgain(b *testing.B) {
	var got readAgain
	for b.Loop() {
		got = countReadAgain(b)
	}
	b.ReportMetric(float64(got.turns), "turns-again")
	b.ReportMetric(2, "turns-again-promised")
	b.ReportMetric(float64(got.chars), "chars-again")
	b.ReportMetric(15000, "chars-again-promised")
	b.ReportMetric(float64(got.prepared), "chars-prepared")
}

// load loads another model into the server's memory.
func (r *conversing) load(model string) {
	client, err := ollama.New(ollama.Params{Host: r.server.URL()})
	if err != nil {
		r.t.Fatal(err)
	}
	_, err = client.Chat(r.t.Context(), ollama.ChatRequest{Model: model, Messages: []api.Message{{Role: "user", Content: "Hello"}}})
	if err != nil {
		r.t.Fatal(err)
	}
}
