package askcmd_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/fault"
	"mac-stats/agents/testkit"
	"mac-stats/app/cli"
	"mac-stats/app/cli/clitest"
)

// sessionsIn counts the transcripts of a data folder.
func sessionsIn(t *testing.T, e *clitest.Env) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.Home, "session", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func TestAMistypedAgentOrModelStartsNoSession(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	for _, args := range [][]string{
		{"ask", "--agent", "nope", "hi"}, {"ask", "--model", "gone:7b", "hi"},
	} {
		if o := e.Run(t, args...); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: ") || sessionsIn(t, e) != 0 {
			t.Errorf("%q: %+v, %d sessions", args, o, sessionsIn(t, e))
		}
	}
	o := e.Run(t, "ask", "--json", "--agent", "nope", "hi")
	if events := clitest.Objects(t, o.Stdout); o.Code != clitest.Failed || len(events) != 1 || events[0]["type"] != "error" || events[0]["kind"] != fault.KindAgent {
		t.Errorf("with --json: %+v", o)
	}
	if o := e.Run(t, "ask", "-c", "hi"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "no session of the command line yet") {
		t.Errorf("-c went on with one of them: %+v", o)
	}
}

func TestNoAdviceToTurnPrivacyOffForAnUnreadableConfig(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	e.Must(t, "ask", "hello")
	e.Write(t, "config.toml", "[session]\nin_memory_only = true\n")
	if o := e.Run(t, "ask", "-c", "again"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "Leave -c and --session out") || strings.Contains(o.Stderr, "new chat") {
		t.Errorf("asked for: %+v", o)
	}
	e.Write(t, "config.toml", "[session\n")
	for _, args := range [][]string{{"ask", "-c", "again"}, {"sessions", "list"}} {
		if o := e.Run(t, args...); strings.Contains(o.Stderr, "in_memory_only") || !strings.Contains(o.Stderr, "config.toml can't be read") {
			t.Errorf("%q: %+v", args, o)
		}
	}
}

func TestAskPrintsOnlyTheAnswerOnStdout(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("It is the **browser**."))
	o := e.Run(t, "ask", "why", "is my fan loud?")
	if o.Code != clitest.Done || o.Stdout != "It is the **browser**.\n" || o.Stderr != "" {
		t.Errorf("got %+v", o)
	}
	files, err := filepath.Glob(filepath.Join(e.Home, "session", "session-memory-cli-*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("transcripts: %v %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"why is my fan loud?", "It is the **browser**."} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the transcript lacks %q:\n%s", want, data)
		}
	}
	if len(e.Poked) != 1 || !strings.HasPrefix(e.Poked[0], "cli-") || !e.Asked {
		t.Errorf("poked %q, asked: %v", e.Poked, e.Asked)
	}
}

