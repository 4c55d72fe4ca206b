package prompt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// proseLines are lines that aren't directives; each must stream unchanged.
var proseLines = []string{
	"Memory usage is 45 %",
	"AGENT 002 wrote this",
	"MEMORY: 8 GB",
	"FETCH_URL is a tool",
	"SYSTEM_STATS shows 45 %",
	"Agent: Smith",
	"agent: coder do it",
	"Skill: swimming",
	"AGENTS: coder, doctor",
	"AGENT_X: coder",
	"AGENT : coder do it",
	"AGENT：coder do it",
	"ＡＧＥＮＴ: coder do it",
	"АGENT: coder do it", // the first letter is Cyrillic
	" AGENT: coder do it",
	"\tAGENT: coder do it",
	"    SYSTEM_STATS: cpu",
	"\u00a0SYSTEM_STATS: cpu",
	"\u200bSYSTEM_STATS: cpu",
	"\ufeffSYSTEM_STATS: cpu",
	"> AGENT: coder do it",
	">> SYSTEM_STATS: cpu",
	"- AGENT: coder do it",
	"* SYSTEM_STATS: cpu",
	"+ SYSTEM_STATS: cpu",
	"1. AGENT: coder do it",
	"2) FETCH_URL: https://example.org",
	"**AGENT:** coder do it",
	"**AGENT**: coder do it",
	"__SKILL__: x",
	"_SKILL: x_",
	"`AGENT: coder do it`",
	"``SYSTEM_STATS: cpu``",
	"\"AGENT: coder do it\"",
	"'FETCH_URL: https://example.org'",
	"«AGENT: coder»",
	"(AGENT: coder)",
	"[AGENT: coder]",
	"### AGENT: coder do it",
	"| AGENT: coder | x |",
	"Use AGENT: coder for that",
	"To read a page write FETCH_URL: https://example.org",
	"Memory_Append: likes tea",
	"MEMORY APPEND: likes tea",
	"MEMORY-APPEND: likes tea",
	"MEMORY_APPENDIX: likes tea",
	"SYSTEM STATS: cpu",
	"SYSTEM_STAT: cpu",
	"TOOL: SYSTEM_STATS: cpu",
	"FETCH: https://example.org",
	"SHELL: rm -rf /",
	"内存使用率：45 %",
	"代理: 002 写了这个",
	"エージェント: coder に頼む",
	"الذاكرة: 8 جيجابايت",
	"Память: 8 ГБ",
	"AGENT؛ coder",
	"SKILL∶ x",
	"AGENT",
	"AGENT coder",
	"",
	"MEMORY_REMOVE -> x",
	"~AGENT: coder~",
}

func TestProseIsNeverADirective(t *testing.T) {
	if len(proseLines) < 40 {
		t.Fatalf("only %d lines", len(proseLines))
	}
	for _, line := range proseLines {
		for _, reply := range []string{line, line + "\n", "Before.\n" + line + "\nAfter."} {
			found, prose := parseDirectives(reply)
			if len(found) != 0 || prose != reply {
				t.Errorf("given %q: directives %v, prose %q", reply, found, prose)
			}
		}
	}
	all := strings.Join(proseLines, "\n")
	if found, prose := parseDirectives(all); len(found) != 0 || prose != all {
		t.Errorf("all lines together: %v", found)
	}
}

