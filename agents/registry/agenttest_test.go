package registry

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTests(t *testing.T) {
	got, err := parseTests("notes above\nExpect: contains ignored\n\n## First\r\n\nSay hello,\non two lines.\n\nExpect: contains hello\nexpect: MATCHES\n")
	if err == nil {
		t.Fatalf("an unknown kind was read: %+v", got)
	}
	got, err = parseTests("notes\nExpect: contains ignored\n\n## First\r\n\nSay hello,\non two lines.\n\nExpect: contains hello there\nExpect: matches ^h.*o$\n\n" +
		"##  Second \nReview:\n```md\n## not a title\nExpect: contains nothing\n```\n### a heading\n  Expect: delegates to coder\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []TestCase{
		{Title: "First", Prompt: "Say hello,\non two lines.", Expects: []Expect{{Kind: "contains", Arg: "hello there", Line: 9}, {Kind: "matches", Arg: "^h.*o$", Line: 10}}},
		{Title: "Second", Prompt: "Review:\n```md\n## not a title\nExpect: contains nothing\n```\n### a heading", Expects: []Expect{{Kind: "delegates", Arg: "coder", Line: 19}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
}

func TestParseTests_givenMistake_tellsTheLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no case", "just notes\n", "line 1: there is no test case"},
		{"no Expect", "## A\nprompt\n\n## B\nprompt\nExpect: contains x\n", `line 1: case "A" expects nothing`},
		{"no Expect in the last", "## A\nprompt\nExpect: contains x\n## B\nprompt\n", `line 4: case "B" expects nothing`},
		{"no prompt", "\n## A\nExpect: contains x\n", `line 2: case "A" has no prompt`},
		{"unknown kind", "## A\nprompt\nExpect: includes x\n", `line 3: "includes x": want "contains`},
		{"nothing to expect", "## A\nprompt\nExpect: contains\n", `line 3: "contains": want`},
		{"bad expression", "## A\nprompt\nExpect: matches (\n", "line 3: error parsing regexp"},
		{"fence not closed", "## A\n```\nprompt\nExpect: contains x\n", "line 1: the code fence"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := parseTests(tc.text); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestTests_givenNoFile_saysWhereToWriteIt(t *testing.T) {
	r := registryOf(t, agentTree{
		"agents/agent-a/agent.json": `{"name":"A"}`, "agents/agent-a/skill.md": "a", "agents/solo.md": "---\nname: solo\n---\nx",
		"agents/agent-b/agent.json": `{"name":"B"}`, "agents/agent-b/skill.md": "b", "agents/agent-b/testing.md": "## T\nprompt\n",
	})
	for _, id := range []string{"a", "solo"} {
		if _, err := r.Tests(agentByID(t, r, id)); !errors.Is(err, ErrNoTests) {
			t.Errorf("%s: %v", id, err)
		}
	}
	_, err := r.Tests(agentByID(t, r, "b"))
	if err == nil || !strings.Contains(err.Error(), filepath.Join("agent-b", "testing.md")+" line 1:") {
		t.Errorf("b: %v", err)
	}
}

func TestExpectCheck(t *testing.T) {
	tests := []struct {
		name      string
		expect    Expect
		answer    string
		delegated []string
		want      string // "" = holds
	}{
		{"contains", Expect{ExpectContains, "Lisbon", 3}, "It is LISBON.", nil, ""},
		{"contains not", Expect{ExpectContains, "Lisbon", 3}, "It is\n Porto.", nil, `line 3: expected: contains Lisbon; found: the answer is "It is Porto."`},
		{"contains nothing", Expect{ExpectContains, "Lisbon", 3}, " \n", nil, "line 3: expected: contains Lisbon; found: the answer is empty"},
		{"matches", Expect{ExpectMatches, `(?m)^\d+$`, 4}, "a\n42\nb", nil, ""},
		{"matches by case", Expect{ExpectMatches, "^a$", 4}, "A", nil, `line 4: expected: matches ^a$; found: the answer is "A"`},
		{"matches with a bad expression", Expect{ExpectMatches, "(", 4}, "(", nil, "line 4: expected: matches (; found: error parsing regexp: missing closing ): `(`"},
		{"delegates", Expect{ExpectDelegates, "coder", 5}, "", []string{"doctor", "Coder"}, ""},
		{"delegates to another", Expect{ExpectDelegates, "coder", 5}, "", []string{"doctor", "assistant"}, "line 5: expected: delegates to coder; found: called were doctor, assistant"},
		{"delegates to none", Expect{ExpectDelegates, "coder", 5}, "coder", nil, "line 5: expected: delegates to coder; found: no agent was called"},
		{"unknown kind", Expect{"smells", "x", 6}, "x", nil, `line 6: expected: smells x; found: "smells" is no kind of expectation`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got := ""
			if err := tc.expect.Check(tc.answer, tc.delegated); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func FuzzParseTests(f *testing.F) {
	for _, seed := range []string{"## A\np\nExpect: contains x\n", "## A\n~~~\n```\n~~~\nExpect: matches a\n", "## \n\n## \n", "Expect:", "```\n## A"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cases, err := parseTests(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("error without a line: %v", err)
			}
			return
		}
		for _, c := range cases {
			if c.Prompt == "" || len(c.Expects) == 0 {
				t.Errorf("a case that can't be run or can't fail: %+v", c)
			}
		}
	})
}
