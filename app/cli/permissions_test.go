package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mac-stats/agents"
	"mac-stats/agents/ollamatest"
	"mac-stats/agents/tools"
)

func TestPermissionsAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	e := newEnv(t, ollamatest.Script{})
	if out := e.must(t, "permissions"); !strings.Contains(out, "Nothing is allowed for good") {
		t.Errorf("%s", out)
	}
	file := filepath.Join(e.home, "permissions.toml")
	kept := tools.OpenAnswers(file)
	for _, p := range []tools.Permission{
		{Agent: "coder", Tool: tools.RunCmd, Covers: "git", Answer: tools.AnswerAlways},
		{Agent: "orchestrator", Tool: "files.read_file", Answer: tools.AnswerNever},
	} {
		if err := kept.Keep(p, false); err != nil {
			t.Fatal(err)
		}
	}
	list := objects(t, e.must(t, "permissions", "list", "--json"))
	if len(list) != 2 || list[0]["type"] != "permission" || list[0]["covers"] != "git" || list[1]["answer"] != "never" {
		t.Fatalf("%+v", list)
	}
	if out := e.must(t, "permissions"); !strings.Contains(out, "RUN_CMD git") || !strings.Contains(out, "never") {
		t.Errorf("%s", out)
	}
	id, _ := list[0]["id"].(string)
	e.must(t, "permissions", "revoke", id)
	if o := e.run(t, "permissions", "revoke", id); o.code != exitFailed || !strings.Contains(o.stderr, "permissions list` shows") {
		t.Errorf("%+v", o)
	}
	if out := e.must(t, "permissions", "clear"); out != "Revoked 1 permission.\n" {
		t.Errorf("%q", out)
	}
	if err := os.WriteFile(file, []byte("[[perm"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"clear"}, {"revoke", id}} {
		if o := e.run(t, append([]string{"permissions"}, args...)...); o.code != exitFailed || !strings.Contains(o.stderr, "Nothing is allowed until it is put right.") {
			t.Errorf("%q: %+v", args, o)
		}
	}
}

// What is answered with never on the terminal is asked no more.
func TestNeverOnTheTerminalIsKept(t *testing.T) {
	t.Parallel()
	const leak = "http://127.0.0.1:9999/?d=green-tea"
	script := answering("Done.")
	script.Models[0].Capabilities = []string{"completion"}
	script.Rules = append([]ollamatest.Rule{{Times: 1, Reply: ollamatest.Reply{Text: "FETCH_URL: " + leak}}}, script.Rules...)
	e := newEnv(t, script)
	e.terminal, e.piped = true, true
	var stdout, stderr bytes.Buffer
	p := e.params("a stranger's text", &stdout, &stderr)
	p.Terminal = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("v\n")), nil }
	if code := Run(t.Context(), p, []string{"ask", "review this", "-"}); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	list := objects(t, e.must(t, "permissions", "list", "--json"))
	if len(list) != 1 || list[0]["answer"] != "never" || list[0]["covers"] != "127.0.0.1:9999" || list[0]["agent"] != "orchestrator" {
		t.Errorf("%+v", list)
	}
}

// A question that got no answer in time takes none from the next one.
func TestAnAnswerIsForTheQuestionOnTheScreen(t *testing.T) {
	t.Parallel()
	p := newEnv(t, answering("")).params("", io.Discard, io.Discard)
	p.StderrIsTerminal = true
	synctest.Test(t, func(t *testing.T) {
		screen, keys := io.Pipe()
		defer keys.Close()
		p.Terminal = func() (io.ReadCloser, error) { return screen, nil }
		v := (&commands{p: p}).newView(false)
		if !v.canAsk() {
			t.Fatal("nobody can be asked")
		}
		var answers []string
		v.answer = func(id string, a agents.Answer) bool { answers = append(answers, id+" "+string(a)); return true }
		ask := func(id string, a agents.Answer) {
			v.onQuestion(&agents.Question{ID: id, Answers: []agents.Answer{agents.AnswerOnce, agents.AnswerNo}, Answer: a})
			synctest.Wait()
		}
		typed := func(line string) {
			fmt.Fprintln(keys, line)
			synctest.Wait()
		}
		ask("1", "")
		ask("1", agents.AnswerLate)
		ask("2", "")
		typed("y")
		ask("2", agents.AnswerOnce)
		ask("3", "")
		ask("3", agents.AnswerLate)
		typed("y") // too late
		ask("4", "")
		typed("n")
		if want := []string{"2 once", "4 no"}; !slices.Equal(answers, want) {
			t.Errorf("%q, want %q", answers, want)
		}
	})
}
