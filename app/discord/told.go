package discord

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// told is the text of a User block and the messages that it is made of, so that one of
// them can be edited or taken out later.
type told struct {
	parts []part
	tail  string // what the bot said itself behind them
}

// part is what a message gave to the text: "" for a message without words. name is who
// said it, where several did.
type part struct {
	id, name, text string
}

func (p part) whole() string { return p.name + p.text }

// words is what the messages say.
func (t told) words() string {
	var list []string
	for _, p := range t.parts {
		if p.text != "" {
			list = append(list, p.whole())
		}
	}
	return strings.Join(list, "\n")
}

func (t told) String() string { return strings.TrimSpace(t.words() + t.tail) }

// attr says how the text is parted: "<message>:<characters>:<of its name>" for each; ""
// where it is the text of that one message alone.
func (t told) attr(message string) string {
	if len(t.parts) == 1 && t.parts[0].id == message {
		return ""
	}
	var list []string
	for _, p := range t.parts {
		list = append(list, fmt.Sprintf("%s:%d:%d", p.id, utf8.RuneCountInString(p.whole()), utf8.RuneCountInString(p.name)))
	}
	return strings.Join(list, " ")
}

// readTold parts a block's text again. Where it was changed by hand since, or forgotten in
// part, ok is false.
func readTold(text, attr, message string) (t told, ok bool) {
	if attr == "" {
		return told{parts: []part{{id: message, text: text}}}, true
	}
	runes := []rune(text)
	for field := range strings.FieldsSeq(attr) {
		id, numbers, _ := strings.Cut(field, ":")
		first, second, _ := strings.Cut(numbers, ":")
		size, err := strconv.Atoi(first)
		named, namedErr := strconv.Atoi(second)
		if len(t.parts) > 0 && size > 0 && len(t.words()) > 0 && len(runes) > 0 {
			if runes[0] != '\n' {
				return told{}, false
			}
			runes = runes[1:]
		}
		if err != nil || namedErr != nil || size < 0 || size > len(runes) || named < 0 || named > size {
			return told{}, false
		}
		t.parts = append(t.parts, part{id, string(runes[:named]), string(runes[named:size])})
		runes = runes[size:]
	}
	t.tail = string(runes)
	return t, t.tail == "" || strings.HasPrefix(t.tail, "\n\n")
}

// correct makes a change of one of the messages; false where none is left.
func (t *told) correct(c change, text string) bool {
	i := slices.IndexFunc(t.parts, func(p part) bool { return p.id == c.id })
	switch {
	case i < 0:
	case c.deleted:
		t.parts = slices.Delete(t.parts, i, i+1)
	case t.parts[i].name != "":
		t.parts[i].text = tame(text, maxLine)
	default:
		t.parts[i].text = text
	}
	return len(t.parts) > 0
}