func TestParseDirectives(t *testing.T) {
	for _, tt := range []struct {
		name, reply, prose string
		want               []Directive
	}{
		{"given one line", "SYSTEM_STATS: cpu", "", []Directive{{Name: "SYSTEM_STATS", Arg: "cpu"}}},
		{"given no argument", "SYSTEM_STATS:\n", "", []Directive{{Name: "SYSTEM_STATS", Arg: ""}}},
		{"given no space and a CR", "SYSTEM_STATS:cpu\r\nok", "", []Directive{{Name: "SYSTEM_STATS", Arg: "cpu"}}},
		{"given prose before, and behind it what the model can't know", "Let me see.\n\nSYSTEM_STATS: cpu\nThe load is 12 %.", "Let me see.\n\n", []Directive{{Name: "SYSTEM_STATS", Arg: "cpu"}}},
		{"given a task of several lines", "AGENT: coder Write\n\n- this\n- that\n", "", []Directive{{Name: "AGENT", Arg: "coder Write\n\n- this\n- that"}}},
		{"given two tasks", "AGENT: coder One\nmore\nSKILL: sum Two\nFETCH_URL: https://a.b", "", []Directive{{Name: "AGENT", Arg: "coder One\nmore"}, {Name: "SKILL", Arg: "sum Two"}, {Name: "FETCH_URL", Arg: "https://a.b"}}},
		{"given a fence in a task", "AGENT: coder Fix\n```\nAGENT: x\n```\nthen\nSYSTEM_STATS: cpu", "", []Directive{{Name: "AGENT", Arg: "coder Fix\n```\nAGENT: x\n```\nthen"}, {Name: "SYSTEM_STATS", Arg: "cpu"}}},
		{"given a fence before", "```\nAGENT: x\n```\nAGENT: coder y", "```\nAGENT: x\n```\n", []Directive{{Name: "AGENT", Arg: "coder y"}}},
		{"given a fence of tildes with backticks in it", "~~~ text\n```\nAGENT: x\n~~~\nSYSTEM_STATS: cpu", "~~~ text\n```\nAGENT: x\n~~~\n", []Directive{{Name: "SYSTEM_STATS", Arg: "cpu"}}},
		{"given a longer fence", "````\n```\nAGENT: x\n```\nAGENT: y\n````\nSYSTEM_STATS: cpu", "````\n```\nAGENT: x\n```\nAGENT: y\n````\n", []Directive{{Name: "SYSTEM_STATS", Arg: "cpu"}}},
		{"given an open fence", "```go\nAGENT: x\nSYSTEM_STATS: cpu", "```go\nAGENT: x\nSYSTEM_STATS: cpu", nil},
		{"given inline code that looks like a fence", "```x``` is code\nSYSTEM_STATS: cpu", "```x``` is code\n", []Directive{{Name: "SYSTEM_STATS", Arg: "cpu"}}},
		{"given an indented fence in a list", "- so:\n  ```\nAGENT: x\n  ```\n", "- so:\n  ```\nAGENT: x\n  ```\n", nil},
		{"given a fence on the directive's own line", "AGENT: coder ```\nSYSTEM_STATS: cpu", "", []Directive{{Name: "AGENT", Arg: "coder ```"}, {Name: "SYSTEM_STATS", Arg: "cpu"}}},
		{"given the name alone in the last line", "Hm\nAGENT", "Hm\nAGENT", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, prose := parseDirectives(tt.reply)
			if diff := cmp.Diff(tt.want, found); diff != "" {
				t.Error(diff)
			}
			if prose != tt.prose {
				t.Errorf("prose %q, want %q", prose, tt.prose)
			}
			checkSplits(t, tt.reply)
		})
	}
}

// checkSplits feeds a reply split in two at every position, and byte by byte.
func checkSplits(t *testing.T, reply string) {
	t.Helper()
	want, wantProse := parseDirectives(reply)
	check := func(what string, pieces ...string) {
		var s Scanner
		prose := ""
		for _, p := range pieces {
			prose += s.Write(p)
			if !strings.HasPrefix(wantProse, prose) {
				t.Fatalf("%s of %q: showed %q, which is no beginning of %q", what, reply, prose, wantProse)
			}
		}
		prose += s.Finish()
		if prose != wantProse || !cmp.Equal(s.Found, want) {
			t.Fatalf("%s of %q: prose %q, directives %v; want %q, %v", what, reply, prose, s.Found, wantProse, want)
		}
	}
	for i := range len(reply) {
		check("split", reply[:i], reply[i:])
	}
	check("bytes", strings.Split(reply, "")...)
}

func TestOrdinaryLinesStreamAtOnce(t *testing.T) {
	var s Scanner
	if got := s.Write("It is"); got != "It is" {
		t.Errorf("held back %q", got)
	}
	if got := s.Write(" A\nA"); got != " A\n" {
		t.Errorf("got %q: a line that may become AGENT: waits", got)
	}
	if got := s.Write("GENTS"); got != "AGENTS" {
		t.Errorf("got %q: now it can't", got)
	}
	if got := s.Write("\n```\nAGENT"); got != "\n```\nAGENT" {
		t.Errorf("got %q: in a fence nothing waits", got)
	}
}

