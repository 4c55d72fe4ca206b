package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/ollamatest"
)

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	e := newEnv(t, ollamatest.Script{})
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
		t.Run(oneLine(strings.Join(tt.args, " "), 60), func(t *testing.T) {
			o := e.run(t, tt.args...)
			if o.code != exitUsage || o.stdout != "" || !oneLineOn(o.stderr, "mac-stats: ") || !strings.Contains(strings.ToLower(o.stderr), strings.ToLower(tt.want)) || len(o.stderr) > 400 {
				t.Errorf("got %+v", o)
			}
		})
	}
}

func TestPlainStart(t *testing.T) {
	t.Parallel()
	e := newEnv(t, ollamatest.Script{})
	if o := e.run(t); o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: This build has no window. Start it with --headless") {
		t.Errorf("without an app: %+v", o)
	}
	var got AppOptions
	e.runApp = func(_ context.Context, o AppOptions) error { got = o; return nil }
	if o := e.run(t, "--demo", "--headless"); o.code != exitDone || got != (AppOptions{Demo: true, Headless: true}) {
		t.Errorf("options %+v, %+v", got, o)
	}
	e.runApp = func(context.Context, AppOptions) error { return errors.New("there is no display; use --headless") }
	if o := e.run(t); o.code != exitFailed || o.stderr != "mac-stats: There is no display; use --headless.\n" {
		t.Errorf("an app that fails: %+v", o)
	}
}

func TestVersionHelpAndCompletion(t *testing.T) {
	t.Parallel()
	e := newEnv(t, ollamatest.Script{})
	if got := e.must(t, "--version"); got != "mac-stats version 1.2.3\n" {
		t.Errorf("version %q", got)
	}
	for _, args := range [][]string{{"--help"}, {"ask", "--help"}, {"agents", "test", "--help"}, {"completion", "bash"}, {"completion", "fish"}} {
		if got := e.must(t, args...); len(got) < 200 {
			t.Errorf("%q: %q", args, got)
		}
	}
}

