package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
)

// The tasks test models, and this tests the tasks: each can be solved, and none is solved by
// repeating the question.

func TestAPerfectModelPassesAllTasksAndAParrotNone(t *testing.T) {
	list, err := loadTasks()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 150 {
		t.Errorf("%d tasks, want about 150", len(list))
	}
	if testing.Short() {
		list = selectTasks(list, "", 7)
	}
	for name, tt := range map[string]struct {
		says func(api.ChatRequest) string
		done int
	}{
		"perfect": {perfect(list), len(list)},
		"parrot":  {testkit.LastUser, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := runWith(t, list, tt.says)
			if !strings.HasPrefix(res.head(), "model    model:8b ") || len(res.Model) < 15 || res.Small != res.Model {
				t.Errorf("the head doesn't tell the models: %s", res.head())
			}
			categories, by := res.scores()
			if plain, hold := res.plain(); tt.done == 0 && slices.Contains(categories, categoryCompaction) && (plain != by[categoryCompaction].tasks || 10*hold < 9*plain) {
				t.Errorf("%d Summaries without a model, %d hold what was expected", plain, hold)
			}
			for _, r := range res.Tasks { // no answers of one task are recorded with the next
				if r.Category == categoryCompaction && len(r.Replies) != map[bool]int{true: 1, false: 2}[r.Passed] {
					t.Errorf("%s: %d replies", r.Title, len(r.Replies))
				}
			}
			if by["all"].passed == tt.done {
				return
			}
			t.Errorf("%d of %d tasks done, want %d", by["all"].passed, len(list), tt.done)
			for _, r := range res.Tasks {
				if r.Passed != (tt.done > 0) {
					t.Log(r.failure())
				}
			}
		})
	}
}

// runWith runs tasks with a model whose answers come from a function.
func runWith(t *testing.T, list []task, says func(api.ChatRequest) string) results {
	t.Helper()
	return runUntil(t.Context(), t, list, says)
}

func runUntil(ctx context.Context, t *testing.T, list []task, says func(api.ChatRequest) string) results {
	t.Helper()
	model := testkit.Model{Name: "model:8b", ParameterSize: "8B", Capabilities: []string{"completion"}, ContextLength: 32768}
	server := testkit.Start(t, testkit.Script{Models: []testkit.Model{model}, Rules: []testkit.Rule{{
		Func: func(req api.ChatRequest) testkit.Reply { return testkit.Reply{Chunks: []string{says(req)}} },
	}}})
	res, err := run(ctx, params{
		host: server.URL(), model: "model:8b", tier: "middle", seed: 7, most: 512, patience: time.Minute,
		folder: t.TempDir(), progress: func(int, string) {},
	}, list)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range server.Chats() {
		options := r.Chat.Options
		if most, ok := options["num_predict"].(float64); options["seed"] != 7.0 || options["temperature"] == nil || !ok || most > 512 && most != backgroundTokens {
			t.Fatalf("a chat isn't repeatable, or has no end: %v", options)
		}
	}
	return res
}

// perfect answers as the tasks tell a perfect model to.
func perfect(list []task) func(api.ChatRequest) string {
	return func(req api.ChatRequest) string {
		first, said := "", 0
		for _, m := range req.Messages {
			switch {
			case m.Role == "user" && first == "":
				first = m.Content
			case m.Role == "assistant":
				said++
			}
		}
		first = strings.TrimPrefix(first, stranger+": ")
		system := testkit.System(req)
		for _, t := range list {
			switch {
			case t.category == categoryCompaction:
				if strings.Contains(system+testkit.LastUser(req), "You compress a conversation") && strings.Contains(first, t.talk[0]) {
					digest, _ := json.Marshal(map[string]any{"context": t.replies[0], "lessons": []any{}, "people": []any{}}) // it can always be encoded
					return string(digest)
				}
			case strings.HasPrefix(first, "Message: "+t.message[:min(len(t.message), 40)]) && strings.Contains(system, "You name conversations"):
				return t.replies[len(t.replies)-1]
			case strings.HasPrefix(first, t.message) && said < len(t.replies):
				return t.replies[said]
			}
		}
		return "Done as asked."
	}
}

// The app cuts off an answer that repeats itself; what the model said belongs to this task.
func TestAnInterruptedAnswerBelongsToItsTask(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"message":{"content":"again and"}}`+"\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	host, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProxy(host, 7, 512)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.server.Close() }()
	ctx, stop := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.host()+"/api/chat", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := res.Body.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	stop()
	_ = res.Body.Close()
	if said := p.takeAnswers(); len(said) != 1 || said[0].Text != "again and" {
		t.Errorf("%+v", said)
	}
}

func TestAnInterruptedRunKeepsItsResults(t *testing.T) {
	list, err := loadTasks()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	said := 0
	res := runUntil(ctx, t, selectTasks(list, "plain", 1), func(api.ChatRequest) string {
		if said++; said == 3 {
			stop()
		}
		return "Lisbon."
	})
	if len(res.Tasks) != 2 || res.Stopped != 25 || !res.Tasks[0].Passed || !strings.Contains(res.head(), "stopped  after 2 of 25 tasks") {
		t.Errorf("%d tasks: %s", len(res.Tasks), res.head())
	}
}

func TestResultsAreSavedAndCompared(t *testing.T) {
	a := results{Model: "small:1b 0123", Tier: "plain", Tasks: []result{
		{Category: "plain", Title: "A", Passed: true, Answer: "Lisbon"},
		{Category: "tools", Title: "B", Answer: "no call", Message: "Read it.", Failures: []string{"line 3: nothing was called"}},
	}}
	b := results{Model: "large:70b 4567", Tier: "large", Tasks: []result{
		{Category: "plain", Title: "A", Answer: "Porto", Failures: []string{"line 2: Porto"}},
		{Category: "tools", Title: "B", Passed: true},
	}}
	dir := t.TempDir()
	for name, res := range map[string]results{"a": a, "b": b} {
		if err := res.write(filepath.Join(dir, "results", name)); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := command(t.Context(), []string{"compare", filepath.Join(dir, "results", "a"), filepath.Join(dir, "results", "b")}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"model    small:1b 0123", "model    large:70b 4567", "plain     1      100 %  0 %    -1", "tools     1      0 %    100 %  +1", "all       2      50 %   50 %   +0",
		"Done by A alone. B:\n── plain: A", "FAILED  line 2: Porto", "Done by B alone. A:\n── tools: B\nasked   Read it.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	err := command(t.Context(), []string{"run", "-model", "x:1b", "-host", "127.0.0.1:1"}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("without a server: %v", err)
	}
	if err := command(t.Context(), []string{"run"}, io.Discard, io.Discard); err == nil {
		t.Error("a run without a model is no mistake")
	}
}