func TestFindMiss(t *testing.T) {
	for reply, want := range map[string]string{
		"> SYSTEM_STATS: cpu":                                                          "> SYSTEM_STATS: cpu",
		"\"SYSTEM_STATS: cpu\"":                                                        "\"SYSTEM_STATS: cpu\"",
		"agent: coder do it":                                                           "agent: coder do it",
		"```\nAGENT: nobody do\nall of it\n```":                                        "AGENT: nobody do",
		"- AGENT: nobody do it\nThen I'd tell you.":                                    "- AGENT: nobody do it",
		"I ask him.\n\n**AGENT:** nobody do it":                                        "**AGENT:** nobody do it",
		"FETCH_URL: the weather page":                                                  "FETCH_URL: the weather page",
		"{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}":             "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}",
		"```json\n{\"name\": \"get_weather\", \"parameters\": {}}\n```":                "```json",
		"You could write\n\n    SYSTEM_STATS: cpu":                                     "",
		"She wrote:\n> SYSTEM_STATS: cpu\nand it ran.":                                 "",
		"Agent: Smith\nPhone: 555":                                                     "",
		"- **AGENT:** others\n- **FETCH_URL:** pages\n- **SYSTEM_STATS:** the machine": "",
		"```\nfmt.Println()\n```":                                                      "",
		"Memory usage is 45 %":                                                         "",
		"The AGENT: line calls others":                                                 "",
		"":                                                                             "",
		"Agents: coder, doctor":                                                        "",
		"{\"name\": \"Anna\", \"age\": 3}":                                             "",
		"```\nAGENT: nobody\n```\nThat is how it works":                                "",
	} {
		if got, ok := FindMiss(reply); got.Line != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", reply, got.Line, want)
		}
	}
}

func TestOnlyAnnounces(t *testing.T) {
	for reply, want := range map[string]bool{
		"Let me check your CPU.":                                        true,
		"Sure! I'll look at the processes now.":                         true,
		"I will fetch the page and read it:":                            true,
		"I’ll use the SYSTEM_STATS tool to find out.":                   true,
		"First, I need the figures.":                                    false,
		"Checking the disk…":                                            true,
		"Ich werde die Auslastung prüfen.":                              true,
		"Je vais lire la page.":                                         true,
		"Voy a revisar el disco.":                                       true,
		"Let me know if you need more.":                                 false,
		"Let me explain how rainbows work: light is bent.":              false,
		"I'll look at it. Which file do you mean?":                      false,
		"I'll remember that.":                                           false,
		"Your CPU is at 12 %.":                                          false,
		"Let me check.\n\nYour CPU is at 12 % and all is well with it.": false,
		"": false,
	} {
		if got := OnlyAnnounces(reply); got != want {
			t.Errorf("%q: %v", reply, got)
		}
	}
}

func FuzzDirectives(f *testing.F) {
	for _, line := range proseLines {
		f.Add(line)
	}
	f.Add("A\nAGENT: coder x\n```\nAGENT: y\n```\nSYSTEM_STATS: cpu\nend")
	f.Add("~~~\nSKILL: x\n~~~~\nMEMORY_APPEND: y\r\nz")
	f.Fuzz(func(t *testing.T, reply string) {
		if len(reply) > 300 {
			reply = reply[:300]
		}
		found, prose := parseDirectives(reply)
		if len(found) == 0 && prose != reply {
			t.Fatalf("no directive, and yet %q became %q", reply, prose)
		}
		for _, d := range found {
			if !strings.Contains("\n"+reply, "\n"+d.Name+":") {
				t.Fatalf("%v is not at a line's beginning in %q", d, reply)
			}
		}
		checkSplits(t, reply)
		FindMiss(reply)
	})
}

// parseDirectives returns the exact directives of a whole reply, in order, and the text
// before them. It doesn't limit their number.
func parseDirectives(reply string) (directives []Directive, prose string) {
	var s Scanner
	prose = s.Write(reply)
	prose += s.Finish()
	return s.Found, prose
}
