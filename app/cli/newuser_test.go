package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
)

// sessionsIn counts the transcripts of a data folder.
func sessionsIn(t *testing.T, e *env) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.home, "session", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func TestAMistypedAgentOrModelMakesNoSession(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	for _, args := range [][]string{
		{"ask", "--agent", "nope", "hi"}, {"ask", "--model", "gone:7b", "hi"},
	} {
		if o := e.run(t, args...); o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: ") || sessionsIn(t, e) != 0 {
			t.Errorf("%q: %+v, %d sessions", args, o, sessionsIn(t, e))
		}
	}
	o := e.run(t, "ask", "--json", "--agent", "nope", "hi")
	if events := objects(t, o.stdout); o.code != exitFailed || len(events) != 1 || events[0]["type"] != "error" || events[0]["kind"] != agents.KindAgent {
		t.Errorf("with --json: %+v", o)
	}
	if o := e.run(t, "ask", "-c", "hi"); o.code != exitFailed || !strings.Contains(o.stderr, "no session of the command line yet") {
		t.Errorf("-c went on with one of them: %+v", o)
	}
}

func TestNothingPipedInIsRefused(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	e.piped = true
	for _, args := range [][]string{{"ask", "review this", "-"}, {"memory", "add", "Something", "-"}} {
		if o := e.runWith(t.Context(), "", args...); o.code != exitUsage || !strings.Contains(o.stderr, "Stdin was empty") || len(e.server.Chats()) > 0 {
			t.Errorf("%q: %+v", args, o)
		}
	}
}

func TestPrivacyThatNobodyAskedForIsNotAdvisedAgainst(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	e.must(t, "ask", "hello")
	e.write(t, "config.toml", "[session]\nin_memory_only = true\n")
	if o := e.run(t, "ask", "-c", "again"); o.code != exitFailed || !strings.Contains(o.stderr, "Leave -c and --session out") || strings.Contains(o.stderr, "new chat") {
		t.Errorf("asked for: %+v", o)
	}
	e.write(t, "config.toml", "[session\n")
	for _, args := range [][]string{{"ask", "-c", "again"}, {"sessions", "list"}} {
		if o := e.run(t, args...); strings.Contains(o.stderr, "in_memory_only") || !strings.Contains(o.stderr, "config.toml can't be read") {
			t.Errorf("%q: %+v", args, o)
		}
	}
}

func TestSmallPromisesToANewUser(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	e.must(t, "ask", "--session", "notes", "hello")
	folder := t.TempDir()
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"ask", "--session", "", "hi"}, exitUsage, "--session needs a NAME"},
		{[]string{"memory", "list"}, exitDone, "nothing remembered yet"},
		{[]string{"memory", "restore"}, exitDone, "No remembered line is missing.\n"},
		{[]string{"memory", "restore", "nosuch"}, exitFailed, "memory restore --list"},
		{[]string{"sessions", "rename", "notes", "שלום 👩‍👩‍👧"}, exitDone, "cli-notes is now titled “שלום 👩‍👩‍👧”.\n"},
		{[]string{"sessions", "rename", "notes", strings.Repeat("x", 5000)}, exitUsage, "the limit is 200"},
		{[]string{"sessions", "export", "notes", "-o", folder}, exitFailed, folder + " is a folder. Name a file in it"},
		{[]string{"memory", "search", "--strategy", "semantic", "hello"}, exitDone, "by words alone"},
		{[]string{"memory", "add", "a\x1bbc"}, exitFailed, "Not remembered: it holds a control character (U+001B). Type it again without that character."},
		{[]string{"memory", "add", strings.Repeat("wörter ", 400)}, exitFailed, "Not remembered: 2,799 characters; the limit is 300"},
		{[]string{"agents", "show", "nope"}, exitFailed, "; the agents are orchestrator, "},
	} {
		if o := e.run(t, tt.args...); o.code != tt.code || !strings.Contains(o.stdout+o.stderr, tt.says) {
			t.Errorf("%.60q: %+v", tt.args, o)
		}
	}
	if o := e.runWith(t.Context(), "garbage\n", "mcp"); o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: What came on stdin is not the Model Context Protocol.") {
		t.Errorf("mcp: %+v", o)
	}
}

func TestAnAddressThatWasChosenIsNotAnInstallMissing(t *testing.T) {
	t.Parallel()
	c := &commands{p: Params{Environ: []string{"HOME=/home/x", "MAC_STATS_HOME=/data"}, probes: &probes{program: func(string) bool { return false }}}}
	down := func(host string) string {
		e := c.explanation(&ollama.Error{Kind: ollama.ErrOllamaDown, Host: host})
		return e.Sentence + " " + e.Next
	}
	if got := down("127.0.0.1:11434"); !strings.Contains(got, "not installed on this machine") {
		t.Error(got)
	}
	if got := down("127.0.0.1:11501"); strings.Contains(got, "nstall") || !strings.Contains(got, "OLLAMA_HOST") {
		t.Error(got)
	}
	if got := c.explanation(os.ErrInvalid).Next; !strings.Contains(got, "the log in /data/logs says more") {
		t.Error(got)
	}
}

func TestANoticeStandsOnALineOfItsOwn(t *testing.T) {
	t.Parallel()
	both := &strings.Builder{} // as 2>&1 makes it
	c := &commands{p: Params{Stderr: both}, out: &output{w: both, onError: func(error) {}}}
	v := c.newView(false)
	v.onToken(1, "The answer")
	v.row("remembered: it")
	v.onToken(1, " goes on.")
	v.end(agents.Result{})
	if got := both.String(); got != "The answer goes on.\nremembered: it\n" {
		t.Errorf("got %q", got)
	}
}
