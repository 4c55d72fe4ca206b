//go:build unix && realollama

package failuretest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit/realollama"
	"mac-stats/sessionmem/filetest"
)

// The main job, with the weights that scripts/models.sh downloads: SmolLM2 answers, all-MiniLM
// makes the vectors. What a model of this size says isn't judged. `make quality` runs it.
func TestTheMainJobWithRealModels(t *testing.T) {
	server := realollama.Start(t)
	if out, err := exec.CommandContext(t.Context(), "../../scripts/models.sh", "create", server.Host()).CombinedOutput(); err != nil {
		t.Fatalf("creating the models: %v\n%s", err, out)
	}
	proxy := server.Record(t)
	p := newPlace(t, proxy.Host(), "MAC_STATS_OLLAMA_IDLE_TIMEOUT=30m", "MAC_STATS_AGENTS_PROMPT_TIER=plain", "MAC_STATS_OLLAMA_EMBED_MODEL=all-minilm")
	memory := filepath.Join(p.home, "agents", "memory.md")
	delete(p.had, "agents/memory.md") // a person edits it here
	ask := func(session, question string) string {
		t.Helper()
		o := p.run("ask", "--session", session, question)
		if answer := strings.TrimSpace(o.stdout); o.code == 0 && answer != "" {
			return answer
		}
		t.Fatalf("%q has no answer: %+v", question, o)
		return ""
	}
	transcript := func(session string) string {
		t.Helper()
		return filetest.Await(t, filepath.Join(p.home, "session", "session-memory-cli-"+session+"-*.md"))
	}
	asked := func(words string) {
		t.Helper()
		chats := proxy.Chats(t)
		if !slices.ContainsFunc(chats[len(chats)-1].Messages, func(m api.Message) bool { return strings.Contains(m.Content, words) }) {
			t.Errorf("the last request lacks %q", words)
		}
	}

	// when a question is asked, then it and its answer are on disk
	answer := ask("walk", "Name three colours of the rainbow.")
	text := filetest.Read(t, transcript("walk"))
	for _, want := range []string{"Name three colours of the rainbow.", answer} {
		if !strings.Contains(text, want) {
			t.Errorf("the transcript lacks %q:\n%s", want, text)
		}
	}

	// when memory.md is edited by hand, then the next request has the line
	filetest.Replace(t, memory, memoryText+"- My boat is called Zephyrine.\n")
	filetest.Must(t, os.Chmod(memory, 0o600))
	ask("walk", "What is my boat called?")
	asked("My boat is called Zephyrine.")

	// when the transcript is edited by hand, then the next request has the new words
	text = filetest.Read(t, transcript("walk"))
	filetest.Replace(t, transcript("walk"), strings.Replace(text, "What is my boat called?", "What is my sailing boat called?", 1))
	ask("walk", "And how long is it?")
	asked("What is my sailing boat called?")

	// when it is searched for in other words, then the message is found by its meaning
	ask("noise", "The dog barks at the postman every morning.")
	if o := p.run("memory", "reindex"); o.code != 0 {
		t.Fatalf("reindex: %+v", o)
	}
	const other = "an animal that is loud"
	if o := p.run("memory", "search", "--all-sessions", "--strategy", "lexical", other); strings.Contains(o.stdout, "barks") {
		t.Errorf("words alone find it, so this proves nothing: %s", o.stdout)
	}
	if o := p.run("memory", "search", "--all-sessions", "--strategy", "semantic", other); !strings.Contains(o.stdout, "The dog barks at the postman") {
		t.Errorf("by meaning: %+v", o)
	}
}

