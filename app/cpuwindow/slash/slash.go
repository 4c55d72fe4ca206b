// Package slash implements what a message can begin with: "/" and a name opens a menu over
// the composer with the agents, skills and commands.
//
// An agent or a skill is the addressee of the message that follows; a command runs at once.
// Text that begins with a slash and matches none of them is text like any other, and so is
// pasted text: a path is sent as it is.
//
// The package sends no message and doesn't know what a command does: the window supplies
// the items. Menu belongs to the UI goroutine.
package slash

import (
	"slices"
	"strings"
	"unicode"
)

// Kind is the kind of an item.
type Kind int

// The kinds of items, in the order of the menu.
const (
	Agent Kind = iota
	Skill
	Command
)

// Item is something a message can begin with.
type Item struct {
	Kind  Kind
	Name  string // the name behind the slash; contains no blanks
	Words string // description
	// Run runs a command with the text that follows its name; nil for an agent or a skill.
	Run func(rest string)
}

// Find returns the item that a message begins with, and the text that follows. It calls
// items only if there is a slash.
func Find(items func() []Item, text string) (it Item, rest string, ok bool) {
	name, found := strings.CutPrefix(text, "/")
	if !found {
		return Item{}, "", false
	}
	if at := strings.IndexFunc(name, unicode.IsSpace); at >= 0 {
		name, rest = name[:at], strings.TrimSpace(name[at:])
	}
	for _, it := range items() {
		if strings.EqualFold(it.Name, name) {
			return it, rest, true
		}
	}
	return Item{}, "", false
}

// How well an item matches the typed text, best first.
const (
	isPrefix      = iota // its name begins with the text
	inName               // its name contains the text
	inDescription        // a word of its description begins with the text
	unfit
)

// matching returns the items that match the text behind the slash, best first. named
// reports whether the first one matches by its name.
func matching(items []Item, typed string) (fit []Item, named bool) {
	typed = strings.ToLower(typed)
	score := func(it Item) int {
		name := strings.ToLower(it.Name)
		switch {
		case strings.HasPrefix(name, typed):
			return isPrefix
		case strings.Contains(name, typed):
			return inName
		case slices.ContainsFunc(strings.Fields(strings.ToLower(it.Words)), func(w string) bool {
			return strings.HasPrefix(strings.TrimLeft(w, "(“\""), typed)
		}):
			return inDescription
		}
		return unfit
	}
	for _, it := range items {
		if score(it) < unfit {
			fit = append(fit, it)
		}
	}
	slices.SortStableFunc(fit, func(a, b Item) int { return score(a) - score(b) })
	return fit, len(fit) > 0 && score(fit[0]) < inDescription
}
