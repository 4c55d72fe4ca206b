//go:build unix

package failuretest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shirou/gopsutil/v4/mem"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
)

// tiny returns the installed model.
func tiny() testkit.Model {
	return testkit.Model{Name: "tiny:1b", Size: 1 << 20, ParameterSize: "1B", ContextLength: 16384, Loaded: true, Capabilities: []string{"completion"}}
}

// answering returns a server with the model, which gives every chat the same reply.
func answering(reply testkit.Reply) testkit.Script {
	return testkit.Script{Models: []testkit.Model{tiny()}, Rules: []testkit.Rule{{Reply: reply}}}
}

func faulty(f testkit.Fault) testkit.Script {
	return answering(testkit.Reply{Text: "One two three four five.", Fault: &f})
}

// serverFailures lists what the server does and what a user sees. {host} stands for its
// address. partial is the text that had arrived; the text is the sentence and the next
// step.
var serverFailures = []struct {
	name           string
	script         testkit.Script
	env            []string
	args           []string
	kind           string
	sentence, next string
	partial        string
	row            string // written to stderr before that
	chats          int
}{
	{
		name:     "goes down in mid-stream",
		script:   faulty(testkit.Fault{Kind: testkit.FaultDown, After: 2}),
		kind:     "stream_cut",
		sentence: "The connection to Ollama at {host} broke off in mid-answer.", next: "The partial answer is kept. Check that Ollama is running, then Retry.",
		partial: "One two", chats: 1,
	},
	{
		name:     "hangs before the first byte",
		script:   faulty(testkit.Fault{Kind: testkit.FaultHangFirst}),
		env:      []string{"MAC_STATS_OLLAMA_IDLE_TIMEOUT=5s"},
		args:     []string{"--agent", "mini", "--no-tools"}, // a long prompt gets more time
		kind:     "timeout",
		sentence: "Ollama at {host} doesn't answer.", next: "Retry. If it happens again, restart Ollama, or raise ollama.idle_timeout.",
		chats: 1,
	},
	{
		name:     "hangs in mid-stream",
		script:   faulty(testkit.Fault{Kind: testkit.FaultHangMid, After: 2}),
		env:      []string{"MAC_STATS_OLLAMA_IDLE_TIMEOUT=5s"},
		kind:     "timeout",
		sentence: "Ollama at {host} stopped in mid-answer.", next: "The partial answer is kept. Retry. If it happens again, restart Ollama, or raise ollama.idle_timeout.",
		partial: "One two", chats: 1,
	},
	{
		name:     "answers nothing but silence from the start",
		script:   testkit.Script{Fault: &testkit.Fault{Kind: testkit.FaultHangFirst}},
		env:      []string{"MAC_STATS_OLLAMA_IDLE_TIMEOUT=5s"},
		kind:     "timeout",
		sentence: "Ollama at {host} doesn't answer.", next: "Retry. If it happens again, restart Ollama, or raise ollama.idle_timeout.",
	},
	{
		name:     "answers 500",
		script:   faulty(testkit.Fault{Kind: testkit.FaultStatus, Status: 500}),
		kind:     "server",
		sentence: "Ollama at {host} reported an error (HTTP 500): something went wrong inside.", next: "Retry. If it happens again, see the server's log.",
		chats: 1,
	},
	{
		name:     "answers 503 for ever",
		script:   faulty(testkit.Fault{Kind: testkit.FaultStatus, Status: 503}),
		kind:     "busy",
		sentence: "Ollama at {host} is busy with other requests (HTTP 503): server busy, please try again. maximum pending requests exceeded.", next: "Wait a moment, then Retry.",
		chats: 4,
	},
	{
		name:     "answers a web page",
		script:   faulty(testkit.Fault{Kind: testkit.FaultGarbage}),
		kind:     "server",
		sentence: "What answers at {host} doesn't look like Ollama: it answered with a web page: Welcome – It works!.", next: "Check OLLAMA_HOST, and ollama.host in config.toml, then Retry.",
		chats: 1,
	},
	{
		name:     "answers a web page to everything",
		script:   testkit.Script{Fault: &testkit.Fault{Kind: testkit.FaultGarbage}},
		kind:     "server",
		sentence: "What answers at {host} doesn't look like Ollama: it answered with a web page: Welcome – It works!.", next: "Check OLLAMA_HOST, and ollama.host in config.toml, then Retry.",
	},
	{
		name:     "sends a line that is no JSON",
		script:   faulty(testkit.Fault{Kind: testkit.FaultNotJSON, After: 2}),
		kind:     "server",
		sentence: "What answers at {host} doesn't look like Ollama: a line of its answer is not the JSON expected: Bad gateway.", next: "Check OLLAMA_HOST, and ollama.host in config.toml, then Retry.",
		partial: "One two", chats: 1,
	},
	{
		name:     "sends an error line in a good stream",
		script:   faulty(testkit.Fault{Kind: testkit.FaultErrorLine, After: 2, Message: "llama runner process has terminated: signal: killed"}),
		kind:     "server",
		sentence: "Ollama at {host} reported an error: llama runner process has terminated: signal: killed.", next: "Retry. If it happens again, see the server's log.",
		partial: "One two", chats: 1,
	},
	{
		name:     "closes without done",
		script:   faulty(testkit.Fault{Kind: testkit.FaultCut, After: 2}),
		kind:     "stream_cut",
		sentence: "The connection to Ollama at {host} broke off in mid-answer.", next: "The partial answer is kept. Check that Ollama is running, then Retry.",
		partial: "One two", chats: 1,
	},
	{
		name:     "resets the connection",
		script:   faulty(testkit.Fault{Kind: testkit.FaultReset, After: 2}),
		kind:     "stream_cut",
		sentence: "The connection to Ollama at {host} broke off in mid-answer.", next: "The partial answer is kept. Check that Ollama is running, then Retry.",
		partial: "One two", chats: 1,
	},
	{
		name:     "resets the connection before a word",
		script:   faulty(testkit.Fault{Kind: testkit.FaultReset}),
		kind:     "stream_cut",
		sentence: "The connection to Ollama at {host} broke off before an answer came.", next: "Check that Ollama is running, then Retry.",
		chats: 1,
	},
	{
		name:     "gives an empty answer",
		script:   answering(testkit.Reply{Chunks: []string{""}}),
		kind:     "server",
		sentence: "tiny:1b gave an empty answer.", next: "Retry, or choose another model.",
		chats: 1,
	},
	{
		name:     "has not the model asked for",
		script:   answering(testkit.Reply{Text: "Never said."}),
		args:     []string{"--model", "qwen3:8b"},
		kind:     "model_missing",
		sentence: "qwen3:8b isn't installed.", next: "Pull it with `mac-stats models pull qwen3:8b`, or choose another model.",
	},
	{
		name:     "has no model at all",
		script:   testkit.Script{},
		kind:     "no_model",
		sentence: "No model is installed yet.", next: "Pull one: `mac-stats models pull {advice}`, then Retry.",
	},
	{
		name:     "lost the model meanwhile",
		script:   faulty(testkit.Fault{Kind: testkit.FaultStatus, Status: 404}),
		kind:     "model_missing",
		sentence: "tiny:1b isn't installed (HTTP 404): model not found, try pulling it first.", next: "Pull it with `mac-stats models pull tiny:1b`, or choose another model.",
		chats: 1,
	},
	{
		name:     "refuses the request as too long, again and again",
		script:   faulty(testkit.Fault{Kind: testkit.FaultStatus, Status: 400}),
		args:     []string{"--session", "old"},
		kind:     "context_overflow",
		row:      "did not fit: 1 older message\n",
		sentence: "The conversation doesn't fit the context of tiny:1b, even shortened (HTTP 400): the input length exceeds the context length.", next: "Start a new chat, or choose a model with a larger context.",
		chats: 2,
	},
}

