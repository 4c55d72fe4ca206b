package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollamatest"
)

func TestAskAnswersOnStdoutAlone(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("It is the **browser**."))
	o := e.run(t, "ask", "why", "is my fan loud?")
	if o.code != exitDone || o.stdout != "It is the **browser**.\n" || o.stderr != "" {
		t.Errorf("got %+v", o)
	}
	files, err := filepath.Glob(filepath.Join(e.home, "session", "session-memory-cli-*.md"))
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
	if len(e.poked) != 1 || !strings.HasPrefix(e.poked[0], "cli-") {
		t.Errorf("poked %q", e.poked)
	}
}

func TestAskReadsStdin(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stdin string
		piped       bool
		args        []string
		want        string // "" for an error
	}{
		{"beside text stdin is a file", "diff --git\n+x\n", true, []string{"ask", "review this", "-"}, ">>>\nFile: stdin\n\ndiff --git\n+x\n<<<end "},
		{"a - alone is stdin", "what is up?\n", true, []string{"ask", "-"}, "what is up?"},
		{"piped and no text", "what is up?\n", true, []string{"ask"}, "what is up?"},
		{"text without - leaves stdin alone", "not read", true, []string{"ask", "hello"}, "hello"},
		{"flags may stand behind", "", false, []string{"ask", "hello", "--no-tools"}, "hello"},
		{"nothing on stdin", "\n", true, []string{"ask", "-"}, ""},
		{"no text at all", "", false, []string{"ask"}, ""},
		{"a binary file", "\xff\xfe\x00", true, []string{"ask", "-"}, ""},
		{"too much", strings.Repeat("x", maxStdin+1), true, []string{"ask", "-"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnv(t, answering("ok"))
			e.piped = tt.piped
			o := e.runWith(t.Context(), tt.stdin, tt.args...)
			if tt.want == "" {
				if o.code == exitDone || len(e.server.Chats()) > 0 || !oneLineOn(o.stderr, "mac-stats: ") {
					t.Errorf("accepted: %+v", o)
				}
				return
			}
			if o.code != exitDone || len(e.server.Chats()) != 1 {
				t.Fatalf("got %+v", o)
			}
			if got := ollamatest.LastUser(*e.server.Chats()[0].Chat); !strings.Contains(got, tt.want) || strings.Contains(got, "not read") {
				t.Errorf("the model was asked %q", got)
			}
		})
	}
}

func TestAskContinues(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	if o := e.run(t, "ask", "-c", "hello"); o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: There is no session") {
		t.Errorf("nothing to go on with: %+v", o)
	}
	e.must(t, "ask", "--session", "notes", "the first one")
	e.must(t, "ask", "-c", "the second one")
	e.must(t, "ask", "--session", "cli-notes", "the third one")
	list := objects(t, e.must(t, "sessions", "list", "--json"))
	if len(list) != 1 || list[0]["name"] != "cli-notes" || list[0]["messages"] != 6.0 {
		t.Errorf("sessions: %v", list)
	}
	last := e.server.Chats()[2].Chat
	var said []string
	for _, m := range last.Messages {
		if m.Role == "user" {
			said = append(said, strings.SplitN(m.Content, "\n", 2)[0])
		}
	}
	if diff := cmp.Diff([]string{"the first one", "the second one", "the third one"}, said); diff != "" {
		t.Errorf("the last request: %s", diff)
	}
	if o := e.run(t, "ask", "-c", "--session", "notes", "x"); o.code != exitUsage {
		t.Errorf("-c with --session: %+v", o)
	}
}

func TestDiscordIsNotContinued(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	e.write(t, "session/session-memory-discord-123-20261121-101500-hello.md",
		"---\nformat: mac-stats-session/1\nsession: discord-123\nsource: discord\n---\n\n## User · 2026-11-21T10:15:02Z\n<!-- id=a1 -->\n\nhello\n")
	o := e.run(t, "ask", "--session", "discord-123", "a secret")
	if o.code != exitFailed || len(e.server.Chats()) != 0 || !oneLineOn(o.stderr, "mac-stats: discord-123 is a Discord session") {
		t.Errorf("got %+v", o)
	}
	if shown := e.must(t, "sessions", "show", "discord-123"); !strings.Contains(shown, "hello") {
		t.Errorf("it can't be read: %s", shown)
	}
}

func TestAskJSON(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("It is fine."))
	events := objects(t, e.must(t, "ask", "--json", "hello"))
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