// What a model streams is on stdout once, even if the session keeps it in another form.
func TestAskPrintsWhatWasStreamedOnce(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"CR LF":             "The first line.\r\n\r\nThe second line.\r\n",
		"CR":                "The first line.\rThe second line.",
		"blanks around":     "\n\n  The first line.  \n\n\n\nThe second line.\n \n",
		"an end mark":       "The first line. The second line.<|im_end|>",
		"tabs and controls": "The first line.\t\x00 The second line.\v",
	} {
		e := clitest.New(t, clitest.Answering(answer))
		o := e.Run(t, "ask", "two lines")
		if o.Code != clitest.Done || strings.Count(o.Stdout, "The first line.") != 1 || strings.Count(o.Stdout, "The second line.") != 1 || o.Stderr != "" {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

func TestAskContinues(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	if o := e.Run(t, "ask", "-c", "hello"); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: There is no session") {
		t.Errorf("nothing to go on with: %+v", o)
	}
	e.Must(t, "ask", "--session", "notes", "the first one")
	e.Must(t, "ask", "-c", "the second one")
	e.Must(t, "ask", "--session", "cli-notes", "the third one")
	list := clitest.Objects(t, e.Must(t, "sessions", "list", "--json"))
	if len(list) != 1 || list[0]["name"] != "cli-notes" || list[0]["messages"] != 6.0 {
		t.Errorf("sessions: %v", list)
	}
	last := e.Server.Chats()[2].Chat
	var said []string
	for _, m := range last.Messages {
		if m.Role == "user" {
			said = append(said, strings.SplitN(m.Content, "\n", 2)[0])
		}
	}
	if diff := cmp.Diff([]string{"the first one", "the second one", "the third one"}, said); diff != "" {
		t.Errorf("the last request: %s", diff)
	}
	if o := e.Run(t, "ask", "-c", "--session", "notes", "x"); o.Code != clitest.WrongUsage {
		t.Errorf("-c with --session: %+v", o)
	}
}

func TestDiscordIsNotContinued(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	e.Write(t, "session/session-memory-discord-123-20261121-101500-hello.md",
		"---\nformat: mac-stats-session/1\nsession: discord-123\nsource: discord\n---\n\n## User · 2026-11-21T10:15:02Z\n<!-- id=a1 -->\n\nhello\n")
	o := e.Run(t, "ask", "--session", "discord-123", "a secret")
	if o.Code != clitest.Failed || len(e.Server.Chats()) != 0 || !clitest.OneLineOn(o.Stderr, "mac-stats: discord-123 is a Discord session") {
		t.Errorf("got %+v", o)
	}
	if shown := e.Must(t, "sessions", "show", "discord-123"); !strings.Contains(shown, "hello") {
		t.Errorf("it can't be read: %s", shown)
	}
}

func TestAskJSON(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("It is fine."))
	events := clitest.Objects(t, e.Must(t, "ask", "--json", "hello"))
	text := ""
	for _, o := range events {
		if o["type"] == "token" {
			text += o["text"].(string)
		}
	}
	last := events[len(events)-1]
	if text != "It is fine." || last["type"] != "done" || last["text"] != "It is fine." || last["agent"] != "orchestrator" || last["model"] != "qwen3:8b" {
		t.Errorf("tokens %q, last %v", text, last)
	}
	if events[0]["type"] != "state" {
		t.Errorf("first %v", events[0])
	}
}

func TestAskShowsTheAgentsActivity(t *testing.T) {
	t.Parallel()
	script := testkit.Script{Models: []testkit.Model{clitest.Model("qwen3:8b")}, Rules: []testkit.Rule{
		{Name: "delegate", HasTools: testkit.Yes(), AfterTool: testkit.No(), Reply: testkit.Reply{
			ToolCalls: []api.ToolCall{testkit.ToolCall("AGENT", "agent", "coder", "task", "Sort three numbers")},
		}},
		{Name: "answer", AfterTool: testkit.Yes(), Reply: testkit.Reply{Text: "Here it is."}},
		{Name: "coder", Reply: testkit.Reply{Text: "sort.Ints(x)"}},
	}}
	e := clitest.New(t, script)
	o := e.Run(t, "ask", "sort them")
	if o.Code != clitest.Done || o.Stdout != "Here it is.\n" {
		t.Errorf("got %+v", o)
	}
	if !regexp.MustCompile(`(?s)→ coder.*: Sort three numbers\n✓ coder.* s\n`).MatchString(o.Stderr) {
		t.Errorf("stderr: %q", o.Stderr)
	}
	e.Terminal = true
	if o := e.Run(t, "ask", "sort them"); !strings.Contains(o.Stderr, "\r\x1b[K") || strings.Contains(o.Stdout, "\x1b") {
		t.Errorf("the state line is missing, or on stdout: %+v", o)
	}
}

func TestAskFails(t *testing.T) {
	t.Parallel()
	failing := func(f testkit.Fault) testkit.Script {
		s := clitest.Answering("one two three four")
		s.Rules[0].Reply.Fault = &f
		return s
	}
	tests := []struct {
		name   string
		script testkit.Script
		args   []string
		stdout string
		stderr string
	}{
		{"no model", testkit.Script{}, nil, "", "mac-stats: "},
		{"a model that is not installed", clitest.Answering("x"), []string{"--model", "llama9"}, "", "mac-stats: llama9 isn't installed. Pull it with"},
		{"no such agent", clitest.Answering("x"), []string{"--agent", "codr"}, "", "mac-stats: "},
		{"the stream is cut", failing(testkit.Fault{Kind: testkit.FaultCut, After: 2}), nil, "one two\n", "mac-stats: "},
		{"an error in the stream", failing(testkit.Fault{Kind: testkit.FaultErrorLine, After: 2}), nil, "one two\n", "mac-stats: "},
		{"a bad session name", clitest.Answering("x"), []string{"--session", "../x"}, "", "mac-stats: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := clitest.New(t, tt.script)
			o := e.Run(t, append([]string{"ask", "hello"}, tt.args...)...)
			if o.Code != clitest.Failed || strings.TrimRight(o.Stdout, " \n") != strings.TrimRight(tt.stdout, "\n") || !clitest.OneLineOn(o.Stderr, tt.stderr) {
				t.Errorf("got %+v", o)
			}
		})
	}
	t.Run("the server is down", func(t *testing.T) {
		e := clitest.At(t, "127.0.0.1:1")
		o := e.Run(t, "ask", "hello")
		if o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: Ollama isn't running at 127.0.0.1:1. Start it with `ollama serve`") {
			t.Errorf("got %+v", o)
		}
		if shown := e.Must(t, "sessions", "show"); !strings.Contains(shown, "hello") {
			t.Errorf("the message is lost: %s", shown)
		}
	})
}