// question contains characters that a shell or a file may stumble over.
const question = "What is 2 + 2, \"friend\"?"

func TestServerFails(t *testing.T) {
	t.Parallel()
	for _, tt := range serverFailures {
		for _, format := range []string{"text", "json"} {
			t.Run(tt.name+", "+format, func(t *testing.T) {
				t.Parallel()
				server := testkit.Start(t, tt.script)
				p := newPlace(t, server.Addr(), tt.env...)
				p.write("agents/mini.md", "---\nname: mini\ndescription: Says little.\n---\n\nBe brief.\n")
				p.write("agents/soul.md", "Be brief.\n")
				words := strings.NewReplacer("{host}", server.Addr(), "{advice}", advice(t))
				sentence, next := words.Replace(tt.sentence), words.Replace(tt.next)
				session, said := "cli-now", []string(nil)
				if slices.Contains(tt.args, "old") {
					session, said = oldSession, []string{"user: How long does green tea steep?", "assistant: Two minutes."}
				}
				args := append([]string{"ask", "--session", strings.TrimPrefix(session, "cli-")}, tt.args...)
				stderr := "mac-stats: " + sentence + " " + fault.Explanation{Next: next}.Terminal().Next + "\n"
				if format == "json" {
					o := p.run(append(args, "--json", question)...)
					o.expect(t, 1, o.stdout, stderr)
					if e := last(t, o.stdout); e.Type != "error" || e.Kind != tt.kind || e.Text != sentence || e.Detail != next {
						t.Errorf("the last event is %+v", e)
					}
				} else {
					p.run(append(args, question)...).expect(t, 1, line(tt.partial), tt.row+stderr)
				}
				said = append(said, "user: "+question)
				if tt.partial != "" {
					said = append(said, "assistant: "+tt.partial)
				}
				p.expectSaid(session, append(said, "note: error "+sentence)...)
				if got := len(server.Chats()); got != tt.chats {
					t.Errorf("%d chats, want %d", got, tt.chats)
				}
			})
		}
	}
}

