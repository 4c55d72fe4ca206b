//go:build unix && realollama

package failuretest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
