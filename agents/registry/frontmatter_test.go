package registry

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseFrontMatter(t *testing.T) {
	tests := []struct {
		name, text string
		found      bool
		err        string
		warning    string // part of it
		fields     []frontField
		body       string
	}{
		{name: "none", text: "# Title\n\ntext", body: "# Title\n\ntext"},
		{name: "empty file", text: ""},
		{name: "a rule further down", text: "a\n---\nb: c\n---", body: "a\n---\nb: c\n---"},
		{name: "four dashes", text: "----\na: b\n---\nx", body: "----\na: b\n---\nx"},
		{name: "plain", text: "---\nname: a\n---\nbody", found: true, fields: []frontField{{Key: "name", Line: 2, Text: "a"}}, body: "body"},
		{name: "end at end of file", text: "---\nname: a\n---", found: true, fields: []frontField{{Key: "name", Line: 2, Text: "a"}}},
		{name: "blanks after dashes", text: "--- \nname: a\n---\t\nbody", found: true, fields: []frontField{{Key: "name", Line: 2, Text: "a"}}, body: "body"},
		{name: "empty", text: "---\n---\nbody", found: true, body: "body"},
		{name: "lists", text: "---\na: [x, y]\nb:\n- z\n---\n", found: true, fields: []frontField{{Key: "a", Line: 2, List: []string{"x", "y"}}, {Key: "b", Line: 3, List: []string{"z"}}}},
		{name: "null and map", text: "---\na:\nb: {c: d}\n---\n", found: true, fields: []frontField{{Key: "a", Line: 2, Null: true}, {Key: "b", Line: 3, Map: true}}},
		{name: "not closed", text: "---\nname: a\n", found: true, err: "not closed"},
		{name: "not a mapping", text: "---\n- a\n---\n", found: true, warning: "without lines of the form key"},
		{name: "a tab", text: "---\nname: a\n\tb: c\n---\nx", found: true, warning: "near line 2", fields: []frontField{{Key: "name", Line: 2, Text: "a b: c"}}, body: "x"},
		{
			name: "an unquoted colon", text: "---\nname: a\ndescription: Use it: often\ntools: [A, B]\n---\nx", found: true, warning: "read as plain text", body: "x",
			fields: []frontField{{Key: "name", Line: 2, Text: "a"}, {Key: "description", Line: 3, Text: "Use it: often"}, {Key: "tools", Line: 4, Text: "[A, B]"}},
		},
		{
			name: "prose that goes on", text: "---\nname: \"a\"\ndescription: Use it: often.\n\nExamples:\n<example>\nuser says so\n</example>\nmodel: opus\n# no key\n---\nx", found: true, warning: "read as plain text", body: "x",
			fields: []frontField{{Key: "name", Line: 2, Text: "a"}, {Key: "description", Line: 3, Text: "Use it: often. Examples: <example> user says so </example>"}, {Key: "model", Line: 9, Text: "opus"}},
		},
		{
			name: "a block and a list", text: "---\ndescription: |\n  Two: one\n    : two\ntools:\n  - A\n  - \"B\"\nmodel: a: b\n---\nx", found: true, warning: "read as plain text", body: "x",
			fields: []frontField{{Key: "description", Line: 2, Text: "Two: one : two"}, {Key: "tools", Line: 5, List: []string{"A", "B"}}, {Key: "model", Line: 8, Text: "a: b"}},
		},
		{name: "a second document", text: "---\nname: a\n--- more\nx", found: true, err: "not closed"},
		{name: "closed too far down", text: "---\n" + strings.Repeat("# long\n", frontMatterLimit/7+1) + "---\nx", found: true, err: "not closed"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f := parseFrontMatter(tc.text)
			if f.Found != tc.found || f.Body != tc.body {
				t.Errorf("found %v, body %q; want %v, %q", f.Found, f.Body, tc.found, tc.body)
			}
			if diff := cmp.Diff(tc.fields, f.Fields); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if (f.Warning == "") != (tc.warning == "") || !strings.Contains(f.Warning, tc.warning) {
				t.Errorf("warning %q, want %q", f.Warning, tc.warning)
			}
			if (f.Err == nil) != (tc.err == "") || f.Err != nil && !strings.Contains(f.Err.Error(), tc.err) {
				t.Errorf("error %v, want %q", f.Err, tc.err)
			}
		})
	}
}

