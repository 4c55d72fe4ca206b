package transcript

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// Every reader of YAML reads a title as the text it is.
func TestTitlesAreTextForYAML(t *testing.T) {
	for _, title := range []string{
		"yes", "No", "on", "OFF", "y", "true", "null", "~", "Null", "123", "1e3", "0x1F", "0o17", "1_000", "-1", "+1", ".5", ".inf", ".NaN", "12:30", "12:30:45", "2026-01-01", "2026-01-01 10:00:00", "2026-01-01T10:00:00Z", "<<", "=",
		"Why is my fan loud", "Fan", "a: b", "a:b c", "a:", "# no comment", "a # b", "a#b c", "- a", "? a", "[a]", "{a}", "*a", "&a b", "!a b", "|", ">", "%a b", "@a", "`a`", `"a" b`, `it's "b" c`, `a\b c`, `a \n b`, "🎉 done", "done 🎉", "日本 語", "é à", "a\u00a0b c", "a\u2028b c", "\ufeffa b", "a\u0085b", "null and void", "yes or no",
	} {
		front := FrontMatter(Info{Name: "cpu-a", Source: "cpu", Title: title, Started: time.Unix(1, 0).UTC()})
		var got map[string]any
		if err := yaml.Unmarshal([]byte(front), &got); err != nil || got["title"] != OneLine(title) {
			t.Errorf("%q is %#v for YAML: %v", title, got["title"], err)
		}
		if got := FrontValue(front, "title"); got != OneLine(title) {
			t.Errorf("%q is read back as %q", title, got)
		}
		if _, plain, _ := strings.Cut(front, "title: "); plain[0] != '"' && !strings.Contains(plain, " ") {
			t.Errorf("%q isn't quoted: other readers may take it for something else", title)
		}
	}
}

// A renamed session is written with its new title, and nothing else changes.
func TestARenamedSessionIsWrittenWithItsNewTitle(t *testing.T) {
	for _, tt := range []struct{ front, title, want string }{
		{"format: x\ntitle: Old\nmine: 1\n", "The new one", "format: x\ntitle: The new one\nmine: 1"},
		{"format: x\r\ntitle: \"Old\"\r\nmine: 1\r\n", "yes", "format: x\r\ntitle: \"yes\"\r\nmine: 1\r"},
		{"title: Old\ntitle: Older\n", "The new one", "title: The new one\ntitle: Older"},
		{"format: x\n", "The new one", "format: x"},
		{"title: 'It''s'\n", "It's", "title: 'It''s'"},
		{"title: Old", "", "title: Old"},
	} {
		var out bytes.Buffer
		if err := Write(&out, &Transcript{Info: Info{Title: tt.title}, FrontMatter: tt.front}); err != nil {
			t.Fatal(err)
		}
		if want := "---\n" + tt.want + "\n---\n"; out.String() != want {
			t.Errorf("%q renamed to %q is %q, want %q", tt.front, tt.title, out.String(), want)
		}
	}
}

// What an author changed or deleted isn't the title any more, wherever that came from.
func TestACorrectedMessageIsNoTitle(t *testing.T) {
	said := func(id, text string) Block { return Block{ID: id, Kind: KindUser, Text: text} }
	note := func(kind, parent, text string) Block {
		return Block{Kind: KindNote, Note: kind, Parent: parent, Text: text}
	}
	byModel := Block{Kind: KindNote, Note: NoteTitle, By: "tiny:1b", Text: "A secret matter"}
	for name, tt := range map[string]struct {
		front  string
		blocks []Block
		want   string
	}{
		"unchanged":                          {"title: My secret\n", []Block{said("a", "My secret"), said("b", "Next")}, "My secret"},
		"edited":                             {"title: My secret\n", []Block{said("a", "My secret"), note(NoteEdited, "a", "My garden")}, "My garden"},
		"edited twice":                       {"title: My secret\n", []Block{said("a", "My secret"), note(NoteEdited, "a", "My garden"), note(NoteEdited, "a", "My house")}, "My house"},
		"deleted":                            {"title: My secret\n", []Block{said("a", "My secret"), said("b", "Next"), note(NoteDeleted, "a", "")}, "Next"},
		"the first two are deleted":          {"title: My secret\n", []Block{said("a", "My secret"), said("b", "Next"), said("c", "Third"), note(NoteDeleted, "b", ""), note(NoteDeleted, "a", "")}, "Third"},
		"the only one is deleted":            {"session: discord-1\ntitle: My secret\n", []Block{said("a", "My secret"), note(NoteDeleted, "a", "")}, "discord-1"},
		"deleted, and more is said":          {"title: My secret\n", []Block{said("a", "My secret"), note(NoteDeleted, "a", ""), said("b", "Next")}, "Next"},
		"another one is deleted":             {"title: My secret\n", []Block{said("a", "My secret"), said("b", "Next"), note(NoteDeleted, "b", "")}, "My secret"},
		"a model made the title before":      {"title: My secret\n", []Block{said("a", "My secret"), byModel, note(NoteEdited, "a", "My garden")}, "My garden"},
		"a model made the title afterwards":  {"title: My secret\n", []Block{said("a", "My secret"), note(NoteEdited, "a", "My garden"), byModel}, "A secret matter"},
		"a person chose the title":           {"title: My secret\n", []Block{said("a", "My secret"), note(NoteTitle, "", "Chosen"), note(NoteDeleted, "a", "")}, "Chosen"},
		"the front matter has another title": {"title: Mine\n", []Block{said("a", "My secret"), note(NoteDeleted, "a", "")}, "Mine"},
	} {
		var sum Overview
		for _, b := range tt.blocks {
			sum.Add(b)
		}
		if got := sum.Info(tt.front).Title; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
