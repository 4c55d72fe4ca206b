//go:build e2e

package e2etest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
	"mac-stats/agents/testkit/realollama"
)

const (
	fanAnswer     = "Your fan is loud because one process keeps a whole core busy."
	expertAnswer  = "I counted: there are forty-two lines in that file."
	countedAnswer = "The coder has counted them: 42 in all."
	shortAnswer   = "Understood, short it is."
	earlierAnswer = "Earlier you asked about the fan and the lines."
)

// boss is the orchestrator's model; coder, selected by its name, is the specialist's.
var (
	boss = realollama.Model{
		Name: "boss",
		Answers: map[string]string{
			"fan":      fanAnswer,
			"delegate": "Let me hand that on.\n\nAGENT: coder Count the lines of main.go, please.\n",
			"counted":  countedAnswer,
			"short":    shortAnswer,
			"earlier":  earlierAnswer,
			"lost":     "I have no rule for that message.",
		},
		Rules: []realollama.Rule{
			{Contains: "forty-two lines", Answer: "counted"},
			{Contains: "How many lines", Answer: "delegate"},
			{Contains: "fan loud", Answer: "fan"},
			{Contains: "be short", Answer: "short"},
			{Contains: "did we talk", Answer: "earlier"},
		},
		Default: "lost",
	}
	coder = realollama.Model{Name: "tiny-coder", Answers: map[string]string{"counted": expertAnswer}}
)

// The app's main job, as a person does it.
func TestMainJob(t *testing.T) {
	t.Parallel()
	d := newDesk(t, boss, coder)
	app, icon := d.launch(t)

	// given an app in the tray without a window
	if ids := d.screen.windows(app.pid()); len(ids) > 0 {
		t.Errorf("windows %v are shown before anybody asked for one", ids)
	}
	// when the person opens the window and asks
	d.click(t, icon, "Open CPU window")
	d.screen.waitWindow(t, app.pid())
	d.screen.waitDrawn(t)
	empty := d.screen.shot(t, "1-window")
	if n := colours(empty, fullOfColours); n < fullOfColours {
		t.Errorf("the window shows %d colours; it looks empty", n)
	}
	d.screen.typeLine(t, "Why is my fan loud?")
	d.waitAnswer(t, 1, fanAnswer)
	waitFor(t, patience, "the answer on the screen", func() bool { return differing(empty, d.screen.picture(t)) >= 2000 })
	d.screen.shot(t, "2-answer")
	// then the request has the agent's prompt and the question
	first := lastChat(t, d)
	if first.Model != "boss:latest" || first.Messages[0].Role != "system" || !strings.HasPrefix(first.Messages[len(first.Messages)-1].Content, "Why is my fan loud?") {
		t.Errorf("the first request to %s: %s", first.Model, roles(first))
	}

	t.Run("a task for a specialist", func(t *testing.T) { delegates(t, d) })
	t.Run("an edit of memory.md", func(t *testing.T) { remembers(t, d) })

	// when the person quits and starts the app again
	d.click(t, icon, "Quit")
	app.waitExit(t)
	app, icon = d.launch(t)
	d.click(t, icon, "Open CPU window")
	d.screen.waitWindow(t, app.pid())
	d.screen.waitDrawn(t)
	d.screen.shot(t, "5-after-restart")
	d.screen.press(t, "ctrl+k")
	palette := d.screen.still(t)
	d.screen.typeLine(t, "fan loud")
	waitFor(t, patience, "the session", func() bool { return differing(d.screen.picture(t), palette) >= 2000 })
	d.screen.shot(t, "6-session")
	d.screen.typeLine(t, "What did we talk about?")
	d.waitAnswer(t, 4, earlierAnswer)
	d.screen.shot(t, "7-follow-up")
	// then the follow-up's request contains the earlier turns
	for _, text := range []string{"Why is my fan loud?", fanAnswer, "How many lines", countedAnswer, shortAnswer, "What did we talk about?"} {
		if !holds(lastChat(t, d), text) {
			t.Errorf("after the restart the request does not hold %q: %s", text, roles(lastChat(t, d)))
		}
	}
	d.keep(t)
	d.click(t, icon, "Quit")
	app.waitExit(t)
}

