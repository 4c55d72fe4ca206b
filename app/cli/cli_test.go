package cli_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli"
	"mac-stats/app/cli/clitest"
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
	e := clitest.New(t, testkit.Script{})
	e.Refuses(t, "did you mean ask?", "aks", "hello")
	e.Refuses(t, "did you mean list?", "sessions", "lsit")
	e.Refuses(t, "Say what to do: list, show, search, status, reset, compact, rename, restore, delete, export, import.", "sessions")
	e.Refuses(t, "unknown flag: --bad", "ask", "--bad", "x")
	e.Refuses(t, "unknown flag: --bad", "--bad")
	e.Refuses(t, `no command "look"`, "sessions", "look", "x")
	e.Refuses(t, "give one of them", "--window", "--headless")
	e.Refuses(t, `no command "foo"`, "completion", "foo")
	e.Refuses(t, "name a shell", "completion")
	e.Refuses(t, "in -xxx", "memory", "add", "-"+strings.Repeat("x", 9000))
	e.Refuses(t, "`mac-stats --version` tells it", "version")
	e.Refuses(t, "--json goes behind the command: `mac-stats ask --json`", "--json", "ask", "hello")
	e.Refuses(t, "`mac-stats sessions list --json`", "--json", "sessions", "list")
	e.Refuses(t, "`memory add` does nothing with --demo", "memory", "add", "x y z", "--demo")
	e.Refuses(t, "no model to test an agent with", "--demo", "agents", "test", "orchestrator")
	e.Refuses(t, "ask without -c", "--demo", "ask", "-c", "hello")
	e.Refuses(t, "temporary one", "--demo", "sessions", "list")
}

func TestPlainStart(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
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
	e := clitest.New(t, testkit.Script{})
	if got := e.Must(t, "--version"); got != "mac-stats version 1.2.3\n" {
		t.Errorf("version %q", got)
	}
	for _, args := range [][]string{{"--help"}, {"ask", "--help"}, {"agents", "test", "--help"}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}} {
		if got := e.Must(t, args...); len(got) < 200 {
			t.Errorf("%q: %q", args, got)
		}
	}
}