// A long conversation stays as fast as a short one: the app runs, somebody asks in a terminal and
// reads for a second, and one model with one place does everything. Speed is told by ratios on
// the same machine, so nothing else should compute meanwhile. `make quality` runs it.
func TestALongConversationStaysFast(t *testing.T) {
	server := realollama.Start(t)
	if out, err := exec.CommandContext(t.Context(), "../../scripts/models.sh", "create", server.Host()).CombinedOutput(); err != nil {
		t.Fatalf("creating the models: %v\n%s", err, out)
	}
	proxy := server.Record(t)
	proxy.LimitAnswers(12)
	proxy.AnswerForms(func(req api.ChatRequest) string { // a Summary that holds what was said
		var said []string
		for _, m := range req.Messages[:len(req.Messages)-1] {
			if m.Role == "user" {
				said = append(said, m.Content[:min(len(m.Content), 120)])
			}
		}
		answer, err := json.Marshal(map[string]any{"context": "The user asked: " + strings.Join(said, " · "), "lessons": []any{}, "people": []any{}})
		if err != nil {
			t.Error(err)
		}
		return string(answer)
	})
	p := newPlace(t, proxy.Host(), "MAC_STATS_OLLAMA_IDLE_TIMEOUT=30m", "MAC_STATS_OLLAMA_NUM_CTX=4096", "MAC_STATS_RECALL_STRATEGY=lexical",
		"MAC_STATS_RECALL_NOTES_BUDGET=0", // notes are new with each message, and so is the time to read them
		"MAC_STATS_OLLAMA_MODEL=smollm2", "MAC_STATS_OLLAMA_SMALL_MODEL=smollm2")
	delete(p.had, "agents/memory.md") // a Summary may learn
	app := p.start(p.command("--headless"))
	until(t, "the app to run", func() bool { return strings.Contains(app.stdout.String(), "runs without a screen") })

	type turn struct {
		first   time.Duration // to the first token
		begins  bool          // with another beginning than the one before
		request string
	}
	var turns []turn
	steps, longest := 0, time.Duration(0) // of reading in advance
	since := 0                            // turns with the same beginning
	for len(turns) < 40 || since < 2 && len(turns) < 60 {
		n := len(turns) + 1
		before := len(proxy.Requests())
		if o := p.run("ask", "--session", "long", fmt.Sprintf("Question %d: %s?", n, ordinary(n, 30))); o.code != 0 {
			t.Fatalf("turn %d: %+v", n, o)
		}
		now := turn{}
		proxy.Rest(t, time.Second)
		for _, r := range proxy.Requests()[before:] {
			if r.Path != "/api/chat" {
				continue
			}
			chat := r.Chat(t)
			last := chat.Messages[len(chat.Messages)-1]
			switch {
			case chat.Options["num_predict"] == 1.0:
				steps, longest = steps+1, max(longest, r.Took)
			case now.first == 0 && strings.HasPrefix(last.Content, fmt.Sprintf("Question %d:", n)):
				now.first = r.First
				for _, m := range chat.Messages[:len(chat.Messages)-1] {
					now.request += "<" + m.Role + ">" + m.Content
				}
			default:
				t.Logf("beside turn %d: %d messages, the last of which begins with %.80q, for %v", n, len(chat.Messages), last.Content, r.Took)
			}
		}
		if n > 1 {
			now.begins = !strings.HasPrefix(now.request, turns[n-2].request)
		}
		if since++; now.begins {
			since = 0
		}
		turns = append(turns, now)
		t.Logf("turn %d: the first token after %v, %d characters before the message, new beginning: %v; %d steps in advance so far, the longest %v",
			n, now.first.Round(time.Millisecond), len(now.request), now.begins, steps, longest.Round(time.Millisecond))
	}

	third, late := turns[2].first, turns[len(turns)-1].first
	if ratio := late.Seconds() / third.Seconds(); ratio > 1.3 {
		t.Errorf("turn %d waits %v for its first token, turn 3 %v: %.2f times as long", len(turns), late, third, ratio)
	}
	anew := 0
	for i, now := range turns {
		if now.begins {
			anew++
			if ratio := now.first.Seconds() / third.Seconds(); ratio > 1.5 {
				t.Errorf("turn %d, with a new beginning, waits %v for its first token, turn 3 %v: %.2f times as long", i+1, now.first, third, ratio)
			}
		}
	}
	if anew == 0 || steps == 0 {
		t.Errorf("%d turns with a new beginning, %d steps in advance: this proves nothing", anew, steps)
	}
	if most := 2500 * time.Millisecond; longest > most {
		t.Errorf("a message may wait %v for the step of reading in advance that runs, more than %v", longest, most)
	}
	t.Logf("turn 3 %v, turn %d %v; %d turns with a new beginning; %d steps in advance, the longest %v", third, len(turns), late, anew, steps, longest)
}

// ordinary returns n ordinary words, in another order for each turn.
func ordinary(turn, n int) string {
	list := strings.Fields("garden river window morning letter bread market winter stone bridge music paper island harbour candle forest mirror summer " +
		"kitchen blanket village meadow lantern shadow corner button ticket carpet feather whistle")
	var words []string
	for i := range n {
		words = append(words, list[(i*7+turn*11+i/len(list))%len(list)])
	}
	return strings.Join(words, " ")
}