func delegates(t *testing.T, d *desk) {
	before := len(d.proxy.Chats(t))
	d.screen.typeLine(t, "How many lines has main.go?")
	d.waitAnswer(t, 2, countedAnswer)
	d.screen.shot(t, "3-delegation")
	chats := d.proxy.Chats(t)[before:]
	if len(chats) != 3 {
		t.Fatalf("%d calls of models, want the orchestrator, the specialist, the orchestrator", len(chats))
	}
	// the orchestrator's request contains the history
	for _, text := range []string{"Why is my fan loud?", fanAnswer, "How many lines has main.go?"} {
		if !holds(chats[0], text) {
			t.Errorf("the orchestrator's request does not hold %q: %s", text, roles(chats[0]))
		}
	}
	// the specialist's request is exactly its prompt and the task
	expert := chats[1]
	if expert.Model != "tiny-coder:latest" {
		t.Errorf("the specialist's model is %s", expert.Model)
	}
	if diff := cmp.Diff([]string{"system", "user"}, roleList(expert)); diff != "" {
		t.Fatalf("the specialist's messages (-want +got):\n%s", diff)
	}
	if task := expert.Messages[1].Content; task != "Count the lines of main.go, please." {
		t.Errorf("the specialist's task is %q", task)
	}
	for _, text := range []string{"fan loud", fanAnswer} {
		if holds(expert, text) {
			t.Errorf("the specialist was told %q, which is the conversation's", text)
		}
	}
	// its answer is sent back
	if !holds(chats[2], expertAnswer) {
		t.Errorf("the specialist's answer is not in the orchestrator's next request: %s", roles(chats[2]))
	}
	if text := d.transcript(t); !strings.Contains(text, "## Agent · ") || !strings.Contains(text, expertAnswer) {
		t.Error("the specialist's answer is not in the transcript")
	}
}

func remembers(t *testing.T, d *desk) {
	const lesson = "Vielfrass never wants more than one sentence."
	d.edit(t, "agents/memory.md", func(old string) string { return strings.TrimRight(old, "\n") + "\n- " + lesson + "\n" })
	d.screen.typeLine(t, "Please be short from now on.")
	d.waitAnswer(t, 3, shortAnswer)
	d.screen.shot(t, "4-memory")
	if next := lastChat(t, d); !holds(next, lesson) {
		t.Errorf("the line that was saved before Enter is not in the next prompt: %s", roles(next))
	}
}

// asks returns the requests for an answer: what is only read in advance is none.
func asks(server *testkit.Server) []testkit.Request {
	return slices.DeleteFunc(server.Chats(), func(r testkit.Request) bool { return r.Chat.Options["num_predict"] == 1.0 })
}

func lastChat(t *testing.T, d *desk) api.ChatRequest {
	t.Helper()
	chats := d.proxy.Chats(t)
	if len(chats) == 0 {
		t.Fatal("no model was called")
	}
	return chats[len(chats)-1]
}

func holds(chat api.ChatRequest, text string) bool {
	for _, m := range chat.Messages {
		if strings.Contains(m.Content, text) {
			return true
		}
	}
	return false
}

func roleList(chat api.ChatRequest) []string {
	var list []string
	for _, m := range chat.Messages {
		list = append(list, m.Role)
	}
	return list
}

// roles describes a request for this test's messages.
func roles(chat api.ChatRequest) string {
	var b strings.Builder
	for _, m := range chat.Messages {
		text := m.Content
		if len(text) > 80 {
			text = text[:80] + "…"
		}
		b.WriteString("\n  " + m.Role + ": " + text)
	}
	return b.String()
}