func TestAskSaysWhatTheAgentsDo(t *testing.T) {
	t.Parallel()
	script := ollamatest.Script{Models: []ollamatest.Model{model("qwen3:8b")}, Rules: []ollamatest.Rule{
		{Name: "delegate", HasTools: ollamatest.Yes(), AfterTool: ollamatest.No(), Reply: ollamatest.Reply{
			ToolCalls: []api.ToolCall{ollamatest.ToolCall("AGENT", "agent", "coder", "task", "Sort three numbers")},
		}},
		{Name: "answer", AfterTool: ollamatest.Yes(), Reply: ollamatest.Reply{Text: "Here it is."}},
		{Name: "coder", Reply: ollamatest.Reply{Text: "sort.Ints(x)"}},
	}}
	e := newEnv(t, script)
	o := e.run(t, "ask", "sort them")
	if o.code != exitDone || o.stdout != "Here it is.\n" {
		t.Errorf("got %+v", o)
	}
	if !regexp.MustCompile(`(?s)→ coder.*: Sort three numbers\n✓ coder.* s\n`).MatchString(o.stderr) {
		t.Errorf("stderr: %q", o.stderr)
	}
	e.terminal = true
	if o := e.run(t, "ask", "sort them"); !strings.Contains(o.stderr, "\r\x1b[K") || strings.Contains(o.stdout, "\x1b") {
		t.Errorf("the state line is missing, or on stdout: %+v", o)
	}
}

func TestAskFails(t *testing.T) {
	t.Parallel()
	failing := func(f ollamatest.Fault) ollamatest.Script {
		s := answering("one two three four")
		s.Rules[0].Reply.Fault = &f
		return s
	}
	tests := []struct {
		name   string
		script ollamatest.Script
		args   []string
		stdout string
		stderr string
	}{
		{"no model", ollamatest.Script{}, nil, "", "mac-stats: "},
		{"a model that is not installed", answering("x"), []string{"--model", "llama9"}, "", "mac-stats: llama9 isn't installed. Pull it with"},
		{"no such agent", answering("x"), []string{"--agent", "codr"}, "", "mac-stats: "},
		{"the stream is cut", failing(ollamatest.Fault{Kind: ollamatest.FaultCut, After: 2}), nil, "one two\n", "mac-stats: "},
		{"an error in the stream", failing(ollamatest.Fault{Kind: ollamatest.FaultErrorLine, After: 2}), nil, "one two\n", "mac-stats: "},
		{"a bad session name", answering("x"), []string{"--session", "../x"}, "", "mac-stats: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnv(t, tt.script)
			o := e.run(t, append([]string{"ask", "hello"}, tt.args...)...)
			if o.code != exitFailed || strings.TrimRight(o.stdout, " \n") != strings.TrimRight(tt.stdout, "\n") || !oneLineOn(o.stderr, tt.stderr) {
				t.Errorf("got %+v", o)
			}
		})
	}
	t.Run("the server is down", func(t *testing.T) {
		e := &env{probes: healthy(), open: patient}
		e.at(t, "127.0.0.1:1")
		o := e.run(t, "ask", "hello")
		if o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: Ollama isn't running at 127.0.0.1:1. Start it with `ollama serve`") {
			t.Errorf("got %+v", o)
		}
		if shown := e.must(t, "sessions", "show"); !strings.Contains(shown, "hello") {
			t.Errorf("the message is lost: %s", shown)
		}
	})
}

func TestCtrlCKeepsThePartialAnswer(t *testing.T) {
	t.Parallel()
	script := answering("one two three four")
	script.Rules[0].Reply.Fault = &ollamatest.Fault{Kind: ollamatest.FaultHangMid, After: 2}
	e := newEnv(t, script)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	var stderr strings.Builder
	codes := make(chan int)
	go func() {
		codes <- Run(ctx, e.params("", write, &stderr), []string{"ask", "count"})
		_ = write.Close()
	}()
	got := make([]byte, len("one two"))
	if _, err := io.ReadFull(read, got); err != nil || string(got) != "one two" {
		t.Fatalf("streamed %q, %v", got, err)
	}
	cancel()
	began := time.Now()
	go func() { _, _ = io.Copy(io.Discard, read) }()
	if code := <-codes; code != exitInterrupted || stderr.String() != "" {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v", took)
	}
	blocks := objects(t, e.must(t, "sessions", "show", "--json"))
	kinds := ""
	for _, b := range blocks {
		kinds += b["kind"].(string) + " "
	}
	if !strings.HasPrefix(kinds, "user assistant") || strings.TrimSpace(blocks[1]["text"].(string)) != "one two" {
		t.Errorf("blocks: %v", blocks)
	}
}

func TestCtrlCWhileReadingStdin(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("x"))
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	defer write.Close()
	p := e.params("", io.Discard, io.Discard)
	p.Stdin = read
	time.AfterFunc(50*time.Millisecond, cancel)
	if code := Run(ctx, p, []string{"ask", "-"}); code != exitInterrupted {
		t.Errorf("exit %d", code)
	}
}

