package reply

import (
	"html"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"mac-stats/sessionmem/textfold"
)

// near is how far from a tool's name, in letters, its arguments may stand in a text to be a
// copy of a call; their own length comes on top.
const near = 200

// quotation is a quoted text as its letters and digits, without all that a form of a call
// may have between them.
type quotation struct {
	letters string
	text    string
	own     bool
}

func foldQuotations(quoted []Quoted) []quotation {
	folded := make([]quotation, 0, len(quoted))
	for _, q := range quoted {
		folded = append(folded, quotation{letters(html.UnescapeString(unescape(q.Text))), q.Text, q.Own})
	}
	return folded
}

var folder = sync.OnceValue(textfold.NewFolder)

// letters returns the letters and digits of a text, folded.
func letters(text string) string {
	var b strings.Builder
	for _, r := range string(folder().AppendFold(nil, norm.NFKC.Bytes([]byte(text)))) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// argWords returns the words of the first line of each argument, folded.
func argWords(c Call) (words []string) {
	for _, value := range append(slices.Collect(maps.Values(c.Args)), c.Text) {
		line, _, _ := strings.Cut(strings.TrimSpace(textOf(value)), "\n")
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if word = letters(word); word != "" {
				words = append(words, word)
			}
		}
	}
	return words
}

// heldBy reports whether others' text and the person's message hold a call, in whatever
// form: the tool's name, and near it the words of the first line of each argument. The
// person's message must hold the name as it is, because AGENT is also a word.
func heldBy(quoted []quotation, c Call, tools []Tool) (others, own bool) {
	name, args := letters(c.Name), argWords(c)
	short := "" // the name that also stands for the whole call: an agent's, or that of another program's tool without the program's
	if _, own, foreign := strings.Cut(c.Name, "."); foreign && len(args) > 0 {
		short = letters(own)
	}
	length := len(name) + len(strings.Join(args, ""))
	for _, t := range tools {
		if t.For == c.Name && slices.Contains(args, letters(t.Name)) {
			short = letters(t.Name)
		}
	}
	for _, q := range quoted {
		if q.own && !strings.Contains(q.text, c.Name) && (!strings.Contains(c.Name, "_") || !strings.Contains(strings.ToLower(q.text), strings.ToLower(c.Name))) {
			continue
		}
		if holds(q.letters, name, args, length+near) || !q.own && holds(q.letters, short, args, length+near) {
			own, others = own || q.own, others || !q.own
		}
	}
	return others, own
}

// holds reports whether a name stands in a text with all words within reach.
func holds(text, name string, words []string, reach int) bool {
	for at := 0; name != ""; {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return false
		}
		at += next + len(name)
		window := text[max(0, at-len(name)-reach):min(len(text), at+reach)]
		all := true
		for _, word := range words {
			all = all && strings.Contains(window, word)
		}
		if all {
			return true
		}
	}
	return false
}
