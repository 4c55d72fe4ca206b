package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinksOfAMessage(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	shot := Attachment{Name: "shot [1].png", File: hash + ".png", Image: true}
	notes := Attachment{Name: "notes.txt", File: hash + "-2.txt"}
	for name, c := range map[string]struct {
		text  string
		list  []Attachment
		words string
	}{
		"none":                 {text: "no [link](files/a.txt)", words: "no [link](files/a.txt)"},
		"below the words":      {text: WithLinks("Look", shot, notes), list: []Attachment{shot, notes}, words: "Look"},
		"nothing but links":    {text: WithLinks("", shot), list: []Attachment{shot}},
		"moved into a line":    {text: "see " + notes.Link() + " please\nnow", list: []Attachment{notes}, words: "see notes.txt please\nnow"},
		"twice":                {text: notes.Link() + "\n" + notes.Link() + "\nx", list: []Attachment{notes}, words: "x"},
		"from the archive":     {text: "[notes.txt](../../files/" + notes.File + ")", list: []Attachment{notes}},
		"no name":              {text: "[](files/" + notes.File + ")", list: []Attachment{{Name: notes.File, File: notes.File}}},
		"out of the folder":    {text: "[x](files/../../etc/passwd)", words: "[x](files/../../etc/passwd)"},
		"a path of its own":    {text: "[x](/etc/" + notes.File + ")", words: "[x](/etc/" + notes.File + ")"},
		"a hash that is short": {text: "[x](files/abc.txt)", words: "[x](files/abc.txt)"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.list, Attachments(c.text)); diff != "" {
				t.Error(diff)
			}
			if got := WithoutAttachments(c.text); got != c.words {
				t.Errorf("words are %q, want %q", got, c.words)
			}
		})
	}
	stranger := Block{Kind: KindUser, Text: notes.Link(), Attrs: map[string]string{"author": "1"}}
	if got := stranger.Attachments(); got != nil {
		t.Errorf("a stranger's message opens %v", got)
	}
}

func FuzzAttachmentLinks(f *testing.F) {
	f.Add("Look ![a](files/" + strings.Repeat("0", 64) + ".png)")
	f.Add("a]b[c\\")
	f.Add("[](files/")
	f.Fuzz(func(t *testing.T, text string) {
		words := WithoutAttachments(text)
		if got := Attachments(text); len(got) == 0 && words != text {
			t.Errorf("%q became %q", text, words)
		}
		a := Attachment{Name: text, File: strings.Repeat("1f", 32) + ".txt"}
		linked := WithLinks("words", a)
		got := Attachments(linked)
		if len(got) != 1 || got[0].File != a.File {
			t.Fatalf("%q links %v", linked, got)
		}
		if want := OneLine(strings.ToValidUTF8(text, "\uFFFD")); want != "" && got[0].Name != want {
			t.Errorf("%q is called %q", want, got[0].Name)
		}
		if WithoutAttachments(linked) != "words" {
			t.Errorf("%q has the words %q", linked, WithoutAttachments(linked))
		}
	})
}

func TestTitleOfAttachments(t *testing.T) {
	notes, shot := Attachment{Name: "notes.txt", File: strings.Repeat("a", 64) + ".txt"}, Attachment{Name: "shot.png", File: strings.Repeat("b", 64) + ".png", Image: true}
	for text, want := range map[string]string{
		"no links": "no links", WithLinks("", notes, shot): "notes.txt, shot.png", WithLinks("What is this?", notes): "What is this?",
	} {
		if got := TitleText(text); got != want {
			t.Errorf("%q has the title %q", text, got)
		}
	}
}

// The bot opens the files it stored itself for a message on Discord, and no others.
func TestAttachmentsOnDiscord(t *testing.T) {
	notes, other := Attachment{Name: "notes.txt", File: strings.Repeat("a", 64) + ".txt"}, Attachment{Name: "b.txt", File: strings.Repeat("b", 64) + ".txt"}
	b := Block{Kind: KindUser, Text: WithLinks("x", notes, other), Attrs: map[string]string{"author": "1", "authors": "2 3", "files": notes.File}}
	if diff := cmp.Diff([]Attachment{notes}, b.Attachments()); diff != "" {
		t.Error(diff)
	}
	if got := b.Writers(); len(got) != 3 || !b.WrittenBy("3") || b.WrittenBy("4") || (Block{}).Writers() != nil {
		t.Errorf("writers %v", got)
	}
	b.Kind = KindAssistant
	if got := b.Attachments(); got != nil {
		t.Errorf("an answer opens %v", got)
	}
}
