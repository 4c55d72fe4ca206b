package discord

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// userText is the text of a User block and the messages that it is made of, so that each of
// them can be edited or removed later.
type userText struct {
	parts []part
	tail  string // the bot's own words after them
}

// part is one message's share of the text: "" for a message without words. name is its
// author if there are several.
type part struct {
	id, name, text string
}

func (p part) whole() string { return p.name + p.text }

// words returns the text of the messages.
func (t userText) words() string {
	var list []string
	for _, p := range t.parts {
		if p.text != "" {
			list = append(list, p.whole())
		}
	}
	return strings.Join(list, "\n")
}

func (t userText) String() string { return strings.TrimSpace(t.words() + t.tail) }

// attr returns how the text is divided: "<message>:<characters>:<of its name>" for each
// message; "" if it is the text of that one message alone.
func (t userText) attr(message string) string {
	if len(t.parts) == 1 && t.parts[0].id == message {
		return ""
	}
	var list []string
	for _, p := range t.parts {
		list = append(list, fmt.Sprintf("%s:%d:%d", p.id, utf8.RuneCountInString(p.whole()), utf8.RuneCountInString(p.name)))
	}
	return strings.Join(list, " ")
}

// parseUserText divides a block's text again. ok is false if it was changed by hand since, or
// forgotten in part.
func parseUserText(text, attr, message string) (t userText, ok bool) {
	if attr == "" {
		return userText{parts: []part{{id: message, text: text}}}, true
	}
	runes := []rune(text)
	for field := range strings.FieldsSeq(attr) {
		id, numbers, _ := strings.Cut(field, ":")
		first, second, _ := strings.Cut(numbers, ":")
		size, err := strconv.Atoi(first)
		named, namedErr := strconv.Atoi(second)
		if len(t.parts) > 0 && size > 0 && len(t.words()) > 0 && len(runes) > 0 {
			if runes[0] != '\n' {
				return userText{}, false
			}
			runes = runes[1:]
		}
		if err != nil || namedErr != nil || size < 0 || size > len(runes) || named < 0 || named > size {
			return userText{}, false
		}
		t.parts = append(t.parts, part{id, string(runes[:named]), string(runes[named:size])})
		runes = runes[size:]
	}
	t.tail = string(runes)
	return t, t.tail == "" || strings.HasPrefix(t.tail, "\n\n")
}

// correct applies a change to one of the messages. It returns false if no message is left.
func (t *userText) correct(c change, text string) bool {
	i := slices.IndexFunc(t.parts, func(p part) bool { return p.id == c.id })
	switch {
	case i < 0:
	case c.deleted:
		t.parts = slices.Delete(t.parts, i, i+1)
	case t.parts[i].name != "":
		t.parts[i].text = sanitize(text, maxLine)
	default:
		t.parts[i].text = text
	}
	return len(t.parts) > 0
}
