package agentcmd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/testkit"
	"mac-stats/app/cli/clitest"
)

func TestAgents(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	e.Write(t, "agents/agent-100/agent.json", "{ no json")
	list := clitest.Objects(t, e.Must(t, "agents", "list", "--json"))
	want := []string{"enabled", "error", "id", "model", "name", "role", "slug", "type"}
	if diff := cmp.Diff(want, clitest.Fields(list[0])); diff != "" {
		t.Error(diff)
	}
	if len(list) != 5 || list[0]["slug"] != "orchestrator" || list[0]["error"] != "" || list[4]["id"] != "100" || list[4]["error"] == "" {
		t.Errorf("got %v", list)
	}
	if text := e.Must(t, "agents", "list"); !strings.Contains(text, "broken: ") || !strings.Contains(text, "orchestrator") {
		t.Errorf("text: %s", text)
	}
	shown := clitest.Objects(t, e.Must(t, "agents", "show", "coder", "--json"))[0]
	if shown["slug"] != "coder" || shown["skill"] == "" || shown["description"] == "" {
		t.Errorf("shown: %v", shown)
	}
	if text := e.Must(t, "agents", "show", "agent-100"); !strings.Contains(text, "broken: ") {
		t.Errorf("a broken one: %s", text)
	}
	if o := e.Run(t, "agents", "show", "codr"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "did you mean coder?") {
		t.Errorf("a misspelled one: %+v", o)
	}
	e.Write(t, "agents/agent-002/skill.md", "Mine.\n")
	kept := clitest.Objects(t, e.Must(t, "agents", "reset", "coder", "--json"))
	if len(kept) != 1 || !strings.Contains(kept[0]["path"].(string), "-agent-002") {
		t.Errorf("kept: %v", kept)
	}
	if text := e.Must(t, "agents", "show", "coder"); strings.Contains(text, "Mine.") {
		t.Errorf("after the reset: %s", text)
	}
}

func TestAgentsTest(t *testing.T) {
	t.Parallel()
	script := testkit.Script{Models: []testkit.Model{clitest.Model("qwen3:8b")}, Rules: []testkit.Rule{
		{UserContains: "capital", Reply: testkit.Reply{Text: "It is Paris."}},
		{UserContains: "slow", Reply: testkit.Reply{Text: "x", FirstDelay: 5e9}},
	}}
	e := clitest.New(t, script)
	e.Write(t, "agents/agent-100/agent.json", `{"name":"Geographer","slug":"geo"}`)
	e.Write(t, "agents/agent-100/skill.md", "Answer.\n")
	if o := e.Run(t, "agents", "test", "geo"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "testing.md") {
		t.Errorf("without tests: %+v", o)
	}
	e.Write(t, "agents/agent-100/testing.md", "## Knows it\nThe capital of France?\nExpect: contains paris\nExpect: matches ^It is\n")
	if o := e.Run(t, "agents", "test", "geo"); o.Code != clitest.Done || !strings.HasPrefix(o.Stdout, "CASE      EXPECTED        RESULT  TOOK\nKnows it  contains paris  passed  ") || !strings.HasSuffix(o.Stdout, "geo: 2 passed, 0 failed\n") {
		t.Errorf("passing: %+v", o)
	}
	e.Write(t, "agents/agent-100/testing.md", "## Knows it\nThe capital of France?\nExpect: language en\nExpect: calls nothing\nExpect: doesn't contain Rome\nExpect: at most 2 words\n")
	if o := e.Run(t, "agents", "test", "geo"); o.Code != clitest.Failed || !strings.HasSuffix(o.Stdout, "\nKnows it: at most 2 words\n    line 6: expected: at most 2 words; found: 3 words\n\ngeo: 3 passed, 1 failed\n") {
		t.Errorf("one fails: %+v", o)
	}
	e.Write(t, "agents/agent-100/testing.md", "## Knows it\nThe capital of France?\nExpect: contains Rome\nExpect: contains Paris\n## Hands on\nThe capital again?\nExpect: delegates to coder\n")
	o := e.Run(t, "agents", "test", "geo", "--json")
	lines := clitest.Objects(t, o.Stdout)
	if o.Code != clitest.Failed || len(lines) != 3 || lines[0]["passed"] != false || lines[1]["passed"] != true || lines[2]["passed"] != false || o.Stderr != "" {
		t.Errorf("failing: %+v", o)
	}
	if diff := cmp.Diff([]string{"agent", "case", "expect", "found", "passed", "took_ms", "type"}, clitest.Fields(lines[0])); diff != "" {
		t.Error(diff)
	}
	e.Write(t, "agents/agent-100/testing.md", "## Too slow\nslow\nExpect: contains x\n")
	if o := e.Run(t, "agents", "test", "geo", "--timeout", "100ms"); o.Code != clitest.Failed || !strings.Contains(o.Stdout, "no answer within 100ms") {
		t.Errorf("slow: %+v", o)
	}
	e.Write(t, "agents/agent-100/testing.md", "## No expectation\nhello\n")
	if o := e.Run(t, "agents", "test", "geo"); o.Code != clitest.Failed || !clitest.OneLineOn(o.Stderr, "mac-stats: ") || !strings.Contains(o.Stderr, "can't fail") {
		t.Errorf("a test that can't fail: %+v", o)
	}
	if list := e.Must(t, "sessions", "list", "--json"); list != "" {
		t.Errorf("tests left sessions: %s", list)
	}
}