func TestABadSettingIsSaid(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("ok"))
	e.write(t, "config.toml", "[session]\nmax_messages = 1\n")
	o := e.run(t, "ask", "hello")
	if o.code != exitDone || o.stdout != "ok\n" || !oneLineOn(o.stderr, "mac-stats: config.toml:2: session.max_messages = 1: ") {
		t.Errorf("got %+v", o)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	e := newEnv(t, answering("The answer."))
	if got := e.must(t, "sessions", "list"); !strings.HasPrefix(got, "No sessions yet.") {
		t.Errorf("got %q", got)
	}
	e.must(t, "ask", "--session", "notes", "A secret question")
	t.Run("list", func(t *testing.T) {
		list := objects(t, e.must(t, "sessions", "list", "--json"))
		want := []string{"active", "messages", "name", "path", "source", "started", "title", "type"}
		if diff := cmp.Diff(want, fields(list[0])); diff != "" {
			t.Error(diff)
		}
		if list[0]["type"] != "session" || list[0]["name"] != "cli-notes" || list[0]["source"] != "cli" || list[0]["title"] != "A secret question" || list[0]["messages"] != 2.0 {
			t.Errorf("got %v", list[0])
		}
		if text := e.must(t, "sessions", "list"); !strings.Contains(text, "cli-notes") || !strings.Contains(text, "A secret question") {
			t.Errorf("text: %s", text)
		}
	})
	t.Run("show", func(t *testing.T) {
		blocks := objects(t, e.must(t, "sessions", "show", "notes", "--json"))
		want := []string{"agent", "id", "kind", "model", "text", "time", "type"}
		if diff := cmp.Diff(want, fields(blocks[0])); diff != "" {
			t.Error(diff)
		}
		b := blocks[1]
		if b["type"] != "block" || b["kind"] != "assistant" || b["agent"] != "orchestrator" || b["model"] != "qwen3:8b" || b["text"] != "The answer." {
			t.Errorf("got %v", b)
		}
		if text := e.must(t, "sessions", "show"); !strings.Contains(text, "  A secret question\n") || !strings.Contains(text, "· orchestrator · qwen3:8b\n  The answer.") {
			t.Errorf("text: %s", text)
		}
	})
	t.Run("status never shows text", func(t *testing.T) {
		for _, args := range [][]string{{"sessions", "status"}, {"sessions", "status", "notes"}, {"sessions", "status", "--json"}} {
			got := e.must(t, args...)
			if strings.Contains(strings.ToLower(got), "secret") || strings.Contains(got, "answer.") || !strings.Contains(got, "cli-notes") {
				t.Errorf("%q: %s", args, got)
			}
		}
		s := objects(t, e.must(t, "sessions", "status", "--json"))[0]
		if diff := cmp.Diff(map[string]any{"user": 1.0, "assistant": 1.0}, s["blocks"]); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("reset", func(t *testing.T) {
		if got := objects(t, e.must(t, "sessions", "reset", "--json")); got[0]["name"] != "cli-notes" {
			t.Errorf("got %v", got)
		}
		e.must(t, "ask", "-c", "Anew")
		chats := e.server.Chats()
		for _, m := range chats[len(chats)-1].Chat.Messages {
			if strings.Contains(m.Content, "secret") {
				t.Errorf("told again after a reset: %q", m.Content)
			}
		}
		if e.poked[1] != "cli-notes" {
			t.Errorf("poked %q", e.poked)
		}
	})
	t.Run("names that match nothing or several", func(t *testing.T) {
		e.must(t, "ask", "--session", "my-notes", "x")
		for _, name := range []string{"nothing", "otes"} {
			if o := e.run(t, "sessions", "show", name); o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: ") {
				t.Errorf("%s: %+v", name, o)
			}
		}
		if o := e.run(t, "sessions", "show", "otes"); !strings.Contains(o.stderr, "cli-my-notes, cli-notes") {
			t.Errorf("the candidates are missing: %s", o.stderr)
		}
	})
}

func TestMemory(t *testing.T) {
	t.Parallel()
	e := newEnv(t, ollamatest.Script{})
	added := objects(t, e.must(t, "memory", "add", "The backup disk", "is called Backup", "--json"))[0]
	want := []string{"budget", "file", "from", "line", "text", "type", "used_chars"}
	if diff := cmp.Diff(want, fields(added)); diff != "" {
		t.Error(diff)
	}
	list := objects(t, e.must(t, "memory", "list", "--json"))
	if len(list) != 1 || !cmp.Equal(list[0], added) || list[0]["text"] != "The backup disk is called Backup" || list[0]["budget"] != 8000.0 {
		t.Errorf("added %v, listed %v", added, list)
	}
	e.must(t, "memory", "add", "--agent", "coder", "Use tabs in Go")
	own := objects(t, e.must(t, "memory", "list", "--agent", "coder", "--json"))
	if len(own) != 1 || own[0]["text"] != "Use tabs in Go" || own[0]["budget"] != 4000.0 || !strings.Contains(own[0]["file"].(string), "agent-002") {
		t.Errorf("the coder's: %v", own)
	}
	if text := e.must(t, "memory", "list"); !strings.Contains(text, " of 8,000 characters") || !strings.Contains(text, "The backup disk is called Backup") {
		t.Errorf("text: %s", text)
	}
	for name, args := range map[string][]string{
		"twice":            {"memory", "add", "The backup disk is called Backup"},
		"an unknown agent": {"memory", "add", "--agent", "nobody", "x y z"},
	} {
		if o := e.run(t, args...); o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: ") {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

func TestAgents(t *testing.T) {
	t.Parallel()
	e := newEnv(t, ollamatest.Script{})
	e.write(t, "agents/agent-100/agent.json", "{ no json")
	list := objects(t, e.must(t, "agents", "list", "--json"))
	want := []string{"enabled", "error", "id", "model", "name", "role", "slug", "type"}
	if diff := cmp.Diff(want, fields(list[0])); diff != "" {
		t.Error(diff)
	}
	if len(list) != 5 || list[0]["slug"] != "orchestrator" || list[0]["error"] != "" || list[4]["id"] != "100" || list[4]["error"] == "" {
		t.Errorf("got %v", list)
	}
	if text := e.must(t, "agents", "list"); !strings.Contains(text, "broken: ") || !strings.Contains(text, "orchestrator") {
		t.Errorf("text: %s", text)
	}
	shown := objects(t, e.must(t, "agents", "show", "coder", "--json"))[0]
	if shown["slug"] != "coder" || shown["skill"] == "" || shown["description"] == "" {
		t.Errorf("shown: %v", shown)
	}
	if text := e.must(t, "agents", "show", "agent-100"); !strings.Contains(text, "broken: ") {
		t.Errorf("a broken one: %s", text)
	}
	if o := e.run(t, "agents", "show", "codr"); o.code != exitFailed || !strings.Contains(o.stderr, "did you mean coder?") {
		t.Errorf("a misspelled one: %+v", o)
	}
	e.write(t, "agents/agent-002/skill.md", "Mine.\n")
	kept := objects(t, e.must(t, "agents", "reset", "coder", "--json"))
	if len(kept) != 1 || !strings.Contains(kept[0]["path"].(string), "agent-002.old-") {
		t.Errorf("kept: %v", kept)
	}
	if text := e.must(t, "agents", "show", "coder"); strings.Contains(text, "Mine.") {
		t.Errorf("after the reset: %s", text)
	}
}

func TestAgentsTest(t *testing.T) {
	t.Parallel()
	script := ollamatest.Script{Models: []ollamatest.Model{model("qwen3:8b")}, Rules: []ollamatest.Rule{
		{UserContains: "capital", Reply: ollamatest.Reply{Text: "It is Paris."}},
		{UserContains: "slow", Reply: ollamatest.Reply{Text: "x", FirstDelay: 5e9}},
	}}
	e := newEnv(t, script)
	e.write(t, "agents/agent-100/agent.json", `{"name":"Geographer","slug":"geo"}`)
	e.write(t, "agents/agent-100/skill.md", "Answer.\n")
	if o := e.run(t, "agents", "test", "geo"); o.code != exitFailed || !strings.Contains(o.stderr, "testing.md") {
		t.Errorf("without tests: %+v", o)
	}
	e.write(t, "agents/agent-100/testing.md", "## Knows it\nThe capital of France?\nExpect: contains paris\nExpect: matches ^It is\n")
	if o := e.run(t, "agents", "test", "geo"); o.code != exitDone || !strings.HasPrefix(o.stdout, "CASE      EXPECTED        RESULT  TOOK\nKnows it  contains paris  passed  ") || !strings.HasSuffix(o.stdout, "geo: 2 passed, 0 failed\n") {
		t.Errorf("passing: %+v", o)
	}
	e.write(t, "agents/agent-100/testing.md", "## Knows it\nThe capital of France?\nExpect: language en\nExpect: calls nothing\nExpect: doesn't contain Rome\nExpect: at most 2 words\n")
	if o := e.run(t, "agents", "test", "geo"); o.code != exitFailed || !strings.HasSuffix(o.stdout, "\nKnows it: at most 2 words\n    line 6: expected: at most 2 words; found: 3 words\n\ngeo: 3 passed, 1 failed\n") {
		t.Errorf("one fails: %+v", o)
	}
	e.write(t, "agents/agent-100/testing.md", "## Knows it\nThe capital of France?\nExpect: contains Rome\nExpect: contains Paris\n## Hands on\nThe capital again?\nExpect: delegates to coder\n")
	o := e.run(t, "agents", "test", "geo", "--json")
	lines := objects(t, o.stdout)
	if o.code != exitFailed || len(lines) != 3 || lines[0]["passed"] != false || lines[1]["passed"] != true || lines[2]["passed"] != false || o.stderr != "" {
		t.Errorf("failing: %+v", o)
	}
	if diff := cmp.Diff([]string{"agent", "case", "expect", "found", "passed", "took_ms", "type"}, fields(lines[0])); diff != "" {
		t.Error(diff)
	}
	e.write(t, "agents/agent-100/testing.md", "## Too slow\nslow\nExpect: contains x\n")
	if o := e.run(t, "agents", "test", "geo", "--timeout", "100ms"); o.code != exitFailed || !strings.Contains(o.stdout, "no answer within 100ms") {
		t.Errorf("slow: %+v", o)
	}
	e.write(t, "agents/agent-100/testing.md", "## No expectation\nhello\n")
	if o := e.run(t, "agents", "test", "geo"); o.code != exitFailed || !oneLineOn(o.stderr, "mac-stats: ") || !strings.Contains(o.stderr, "can't fail") {
		t.Errorf("a test that can't fail: %+v", o)
	}
	if list := e.must(t, "sessions", "list", "--json"); list != "" {
		t.Errorf("tests left sessions: %s", list)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	script := ollamatest.Script{
		Models: []ollamatest.Model{model("qwen3:8b")},
		Pulls:  map[string]ollamatest.Pull{"small:1b": {Model: model("small:1b")}, "broken:1b": {Model: model("broken:1b"), Error: "no space left on device"}},
	}
	e := newEnv(t, script)
	list := objects(t, e.must(t, "models", "list", "--json"))
	if len(list) != 1 || list[0]["type"] != "model" || list[0]["name"] != "qwen3:8b" || list[0]["max_context"] != 32768.0 || list[0]["context"] != 16384.0 {
		t.Errorf("got %v", list)
	}
	if text := e.must(t, "models", "list"); !strings.Contains(text, "16,384 of 32,768") || !strings.Contains(text, "general") {
		t.Errorf("text: %s", text)
	}
	lines := objects(t, e.must(t, "models", "pull", "small:1b", "--json"))
	if last := lines[len(lines)-1]; last["done"] != true || last["name"] != "small:1b" || last["type"] != "pull" {
		t.Errorf("pull: %v", lines)
	}
	e.terminal = true
	if o := e.run(t, "models", "pull", "small:1b"); o.code != exitDone || o.stdout != "small:1b is installed.\n" || !strings.Contains(o.stderr, "\r\x1b[K") {
		t.Errorf("on a terminal: %+v", o)
	}
	e.terminal = false
	for _, name := range []string{"broken:1b", "nothing:1b"} {
		if o := e.run(t, "models", "pull", name); o.code != exitFailed || o.stdout != "" || !oneLineOn(o.stderr, "mac-stats: ") {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
