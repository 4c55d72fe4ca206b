package assets

import (
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFS_holdsWhatTheAppNeeds(t *testing.T) {
	for _, name := range []string{
		"config.toml", "agents/soul.md", "agents/memory.md", "agents/reset-phrases.md", "agents/agent-000/agent.json", "agents/agent-004/testing.md",
		"skills/summarize/SKILL.md", "prompts/directives.md", "prompts/compact.md",
	} {
		if _, err := fs.Stat(FS, name); err != nil {
			t.Error(err)
		}
	}
}

// A carriage return would make an unedited file look edited on the next release.
func TestFS_textsHaveLFAndValidUTF8(t *testing.T) {
	err := fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, ".json") {
			return err
		}
		data, err := fs.ReadFile(FS, name)
		if !utf8.Valid(data) || strings.Contains(string(data), "\r") || strings.HasSuffix(string(data), "\n\n") || !strings.HasSuffix(string(data), "\n") {
			t.Errorf("%s: want valid UTF-8 with LF and one line end at the end", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Seven languages, each phrase once, as lower-case bullets.
func TestResetPhrases(t *testing.T) {
	data, err := fs.ReadFile(FS, "agents/reset-phrases.md")
	if err != nil {
		t.Fatal(err)
	}
	languages, seen := 0, map[string]bool{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "## ") {
			languages++
		}
		phrase, ok := strings.CutPrefix(line, "- ")
		if !ok {
			continue
		}
		if seen[phrase] || phrase != strings.ToLower(phrase) || !strings.Contains(phrase, " ") {
			t.Errorf("%q: want lower case, at least two words, and once", phrase)
		}
		seen[phrase] = true
	}
	if languages != 7 || len(seen) < 40 {
		t.Errorf("%d phrases in %d languages", len(seen), languages)
	}
}