func TestCtrlCKeepsThePartialAnswer(t *testing.T) {
	t.Parallel()
	script := clitest.Answering("one two three four")
	script.Rules[0].Reply.Fault = &testkit.Fault{Kind: testkit.FaultHangMid, After: 2}
	e := clitest.New(t, script)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	var stderr strings.Builder
	codes := make(chan int)
	go func() {
		codes <- cli.Run(ctx, e.Params("", write, &stderr), []string{"ask", "count"})
		_ = write.Close()
	}()
	got := make([]byte, len("one two"))
	if _, err := io.ReadFull(read, got); err != nil || string(got) != "one two" {
		t.Fatalf("streamed %q, %v", got, err)
	}
	cancel()
	began := time.Now()
	go func() { _, _ = io.Copy(io.Discard, read) }()
	if code := <-codes; code != clitest.Interrupted || stderr.String() != "" {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v", took)
	}
	blocks := clitest.Objects(t, e.Must(t, "sessions", "show", "--json"))
	kinds := ""
	for _, b := range blocks {
		kinds += b["kind"].(string) + " "
	}
	if !strings.HasPrefix(kinds, "user assistant") || strings.TrimSpace(blocks[1]["text"].(string)) != "one two" {
		t.Errorf("blocks: %v", blocks)
	}
}

func TestControlSequencesInAnswersAreRemoved(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("a\x1b]0;evil\x07b"))
	if o := e.Run(t, "ask", "hello"); o.Stdout != "a]0;evilb\n" {
		t.Errorf("got %q", o.Stdout)
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	e := clitest.At(t, "127.0.0.1:1")
	o := e.Run(t, "--demo", "ask", "hello")
	if o.Code != clitest.Done || o.Stdout == "" || !strings.HasPrefix(o.Stderr, "demo, no model") {
		t.Errorf("got %+v", o)
	}
	if _, err := os.Stat(e.Home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the demo touched the data folder: %v", err)
	}
}

func TestAskAttachesFiles(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("A list of fruit."))
	notes := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notes, []byte("apples\npears\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := e.Run(t, "ask", "--session", "fruit", "--file", notes, "what is this?"); o.Code != clitest.Done {
		t.Fatalf("got %+v", o)
	}
	if o := e.Run(t, "ask", "--session", "fruit", "and how many?"); o.Code != clitest.Done {
		t.Fatalf("got %+v", o)
	}
	chats := e.Server.Chats()
	first, second := chats[len(chats)-2].Chat.Messages, chats[len(chats)-1].Chat.Messages
	sent := first[len(first)-1].Content
	if !strings.Contains(sent, "what is this?") || !strings.Contains(sent, ">>>\nFile: notes.txt\n\napples\npears\n<<<end ") {
		t.Errorf("sent %q", sent)
	}
	if again := second[len(first)-1].Content; again != sent {
		t.Errorf("sent again as %q", again)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"ask", "--file", t.TempDir(), "x"}, "the folder holds no text files of less than 1 MB. Nothing was sent."},
		{[]string{"ask", "--file", notes + "x", "x"}, "There is no file " + notes + "x; nothing was sent."},
	} {
		if o := e.Run(t, c.args...); o.Code != clitest.Failed || !strings.Contains(o.Stderr, c.want) || o.Stdout != "" {
			t.Errorf("got %+v, want %s", o, c.want)
		}
	}
}

