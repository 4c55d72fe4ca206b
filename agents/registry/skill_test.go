package registry

import (
	"errors"
	"strings"
	"testing"
)

func TestSkills_givenBothForms_listsThemByName(t *testing.T) {
	r := registryOf(t, agentTree{
		"skills/summarize/SKILL.md":        "---\nname: summarize\ndescription: Summarizes.\nallowed-tools: Read\n---\nDo it.",
		"skills/summarize/scripts/x.sh":    "exit 1",
		"skills/skill-2-Code.md":           "# Code\n\nWrite code.",
		"skills/skill-07-notes.md":         "---\ndescription: Takes notes.\n---\nNotes.",
		"skills/README.md":                 "no skill",
		"skills/empty-folder/readme.txt":   "no skill",
		"skills/old.old-20261121/SKILL.md": "---\nname: old\ndescription: x\n---\nx",
		"agents/skills/skill-1-extra.md":   "Extra.",
		"agents/skills/skill-2-code.md":    "the same again",
	})
	var got []string
	for _, s := range r.Skills() {
		line := s.Name + "|" + s.Number + "|" + s.Description + "|" + s.Body
		if s.Err != nil {
			line += "|" + s.Err.Error()
		}
		got = append(got, strings.ReplaceAll(line, r.root, "~"))
	}
	want := []string{
		"code|2|Code|# Code\n\nWrite code.",
		`code|2|the same again|the same again|skill "code" is already defined by skills/skill-2-Code.md`,
		"extra|1|Extra.|Extra.",
		"notes|07|Takes notes.|Notes.",
		"summarize||Summarizes.|Do it.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSkills_givenRulesOfTheFormat_saysWhatIsWrong(t *testing.T) {
	tests := []struct{ name, folder, text, want string }{
		{"good", "a-1", "---\nname: a-1\ndescription: d\n---\nx", ""},
		{"longest name", strings.Repeat("a", 64), "---\nname: " + strings.Repeat("a", 64) + "\ndescription: d\n---\nx", ""},
		{"too long a name", strings.Repeat("a", 65), "---\nname: " + strings.Repeat("a", 65) + "\ndescription: d\n---\nx", "want 1 to 64"},
		{"upper case", "Ab", "---\nname: Ab\ndescription: d\n---\nx", "want 1 to 64 of a-z"},
		{"hyphen first", "-a", "---\nname: -a\ndescription: d\n---\nx", "single hyphens inside"},
		{"double hyphen", "a--b", "---\nname: a--b\ndescription: d\n---\nx", "single hyphens inside"},
		{"another folder", "b", "---\nname: a\ndescription: d\n---\nx", "must be the same"},
		{"no name", "a", "---\ndescription: d\n---\nx", "name is missing"},
		{"no description", "a", "---\nname: a\n---\nx", "description has 0 characters"},
		{"long description", "a", "---\nname: a\ndescription: " + strings.Repeat("ü", 1025) + "\n---\nx", "description has 1025 characters"},
		{"longest description", "a", "---\nname: a\ndescription: " + strings.Repeat("ü", 1024) + "\n---\nx", ""},
		{"no body", "a", "---\nname: a\ndescription: d\n---\n", "nothing below"},
		{"no front matter", "a", "just text", "no front matter"},
		{"bad YAML", "a", "---\nname: [\n---\nx", "line"},
		{"binary", "a", "a\x00", "is not a text file"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			r := registryOf(t, agentTree{"skills/" + tc.folder + "/SKILL.md": tc.text, "skills/good/SKILL.md": "---\nname: good\ndescription: d\n---\nx"})
			list := r.Skills()
			if len(list) != 2 {
				t.Fatalf("listed %d skills, want 2", len(list))
			}
			if _, err := r.FindSkill("good"); err != nil {
				t.Errorf("the good skill: %v", err)
			}
			_, err := r.FindSkill(tc.folder)
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, ErrNoSkill) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want ErrNoSkill with %q", err, tc.want)
			}
		})
	}
}

func TestSkills_givenMisspelledKey_warns(t *testing.T) {
	r := registryOf(t, agentTree{"skills/a/SKILL.md": "---\nname: a\ndescription: d\nlicence: MIT\n---\nx"})
	if w := r.Skills()[0].Warnings; len(w) != 1 || w[0] != "licence: did you mean license?" {
		t.Errorf("warnings %q", w)
	}
}

func TestFindSkill(t *testing.T) {
	r := registryOf(t, agentTree{"skills/skill-2-code.md": "Write code.", "skills/summarize/SKILL.md": "---\nname: summarize\ndescription: d\n---\nx"})
	for selector, want := range map[string]string{"code": "code", "CODE": "code", "2": "code", "02": "code", " summarize ": "summarize"} {
		if s, err := r.FindSkill(selector); err != nil || s.Name != want {
			t.Errorf("FindSkill(%q) = %q, %v; want %q", selector, s.Name, err, want)
		}
	}
	for selector, want := range map[string]string{"sumarize": "did you mean summarize?", "3": "the skills are code, summarize", "../x": "no such skill", "": "no such skill"} {
		if _, err := r.FindSkill(selector); !errors.Is(err, ErrNoSkill) || !strings.Contains(err.Error(), want) {
			t.Errorf("FindSkill(%q): %v; want ErrNoSkill with %q", selector, err, want)
		}
	}
}
