// Package slash is what a message can begin with: "/" and a name opens a menu over the
// composer with the agents, the skills and the commands there are.
//
// An agent or a skill is who the message behind it is for; a command is done at once.
// What begins with a slash and is none of them is text like any other, and so is what was
// pasted: a path is sent as it is.
//
// Nothing here sends a message or knows what a command does: the window gives the items.
// Menu belongs to the UI goroutine.
package slash

import (
	"slices"
	"strings"
	"unicode"
)

// Kind says what an item is.
type Kind int

// The kinds of items, in the order of the menu.
const (
	Agent Kind = iota
	Skill
	Command
)

// Item is something that a message can begin with.
type Item struct {
	Kind  Kind
	Name  string // behind the slash; no blanks
	Words string // what it is for
	// Run does what a command is for, with what was written behind it; nil of an agent
	// and a skill.
	Run func(rest string)
}

// Find gives the item that a message begins with, and what is written behind it. It asks
// for the items only where there is a slash.
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

// How well an item fits what is written.
const (
	begins = iota // its name does
	within        // of its name
	said          // a word of its description begins with it
	unfit
)

// matching gives the items that fit what is written behind the slash, the best first.
// named is whether the first one's name does.
func matching(items []Item, typed string) (fit []Item, named bool) {
	typed = strings.ToLower(typed)
	how := func(it Item) int {
		name := strings.ToLower(it.Name)
		switch {
		case strings.HasPrefix(name, typed):
			return begins
		case strings.Contains(name, typed):
			return within
		case slices.ContainsFunc(strings.Fields(strings.ToLower(it.Words)), func(w string) bool {
			return strings.HasPrefix(strings.TrimLeft(w, "(“\""), typed)
		}):
			return said
		}
		return unfit
	}
	for _, it := range items {
		if how(it) < unfit {
			fit = append(fit, it)
		}
	}
	slices.SortStableFunc(fit, func(a, b Item) int { return how(a) - how(b) })
	return fit, len(fit) > 0 && how(fit[0]) < said
}
