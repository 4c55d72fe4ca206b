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
func argWords(c Call) (words []string) { return slices.Concat(argLines(c)...) }

// argLines returns the words of the first line of each argument.
func argLines(c Call) (lines [][]string) {
	texts := []string{c.Text}
	for _, name := range slices.Sorted(maps.Keys(c.Args)) {
		texts = append(texts, textOf(c.Args[name]))
	}
	for _, text := range texts {
		line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		var words []string
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if word = letters(word); word != "" {
				words = append(words, word)
			}
		}
		lines = append(lines, words)
	}
	return lines
}

// maxWords is how many words of a call are looked for in quoted text.
const maxWords = 60

// heldBy reports whether others' text and the person's message hold a call, in whatever
// form: the tool's name, and near it the words of the first line of each argument, or all of
// one that says what to do, so that nothing added to a copy makes it another call. The
// person's message must hold the name as it is, because AGENT is also a word.
func heldBy(quoted []quotation, c written, tools []Tool) (others, own bool) {
	name, args := letters(c.Name), argWords(c.Call)
	args = args[:min(len(args), maxWords)]
	lines := [][]string{args}
	for _, line := range argLines(c.Call) {
		if line = line[:min(len(line), maxWords)]; len(line) > 1 || !c.tool.Long && len(strings.Join(line, "")) > 1 {
			lines = append(lines, line)
		}
	}
	lines = lines[:min(len(lines), MaxCalls+1)]
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
		for _, line := range lines {
			if holds(q.letters, name, line, length+near) || !q.own && holds(q.letters, short, line, length+near) {
				own, others = own || q.own, others || !q.own
			}
		}
	}
	return others, own
}

// holds reports whether a name stands in a text with all words within reach. It passes over
// the text once for each word.
func holds(text, name string, words []string, reach int) bool {
	places := make([]int, len(words)) // the first place of each word that is within reach
	for i, word := range words {
		places[i] = strings.Index(text, word)
	}
	for at := 0; name != "" && !slices.Contains(places, -1); at += len(name) {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return false
		}
		at += next
		all := true
		for i, word := range words {
			if from := max(0, at-reach); places[i] < from {
				if places[i] = strings.Index(text[from:], word); places[i] >= 0 {
					places[i] += from
				}
			}
			all = all && places[i] >= 0 && places[i]+len(word) <= at+len(name)+reach
		}
		if all {
			return true
		}
	}
	return false
}