func TestMistakesInAgents(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, clitest.Answering("ok"))
	e.Write(t, "agents/plain.md", "Just do it.\n")
	e.Write(t, "agents/agent-100/agent.json", "{\"name\": \"Release Notes\",\n\"slug\": \"release-notes\",,}")
	e.Write(t, "agents/agent-100/skill.md", "Write.")
	e.Write(t, "agents/agent-101/agent.json", `{"name": "Geo", "tools": ["NOPE"]}`)
	e.Write(t, "agents/agent-101/skill.md", "Answer.")
	e.Write(t, "agents/agent-102/agent.json", `{"name": "Coder", "slug": "coder", "colour": "red"}`)
	e.Write(t, "agents/agent-102/skill.md", "Code.")
	list := e.Run(t, "agents", "list")
	if !strings.Contains(list.Stderr, "plain.md is not an agent: it has no front matter with a name") || !strings.Contains(list.Stdout, "release-notes") || strings.Contains(list.Stderr, "memory.md") {
		t.Errorf("list: %+v", list)
	}
	if o := e.Run(t, "ask", "--agent", "release-notes", "hi"); o.Code != clitest.Failed || !strings.Contains(o.Stderr, "elease-notes can't be used: agent.json line 2") {
		t.Errorf("a broken one: %+v", o)
	}
	if o := e.Run(t, "ask", "hi"); o.Stdout != "ok\n" || o.Stderr != "" {
		t.Errorf("another agent's mistakes are told: %+v", o)
	}
	doctor := e.Run(t, "doctor")
	for _, want := range []string{
		"✗ agent 101    NOPE: tools that are not known here\n", "· agents       plain.md is not an agent", "fix: Edit " + filepath.Join(e.Home, "agents", "agent-101") + ".\n",
		"✗ agent 100    agent.json line 2", "✗ agent 102    colour: unknown key\n",
	} {
		if !strings.Contains(doctor.Stdout, want) {
			t.Errorf("doctor lacks %q:\n%s", want, doctor.Stdout)
		}
	}
	if strings.Contains(doctor.Stdout, "came with the app") || strings.Contains(doctor.Stdout, "reset 10") {
		t.Errorf("doctor would reset what is not shipped:\n%s", doctor.Stdout)
	}
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	e := clitest.At(t, "127.0.0.1:1")
	e.Refuses(t, "needs one agent", "agents", "show")
	e.Refuses(t, "--timeout must be more than 0", "agents", "test", "coder", "--timeout", "0s")
	e.Refuses(t, "--timeout needs a time such as 30s or 5m, and \"soon\" is none. See", "agents", "test", "000", "--timeout", "soon")
	e.Refuses(t, "`agents show` takes one agent; unexpected argument \"b\"", "agents", "show", "a", "b")
}

// Many agents and skills of other programs take one line a kind.
func TestDoctorNamesEachKindOnce(t *testing.T) {
	t.Parallel()
	e := clitest.New(t, testkit.Script{})
	for _, name := range []string{"ada", "bob", "cleo", "dan", "eve"} {
		e.Write(t, "agents/"+name+".md", "---\nname: "+name+"\ndescription: Use it: often\ntools: Read, Bash\ncolor: red\nmodel: opus\n---\nWork.\n")
		e.Write(t, "skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: d\nversion: 1\n---\nWork.\n")
	}
	report := e.Run(t, "doctor").Stdout
	for _, want := range []string{
		"· agents       ada Read, Bash; bob Read, Bash; cleo Read, Bash and 2 more: tools that are not known here\n",
		"and 2 more: keys that have no meaning here\n", "and 2 more: read as plain text\n", "and 2 more: not a local model; one is chosen by the role\n",
		"· skills       ada version; bob version; cleo version and 2 more: keys that have no meaning here\n", "✓ agents       9 can be used\n",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("%q is not in\n%s", want, report)
		}
	}
	if n := strings.Count(report, "· agents "); n != 4 {
		t.Errorf("%d lines about agents:\n%s", n, report)
	}
}
