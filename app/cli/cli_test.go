package cli_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/agents/ollamatest"
	"mac-stats/app/cli"
	"mac-stats/app/cli/clitest"
	"mac-stats/app/cli/words"
)

func TestHelpShowsDemoOnlyIfItWorks(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	if got := e.Must(t, "ask", "--help"); !strings.Contains(got, "--demo") || !strings.Contains(got, "--model string") {
		t.Errorf("ask: %s", got)
	}
	if got := e.Must(t, "memory", "add", "--help"); strings.Contains(got, "--demo") {
		t.Errorf("memory add: %s", got)
	}
}

func TestTheLogHasStartStopAndFailuresWithoutText(t *testing.T) {
	t.Parallel()
	script := clitest.Answering("The secret answer.")
	e := clitest.New(t, script)
	e.Write(t, "config.toml", "[session]\nmax_messages = 1\n")
	e.Must(t, "ask", "A secret question")
	e.Must(t, "memory", "add", "The secret disk is called Backup")
	if o := e.Run(t, "ask", "--model", "gone:7b", "Another secret question"); o.Code != clitest.Failed {
		t.Fatalf("got %+v", o)
	}
	data, err := os.ReadFile(filepath.Join(e.Home, "logs", "mac-stats.log"))
	if err != nil {
		t.Fatal(err)
	}
	log := string(data)
	for _, want := range []string{
		"msg=start pid=", " mode=command version=1.2.3 data=", "ollama=" + e.Server.Addr(), "msg=stop",
		`msg="turn failed"`, "kind=model_missing", `msg="setting not usable"`, "key=session.max_messages",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	if strings.Contains(strings.ToLower(log), "secret") {
		t.Errorf("text is in the log:\n%s", log)
	}
}

func TestFirstContact(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	e.Must(t, "ask", "--session", "notes", "hello")
	folder := t.TempDir()
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"ask", "--session", "", "hi"}, clitest.WrongUsage, "--session needs a NAME"},
		{[]string{"memory", "list"}, clitest.Done, "nothing remembered yet"},
		{[]string{"memory", "restore"}, clitest.Done, "No remembered line is missing.\n"},
		{[]string{"memory", "restore", "nosuch"}, clitest.Failed, "memory restore --list"},
		{[]string{"sessions", "rename", "notes", "שלום 👩‍👩‍👧"}, clitest.Done, "cli-notes is now titled “שלום 👩‍👩‍👧”.\n"},
		{[]string{"sessions", "rename", "notes", strings.Repeat("x", 5000)}, clitest.WrongUsage, "the limit is 200"},
		{[]string{"sessions", "export", "notes", "-o", folder}, clitest.Failed, folder + " is a folder. Name a file in it"},
		{[]string{"memory", "search", "--strategy", "semantic", "hello"}, clitest.Done, "by words alone"},
		{[]string{"memory", "add", "a\x1bbc"}, clitest.Failed, "Not remembered: it holds a control character (U+001B). Type it again without that character."},
		{[]string{"memory", "add", strings.Repeat("wörter ", 400)}, clitest.Failed, "Not remembered: 2,799 characters; the limit is 300"},
		{[]string{"agents", "show", "nope"}, clitest.Failed, "; the agents are orchestrator, "},
	} {
		if o := e.Run(t, tt.args...); o.Code != tt.code || !strings.Contains(o.Stdout+o.Stderr, tt.says) {
			t.Errorf("%.60q: %+v", tt.args, o)
		}
	}
	if o := e.RunWith(t.Context(), "garbage\n", "mcp"); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: What came on stdin is not the Model Context Protocol.") {
		t.Errorf("mcp: %+v", o)
	}
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, ollamatest.Script{})
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"aks", "hello"}, "did you mean ask?"},
		{[]string{"sessions", "lsit"}, "did you mean list?"},
		{[]string{"sessions"}, "Say what to do: list, show, search, status, reset, compact, rename, restore, delete, export, import."},
		{[]string{"sessions", "list", "x"}, "`sessions list` takes no arguments; unexpected argument \"x\""},
		{[]string{"agents", "show"}, "needs one agent"},
		{[]string{"permissions", "revoke"}, "needs one ID; `permissions list` shows them"},
		{[]string{"permissions", "give"}, `no command "give"`},
		{[]string{"ask", "--bad", "x"}, "unknown flag: --bad"},
		{[]string{"--bad"}, "unknown flag: --bad"},
		{[]string{"models", "pull"}, "needs one model"},
		{[]string{"agents", "test", "coder", "--timeout", "0s"}, "--timeout must be more than 0"},
		{[]string{"sessions", "rename", "x"}, "needs a NAME and a TITLE"},
		{[]string{"sessions", "rename", "x", " "}, "the title is empty"},
		{[]string{"sessions", "delete"}, "say which session to delete"},
		{[]string{"sessions", "export"}, "needs one NAME"},
		{[]string{"sessions", "export", "x", "--format", "pdf"}, "export as html, open the file in a browser and print it"},
		{[]string{"sessions", "export", "x", "--format", "odt"}, "--format is md, html or json"},
		{[]string{"sessions", "export", "x", "--json", "--format", "md"}, "--json writes JSON to stdout"},
		{[]string{"sessions", "search"}, "needs a QUERY"},
		{[]string{"sessions", "search", " "}, "the query is empty"},
		{[]string{"sessions", "search", "x", "--limit", "abc"}, "--limit needs a whole number, and \"abc\" is none. See"},
		{[]string{"agents", "test", "000", "--timeout", "soon"}, "--timeout needs a time such as 30s or 5m, and \"soon\" is none. See"},
		{[]string{"sessions", "search", "x", "--limit", "-1"}, "--limit must be 0 or more"},
		{[]string{"sessions", "look", "x"}, `no command "look"`},
		{[]string{"agents", "show", "a", "b"}, "`agents show` takes one agent; unexpected argument \"b\""},
		{[]string{"--window", "--headless"}, "give one of them"},
		{[]string{"completion", "foo"}, `no command "foo"`},
		{[]string{"completion"}, "name a shell"},
		{[]string{"memory", "add", "-" + strings.Repeat("x", 9000)}, "in -xxx"},
		{[]string{"version"}, "`mac-stats --version` tells it"},
		{[]string{"--json", "ask", "hello"}, "--json goes behind the command: `mac-stats ask --json`"},
		{[]string{"--json", "sessions", "list"}, "`mac-stats sessions list --json`"},
		{[]string{"memory", "add", "x y z", "--demo"}, "`memory add` does nothing with --demo"},
		{[]string{"--demo", "agents", "test", "orchestrator"}, "no model to test an agent with"},
		{[]string{"--demo", "ask", "-c", "hello"}, "ask without -c"},
		{[]string{"--demo", "sessions", "list"}, "temporary one"},
	}
	for _, tt := range tests {
		t.Run(words.OneLine(strings.Join(tt.args, " "), 60), func(t *testing.T) {
			o := e.Run(t, tt.args...)
			if o.Code != clitest.WrongUsage || o.Stdout != "" || !clitest.OneLineOn(o.Stderr, "mac-stats: ") || !strings.Contains(strings.ToLower(o.Stderr), strings.ToLower(tt.want)) || len(o.Stderr) > 400 {
				t.Errorf("got %+v", o)
			}
		})
	}
}

