package registry

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
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

// What the format doesn't allow is cut or replaced, and said; only a skill that says nothing
// is refused.
func TestSkills_givenWhatTheFormatDoesNotAllow_warns(t *testing.T) {
	const b = "\n---\nDo it."
	long := strings.Repeat("word ", 300)
	for name, tt := range map[string]struct{ folder, text, want, warning, err string }{
		"as the format says":  {"a-1", "---\nname: a-1\ndescription: d" + b, "a-1: d", "", ""},
		"longest name":        {strings.Repeat("a", 64), "---\nname: " + strings.Repeat("a", 64) + "\ndescription: d" + b, strings.Repeat("a", 64) + ": d", "", ""},
		"too long a name":     {"a", "---\nname: " + strings.Repeat("a", 65) + "\ndescription: d" + b, strings.Repeat("a", 64) + ": d", "want at most 64", ""},
		"capitals and spaces": {"My Skill", "---\nname: My Skill\ndescription: d" + b, "my-skill: d", `name "My Skill" is read as my-skill`, ""},
		"another folder":      {"b", "---\nname: a\ndescription: d" + b, "a: d", "folder b: the skill's name is another", ""},
		"no name":             {"a", "---\ndescription: d" + b, "a: d", "the folder's is used", ""},
		"no description":      {"a", "---\nname: a" + b, "a: Do it.", "the first line is used", ""},
		"no front matter":     {"a", "# Title\n\nDo it.", "a: Title", "the folder's is used", ""},
		"a long description":  {"a", "---\nname: a\ndescription: " + long + b, "a: word word", "description of 1499 characters: cut to 1024", ""},
		"an unquoted colon":   {"a", "---\nname: a\ndescription: Use it: often" + b, "a: Use it: often", "read as plain text", ""},
		"Windows":             {"a", "\uFEFF---\r\nname: a\r\ndescription: d\r\n---\r\nDo it.\r\n", "a: d", "", ""},
		"keys of others":      {"a", "---\nname: a\ndescription: d\nversion: 1\ntriggers: [x]" + b, "a: d", "version, triggers: keys that have no meaning here", ""},
		"a misspelled key":    {"a", "---\nname: a\ndescription: d\nlicence: MIT" + b, "a: d", "licence: did you mean license?", ""},
		"a word for yes":      {"a", "---\nname: a\ndescription: d\npinned: sure" + b, "a: d", "pinned in line 4: the value isn't understood", ""},
		"no body":             {"a", "---\nname: a\ndescription: d\n---\n", "", "", "nothing below"},
		"no end":              {"a", "---\nname: a\ndescription: d\n", "", "", "not closed"},
		"binary":              {"a", "a\x00", "", "", "is not a text file"},
	} {
		t.Run(name, func(t *testing.T) {
			r := registryOf(t, agentTree{"skills/" + tt.folder + "/SKILL.md": tt.text, "skills/good/SKILL.md": "---\nname: good\ndescription: d\n---\nx"})
			list := r.Skills()
			if len(list) != 2 {
				t.Fatalf("listed %d skills, want 2", len(list))
			}
			s := list[0]
			if s.Name == "good" {
				s = list[1]
			}
			if tt.err != "" {
				if s.Err == nil || !strings.Contains(s.Err.Error(), tt.err) {
					t.Errorf("error %v, want %q", s.Err, tt.err)
				}
				return
			}
			warnings := strings.Join(s.Warnings, "|")
			if s.Err != nil || !strings.HasPrefix(s.Name+": "+s.Description, tt.want) || !strings.Contains(warnings, tt.warning) || (warnings == "") != (tt.warning == "") {
				t.Errorf("%q: %q, %v, warnings %q", s.Name, s.Description, s.Err, warnings)
			}
			if utf8.RuneCountInString(s.Description) > maxSkillDescription {
				t.Errorf("the description has %d characters", utf8.RuneCountInString(s.Description))
			}
		})
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