// line ends a nonempty text with a line end.
func line(text string) string {
	if text == "" {
		return ""
	}
	return text + "\n"
}

// advice returns the model recommended for this machine.
func advice(t *testing.T) string {
	t.Helper()
	memory, err := mem.VirtualMemory()
	if err != nil {
		t.Fatal(err)
	}
	return ollama.Advice(memory.Total)[0].Model
}

// programs returns a folder of programs that do nothing.
func programs(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestServerIsNotInstalled(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1", "PATH="+programs(t))
	o := p.run("ask", "--session", "now", question)
	if want := "mac-stats: Ollama isn't running at 127.0.0.1:1. Start the server that listens there, or put "; !strings.HasPrefix(o.stderr, want) {
		t.Errorf("stderr %q", o.stderr)
	}
}

func TestServerIsDown(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1", "PATH="+programs(t, "ollama"))
	p.run("ask", "--session", "now", question).expect(t, 1, "",
		"mac-stats: Ollama isn't running at 127.0.0.1:1. Start it with `ollama serve`, then try again.\n")
	p.expectSaid("cli-now", "user: "+question, "note: error Ollama isn't running at 127.0.0.1:1.")

	// when it runs again, the conversation goes on, including the message that got no
	// answer
	server := testkit.Start(t, answering(testkit.Reply{Text: "Four."}))
	p.env = append(p.env, "OLLAMA_HOST="+server.Addr())
	p.run("ask", "-c", "Are you there?").expect(t, 0, "Four.\n", "")
	p.expectSaid("cli-now", "user: "+question, "note: error Ollama isn't running at 127.0.0.1:1.", "user: Are you there?", "assistant: Four.")
	var sent []string
	for _, m := range server.Chats()[0].Chat.Messages[1:] {
		text, _, _ := strings.Cut(m.Content, "\n")
		sent = append(sent, m.Role+": "+text)
	}
	if diff := cmp.Diff([]string{"user: " + question, "user: Are you there?"}, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

func TestServerIsBusyForAMoment(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, faulty(testkit.Fault{Kind: testkit.FaultStatus, Status: 503, Times: 2}))
	p := newPlace(t, server.Addr())
	p.run("ask", "--session", "now", question).expect(t, 0, "One two three four five.\n", "")
	p.expectSaid("cli-now", "user: "+question, "assistant: One two three four five.")
	if got := len(server.Chats()); got != 3 {
		t.Errorf("%d chats, want 3", got)
	}
}

func TestOverflowIsRetriedOnce(t *testing.T) {
	t.Parallel()
	server := testkit.Start(t, faulty(testkit.Fault{Kind: testkit.FaultStatus, Status: 400, Times: 1}))
	p := newPlace(t, server.Addr())
	p.run("ask", "--session", "old", question).expect(t, 0, "One two three four five.\n", "did not fit: 1 older message\n")
	p.expectSaid(oldSession, "user: How long does green tea steep?", "assistant: Two minutes.",
		"user: "+question, "assistant: One two three four five.")
	chats := server.Chats()
	if len(chats) != 2 || len(chats[1].Chat.Messages) >= len(chats[0].Chat.Messages) {
		t.Errorf("%d chats; the second is not shorter", len(chats))
	}
}

// An old server cuts a long prompt silently; the number of tokens it counted reveals that.
func TestSilentCutIsNoticed(t *testing.T) {
	t.Parallel()
	script := answering(testkit.Reply{Text: "Four."})
	script.OldServer, script.MaxLoaded = true, 2048
	server := testkit.Start(t, script)
	p := newPlace(t, server.Addr())
	long := strings.TrimSpace(strings.Repeat("all work and no play makes a dull day ", 700))
	o := p.run("ask", "--session", "now", long)
	o.expect(t, 0, "Four.\n", "mac-stats: The server left out a part of the request: the answer may miss something.\n")
	p.expectSaid("cli-now", "user: "+long,
		"note: limit The server left out a part of the request: the answer may miss something.", "assistant: Four.")
}

func TestServerComesBackSlowly(t *testing.T) {
	t.Parallel()
	model := tiny()
	model.Loaded, model.LoadDelay = false, 2500*time.Millisecond
	script := answering(testkit.Reply{Text: "Four."})
	script.Models = []testkit.Model{model}
	server := testkit.Start(t, script)
	p := newPlace(t, server.Addr(), "MAC_STATS_OLLAMA_IDLE_TIMEOUT=5s")
	p.run("ask", "--session", "now", question).expect(t, 0, "Four.\n", "") // loading is no silence
}
