package agenttest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/registry"
)

func TestParse(t *testing.T) {
	got, err := Parse("notes above\nExpect: contains ignored\n\n## First\r\n\nSay hello,\non two lines.\n\nExpect: contains hello\nexpect: MATCHES\n")
	if err == nil {
		t.Fatalf("an unknown kind was read: %+v", got)
	}
	got, err = Parse("notes\nExpect: contains ignored\n\n## First\r\n\nSay hello,\non two lines.\n\nExpect: contains hello there\nExpect: matches ^h.*o$\n\n" +
		"##  Second \nReview:\n```md\n## not a title\nExpect: contains nothing\n```\n### a heading\n  Expect: delegates to coder\n")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range got {
		lines = append(lines, c.Title+"|"+c.Prompt)
		for _, e := range c.Expects {
			lines = append(lines, fmt.Sprintf("%d %s", e.Line, e))
		}
	}
	want := []string{
		"First|Say hello,\non two lines.", "9 contains hello there", "10 matches ^h.*o$",
		"Second|Review:\n```md\n## not a title\nExpect: contains nothing\n```\n### a heading", "19 delegates to coder",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
}

func TestParse_givenMistake_namesTheLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no case", "just notes\n", "line 1: there is no test case"},
		{"no Expect", "## A\nprompt\n\n## B\nprompt\nExpect: contains x\n", `line 1: case "A" expects nothing`},
		{"no Expect in the last", "## A\nprompt\nExpect: contains x\n## B\nprompt\n", `line 4: case "B" expects nothing`},
		{"no prompt", "\n## A\nExpect: contains x\n", `line 2: case "A" has no prompt`},
		{"unknown kind", "## A\nprompt\nExpect: includes x\n", `line 3: "includes x": want "contains`},
		{"nothing to expect", "## A\nprompt\nExpect: contains\n", `line 3: "contains": want`},
		{"a tool that there isn't", "## A\nprompt\nExpect: calls SHELL\n", "line 3: SHELL is no tool; the tools are AGENT, "},
		{"an agent as a tool", "## A\nprompt\nExpect: calls AGENT coder\n", `line 3: an agent or a skill is expected with "delegates to`},
		{"a language that there isn't", "## A\nprompt\nExpect: language English\n", `line 3: "English" is no language`},
		{"a unit that there isn't", "## A\nprompt\nExpect: at most 3 pages\n", `line 3: "at most 3 pages": want`},
		{"a length that doesn't deny", "## A\nprompt\nExpect: doesn't language de\n", `line 3: "doesn't language de": want`},
		{"bad expression denied", "## A\nprompt\nExpect: doesn't match (\n", "line 3: error parsing regexp"},
		{"bad expression", "## A\nprompt\nExpect: matches (\n", "line 3: error parsing regexp"},
		{"fence not closed", "## A\n```\nprompt\nExpect: contains x\n", "line 1: the code fence"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := Parse(tc.text); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestRead_givenNoFile_saysWhereToWriteIt(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "agent-a"), filepath.Join(dir, "solo.md")} {
		if _, err := Read(registry.New(registry.Config{Root: dir, Defaults: fstest.MapFS{}}), registry.Agent{Path: path}); !errors.Is(err, ErrNoTests) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestRead_givenCaseThatCannotFail_namesFileAndLine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "testing.md")
	if err := os.WriteFile(path, []byte("## T\nprompt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Read(registry.New(registry.Config{Root: dir, Defaults: fstest.MapFS{}}), registry.Agent{Path: dir})
	if err == nil || !strings.Contains(err.Error(), path+" line 1:") {
		t.Errorf("error %v", err)
	}
}

func TestExpectCheck(t *testing.T) {
	calls := []Call{{"SYSTEM_STATS", "disk"}, {"FETCH_URL", "https://example.com/a"}}
	tests := []struct {
		expect string
		of     Outcome
		found  string // "" = holds
	}{
		{"contains Lisbon", Outcome{Answer: "It is LISBON."}, ""},
		{"contains Lisbon", Outcome{Answer: "It is\n Porto."}, `the answer is "It is Porto."`},
		{"contains Lisbon", Outcome{Answer: " \n"}, "the answer is empty"},
		{"doesn't contain Porto", Outcome{Answer: "It is Lisbon."}, ""},
		{"doesn’t contain porto", Outcome{Answer: "It is Porto."}, `the answer is "It is Porto."`},
		{`matches (?m)^\d+$`, Outcome{Answer: "a\n42\nb"}, ""},
		{"matches ^a$", Outcome{Answer: "A"}, `the answer is "A"`},
		{"doesn't match ^a$", Outcome{Answer: "A"}, ""},
		{"doesn't match ^a$", Outcome{Answer: "a"}, `the answer is "a"`},
		{"calls SYSTEM_STATS", Outcome{Calls: calls}, ""},
		{"calls system_stats Disk", Outcome{Calls: calls}, ""},
		{"calls SYSTEM_STATS memory", Outcome{Calls: calls}, "called were SYSTEM_STATS disk, FETCH_URL https://example.com/a"},
		{"calls SYSTEM_STATS", Outcome{Answer: "SYSTEM_STATS"}, "nothing was called"},
		{"doesn't call FETCH_URL", Outcome{Calls: calls[:1]}, ""},
		{"doesn't call FETCH_URL", Outcome{Calls: calls[1:]}, "called were FETCH_URL https://example.com/a"},
		{"calls nothing", Outcome{Answer: "x"}, ""},
		{"calls nothing", Outcome{Delegated: []string{"coder"}}, "called were coder"},
		{"delegates to coder", Outcome{Delegated: []string{"doctor", "Coder"}}, ""},
		{"delegates to coder", Outcome{Delegated: []string{"doctor", "skill:coder"}}, "called were doctor, skill:coder"},
		{"delegates to coder", Outcome{Answer: "coder"}, "nothing was called"},
		{"doesn't delegate to coder", Outcome{Delegated: []string{"doctor"}}, ""},
		{"doesn't delegate to coder", Outcome{Delegated: []string{"coder"}}, "called were coder"},
		{"language de", Outcome{Answer: "Das sind sieben Tage."}, ""},
		{"language de", Outcome{Answer: "There are seven of them."}, `en: the answer is "There are seven of them."`},
		{"language de", Outcome{Answer: "7"}, `no language that can be told: the answer is "7"`},
		{"at most 3 words", Outcome{Answer: "one two\nthree"}, ""},
		{"at most 2 words", Outcome{Answer: "one two\nthree"}, "3 words"},
		{"at least 2 lines", Outcome{Answer: "one\n\ntwo\n"}, ""},
		{"at least 3 lines", Outcome{Answer: "one\n\ntwo\n"}, "2 lines"},
		{"at most 4 characters", Outcome{Answer: "Größe"}, "5 characters"},
		{"at most 1 round", Outcome{Rounds: 1}, ""},
		{"at most 1 round", Outcome{Rounds: 3}, "3 rounds"},
	}
	for _, tc := range tests {
		t.Run(tc.expect, func(t *testing.T) {
			cases, err := Parse("## A\nprompt\nExpect: " + tc.expect + "\n")
			if err != nil {
				t.Fatal(err)
			}
			got, want := "", ""
			if err := cases[0].Expects[0].Check(tc.of); err != nil {
				got = err.Error()
			}
			if tc.found != "" {
				want = "line 3: expected: " + strings.ReplaceAll(tc.expect, "’", "'") + "; found: " + tc.found
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"## A\np\nExpect: contains x\n", "## A\n~~~\n```\n~~~\nExpect: matches a\n", "## \n\n## \n", "Expect:", "```\n## A"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cases, err := Parse(text)
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