func TestThink(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]any{"": nil, "on": true, "off": false} {
		script := clitest.Answering("ok")
		script.Models[0].Capabilities = append(script.Models[0].Capabilities, "thinking")
		e := clitest.New(t, script)
		args := []string{"ask", "hello"}
		if value != "" {
			args = append(args, "--think", value)
		}
		e.Must(t, args...)
		var got any
		if think := e.Server.Chats()[0].Chat.Think; think != nil {
			got = think.Value
		}
		if got != want {
			t.Errorf("--think %q asks the model for %v", value, got)
		}
	}
	clitest.At(t, "127.0.0.1:1").Refuses(t, `--think is on or off, not "maybe"`, "ask", "hello", "--think", "maybe")
}

// What ask refuses before its turn is an event for programs, too.
func TestARefusalIsTheLastEvent(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	for _, args := range [][]string{{"--agent", "nobody"}, {"--model", "gone:7b"}} {
		o := e.Run(t, append([]string{"ask", "--json", "hello"}, args...)...)
		events := clitest.Objects(t, o.Stdout)
		if o.Code != clitest.Failed || len(events) != 1 || events[0]["type"] != "error" || events[0]["text"] == "" || len(e.Server.Chats()) > 0 {
			t.Errorf("%q: %+v", args, o)
		}
	}
}

// If config.toml can't be read, nothing is written, so an older conversation can't go on.
func TestAConversationOnDiskWaitsForAReadableConfig(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	e.Must(t, "ask", "--session", "notes", "hello")
	e.Write(t, "config.toml", "[session\n")
	o := e.Run(t, "ask", "--session", "notes", "hello again")
	if o.Code != clitest.Failed || !strings.Contains(o.Stderr, "mac-stats: config.toml can't be read, so nothing may be written, and this conversation is kept in a file. Fix config.toml (`mac-stats doctor` says where)") || len(e.Server.Chats()) != 1 {
		t.Errorf("got %+v", o)
	}
}

// With ollama.num_ctx below what rules and tools take, a large model gets the prompt of a
// small one. If that leaves no room either, the setting is named.
func TestASmallContextOfALargeModel(t *testing.T) {
	t.Parallel()
	for size, fits := range map[string]bool{"512": true, "1000": true, "2000": true} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			e := clitest.New(t, clitest.Answering("It is fine."))
			e.Environ = append(e.Environ, "MAC_STATS_OLLAMA_NUM_CTX="+size, "MAC_STATS_AGENTS_PROMPT_TIER=auto", "MAC_STATS_AGENTS_TOOLS_TIER=auto")
			if o := e.Run(t, "ask", "Why is my fan loud?"); fits != (o.Code == clitest.Done) {
				t.Errorf("a short message: %+v", o)
			}
			o := e.Run(t, "ask", strings.Repeat("Why is my fan loud? ", 1000))
			if o.Code != clitest.Failed || !strings.Contains(o.Stderr, "Raise ollama.num_ctx, or shorten the message. It was not sent.") {
				t.Errorf("a long one: %+v", o)
			}
		})
	}
}

// -c goes on with the model that the conversation was given.
func TestContinueKeepsTheModel(t *testing.T) {
	t.Parallel()
	script := clitest.Answering("ok")
	script.Models = append(script.Models, clitest.Model("zother:1b"))
	e := clitest.New(t, script)
	e.Must(t, "ask", "--model", "zother:1b", "One?")
	e.Must(t, "ask", "-c", "Two?")
	e.Must(t, "ask", "-c", "--model", "qwen3:8b", "Three?")
	e.Must(t, "ask", "-c", "Four?")
	e.Must(t, "ask", "Five?")
	var models []string
	for _, chat := range e.Server.Chats() {
		models = append(models, chat.Chat.Model)
	}
	if got := strings.Join(models, " "); got != "zother:1b zother:1b qwen3:8b qwen3:8b qwen3:8b" {
		t.Errorf("asked %s", got)
	}
	e.Must(t, "ask", "--session", "gone", "--model", "zother:1b", "One?")
	e.Server.SetModels(clitest.Model("qwen3:8b"))
	if o := e.Run(t, "ask", "-c", "Two?"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "zother:1b isn't installed") {
		t.Errorf("a model that is gone: %+v", o)
	}
}