// brokenPipe takes so many bytes and then has no reader.
type brokenPipe struct{ left int }

func (b *brokenPipe) Write(data []byte) (int, error) {
	if b.left -= len(data); b.left < 0 {
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	}
	return len(data), nil
}

// fullDisk is a file on a disk without space.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestABrokenPipeEndsQuietly(t *testing.T) {
	t.Parallel()
	script := answering("one two three four")
	script.Rules[0].Reply.Fault = &ollamatest.Fault{Kind: ollamatest.FaultHangMid, After: 3}
	e := newEnv(t, script)
	for _, args := range [][]string{{"ask", "count"}, {"agents", "list", "--json"}, {"agents", "list"}, {"doctor"}, {"--help"}} {
		var stderr strings.Builder
		if code := Run(t.Context(), e.params("", &brokenPipe{left: 5}, &stderr), args); code != exitBrokenPipe || stderr.String() != "" {
			t.Errorf("%q: exit %d, stderr %q", args, code, stderr.String())
		}
	}
	if shown := e.must(t, "sessions", "show"); !strings.Contains(shown, "count") {
		t.Errorf("the message is lost: %s", shown)
	}
	var stderr strings.Builder
	if code := Run(t.Context(), e.params("", fullDisk{}, &stderr), []string{"agents", "list"}); code != exitFailed || !oneLineOn(stderr.String(), "mac-stats: The output can't be written") {
		t.Errorf("a full disk: exit %d, %q", code, stderr.String())
	}
}

func TestTerminalCommandsInAnswersAreTakenOut(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("a\x1b]0;evil\x07b"))
	if o := e.run(t, "ask", "hello"); o.stdout != "a]0;evilb\n" {
		t.Errorf("got %q", o.stdout)
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	e := &env{probes: healthy(), open: patient}
	e.at(t, "127.0.0.1:1")
	o := e.run(t, "--demo", "ask", "hello")
	if o.code != exitDone || o.stdout == "" || !strings.HasPrefix(o.stderr, "demo, no model") {
		t.Errorf("got %+v", o)
	}
	if _, err := os.Stat(e.home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the demo touched the data folder: %v", err)
	}
}

func TestAskAttachesFiles(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("A list of fruit."))
	notes := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notes, []byte("apples\npears\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := e.run(t, "ask", "--session", "fruit", "--file", notes, "what is this?"); o.code != exitDone {
		t.Fatalf("got %+v", o)
	}
	if o := e.run(t, "ask", "--session", "fruit", "and how many?"); o.code != exitDone {
		t.Fatalf("got %+v", o)
	}
	chats := e.server.Chats()
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
		if o := e.run(t, c.args...); o.code != exitFailed || !strings.Contains(o.stderr, c.want) || o.stdout != "" {
			t.Errorf("got %+v, want %s", o, c.want)
		}
	}
}

// On a terminal a question waits for what is typed there; anything but a yes is a no.
func TestAskAsksOnTheTerminal(t *testing.T) {
	t.Parallel()
	const leak = "http://127.0.0.1:9999/?d=green-tea" // refused when it is dialled
	for _, tt := range []struct {
		name, typed    string
		args           []string
		terminal       bool
		asked, fetched bool
	}{
		{"yes", "y\n", nil, true, true, true},
		{"no", "n\n", nil, true, true, false},
		{"only Enter", "\n", nil, true, true, false},
		{"nothing can be read", "", nil, true, true, false},
		{"no terminal", "y\n", nil, false, false, false},
		{"JSON", "y\n", []string{"--json"}, true, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script := answering("Done.")
			script.Models[0].Capabilities = []string{"completion"}
			script.Rules = append([]ollamatest.Rule{{Times: 1, Reply: ollamatest.Reply{Text: "FETCH_URL: " + leak}}}, script.Rules...)
			e := newEnv(t, script)
			e.terminal, e.piped = tt.terminal, true
			var stdout, stderr bytes.Buffer
			p := e.params("a stranger's text", &stdout, &stderr)
			p.Terminal = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(tt.typed)), nil }
			code := Run(t.Context(), p, append([]string{"ask", "review this", "-"}, tt.args...))
			all := stdout.String() + stderr.String()
			if code != exitDone || strings.Contains(all, "Allow it? [y] once, [N] no, [v] never") != tt.asked {
				t.Errorf("exit %d, said:\n%s", code, all)
			}
			if tt.asked && !strings.Contains(all, "what:   "+leak) {
				t.Errorf("the address isn't shown:\n%s", all)
			}
			last := e.server.Chats()[1].Chat.Messages
			told := last[len(last)-1].Content
			if refused := strings.Contains(told, "the user said no") || strings.Contains(told, "nobody can be asked"); refused == tt.fetched {
				t.Errorf("the model was told %q", told)
			}
		})
	}
}