func TestPlainStart(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, ollamatest.Script{})
	if o := e.Run(t); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: This build has no window. Start it with --headless") {
		t.Errorf("without an app: %+v", o)
	}
	var got cli.AppOptions
	e.RunApp = func(_ context.Context, o cli.AppOptions) error { got = o; return nil }
	if o := e.Run(t, "--demo", "--headless"); o.Code != clitest.Done || got != (cli.AppOptions{Demo: true, Headless: true}) {
		t.Errorf("options %+v, %+v", got, o)
	}
	e.RunApp = func(context.Context, cli.AppOptions) error { return errors.New("there is no display; use --headless") }
	if o := e.Run(t); o.Code != clitest.Failed || o.Stderr != "mac-stats: There is no display; use --headless.\n" {
		t.Errorf("an app that fails: %+v", o)
	}
}

func TestVersionHelpAndCompletion(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, ollamatest.Script{})
	if got := e.Must(t, "--version"); got != "mac-stats version 1.2.3\n" {
		t.Errorf("version %q", got)
	}
	for _, args := range [][]string{{"--help"}, {"ask", "--help"}, {"agents", "test", "--help"}, {"completion", "bash"}, {"completion", "fish"}} {
		if got := e.Must(t, args...); len(got) < 200 {
			t.Errorf("%q: %q", args, got)
		}
	}
}