func FuzzParseFrontMatter(f *testing.F) {
	for _, seed := range []string{
		"---\nname: a\ntools: [A, B]\n---\nbody", "---\na: &x [1]\nb: *x\n---\n", "---\n? [a]\n: b\n---\n", "---\n!!binary x\n---", "---\nname: |\n  a\n---\n\n---\n",
		"---\n<<: {a: b}\nname: x\n---\ny", "---\n\xff\n---\n", "---\na: *a\n---\n", "---\na: &a {b: *a}\n---\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = NormalizeText([]byte(text))
		front := parseFrontMatter(text)
		if !front.Found && front.Body != text {
			t.Errorf("body %q of a text without front matter %q", front.Body, text)
		}
		if !strings.Contains(text, front.Body) {
			t.Errorf("body %q is not of the text", front.Body)
		}
		a := Agent{MaxRounds: DefaultRounds}
		if front.apply(&a); a.MaxRounds < 1 || a.MaxRounds > maxRounds {
			t.Errorf("unchecked settings: %+v", a)
		}
		var s Skill
		s.setFront(front)
	})
}

func TestFrontMatterAgentSettings(t *testing.T) {
	half := 0.5
	tests := []struct {
		name, yaml string
		want       Agent
	}{
		{name: "all keys", yaml: "name: N\nslug: s\nmodel: m:1b\nrole: code\ndescription: D\norchestrator: True\nenabled: false\nmax_tool_iterations: 3\ntemperature: 0.5\ntools: [FETCH_URL]", want: Agent{
			Name: "N", Slug: "s", Model: "m:1b", Role: "code", Description: "D", Entry: true, MaxRounds: 3, Temperature: &half, Tools: []string{"FETCH_URL"},
		}},
		{name: "nulls are not written", yaml: "name: N\nslug: ~\nmodel:\nenabled:\nmaxTurns:\ntemperature: null\ntools:", want: Agent{Name: "N", Slug: "n", Role: "general", Enabled: true, MaxRounds: 15}},
		{name: "no tools", yaml: "name: N\ntools: []", want: Agent{Name: "N", Slug: "n", Role: "general", Enabled: true, MaxRounds: 15, Tools: []string{}}},
		{name: "hosted model", yaml: "name: N\nmodel: Sonnet", want: Agent{
			Name: "N", Slug: "n", Role: "general", Enabled: true, MaxRounds: 15, Warnings: []string{"model Sonnet: not a local model; one is chosen by the role"},
		}},
		{name: "a number as name", yaml: "name: 42", want: Agent{Name: "42", Slug: "42", Role: "general", Enabled: true, MaxRounds: 15}},
		{name: "wrong kinds", yaml: "name: [a]\norchestrator: [true]\nenabled: perhaps\nmaxTurns: 1.5\ntemperature: hot\ntools: {a: b}", want: Agent{
			Role: "general", MaxRounds: 15, Tools: []string{}, Warnings: []string{
				"name in line 2: the value isn't understood", "orchestrator in line 3: the value isn't understood", "enabled in line 4: the value isn't understood", "maxTurns in line 5: the value isn't understood",
				"temperature in line 6: the value isn't understood", "tools in line 7: the value isn't understood", "name is missing: the id stands in for it",
			},
		}},
		{name: "words for yes and no", yaml: "name: N\norchestrator: Yes\nenabled: off", want: Agent{Name: "N", Slug: "n", Role: "general", Entry: true, MaxRounds: 15}},
		{name: "of another program", yaml: "name: N\ncolor: blue\nhooks: {a: b}\ntools: Read, Grep, FETCH_URL", want: Agent{
			Name: "N", Slug: "n", Role: "general", Enabled: true, MaxRounds: 15, Tools: []string{"FETCH_URL"},
			Warnings: []string{"color, hooks: keys that have no meaning here", "Read, Grep: tools that are not known here"},
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got := Agent{Enabled: true, MaxRounds: DefaultRounds, Role: RoleGeneral}
			parseFrontMatter("---\n" + tc.yaml + "\n---\nbody").apply(&got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}
