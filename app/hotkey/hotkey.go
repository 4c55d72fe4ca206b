// Package hotkey parses key combinations as people write them, such as "Ctrl+Alt+Space".
// Its subpackage keygrab registers one for the whole desktop.
package hotkey

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Combo is a key with its modifiers.
type Combo struct {
	Ctrl, Alt, Shift, Super bool
	Key                     string // "A", "7", "F5", or a name from Keys
}

// ErrNone means that the text is empty.
var ErrNone = errors.New("no key is named")

// Parse parses a combination. The order of the modifiers and the case don't matter; Super
// may also be written Cmd, Win or Meta. A modifier other than Shift, or an F key, is
// required, because otherwise a letter could no longer be typed.
func Parse(text string) (Combo, error) {
	var c Combo
	if strings.TrimSpace(text) == "" {
		return c, ErrNone
	}
	words := strings.Split(text, "+")
	for i, word := range words {
		word = strings.ToLower(strings.TrimSpace(word))
		if i < len(words)-1 {
			if !c.modify(word) {
				return Combo{}, fmt.Errorf("%q is not one of Ctrl, Alt, Shift and Super", word)
			}
			continue
		}
		key, ok := keyNamed(word)
		if !ok {
			return Combo{}, fmt.Errorf("%q is not a key known here: a letter, a digit, F1 to F24, or one of %s", word, strings.Join(Keys(), ", "))
		}
		c.Key = key
	}
	if !c.Ctrl && !c.Alt && !c.Super && !c.function() {
		return Combo{}, errors.New("it needs Ctrl, Alt or Super: the key alone could not be typed any more")
	}
	return c, nil
}

// modify adds a modifier; false if the word isn't one, or is repeated.
func (c *Combo) modify(word string) bool {
	var on *bool
	switch word {
	case "ctrl", "control":
		on = &c.Ctrl
	case "alt", "option":
		on = &c.Alt
	case "shift":
		on = &c.Shift
	case "super", "cmd", "command", "win", "meta":
		on = &c.Super
	}
	if on == nil || *on {
		return false
	}
	*on = true
	return true
}

// function reports whether the key is an F key.
func (c Combo) function() bool { return len(c.Key) > 1 && c.Key[0] == 'F' }

// Keys returns the names of the keys that are neither letters, digits nor F keys.
func Keys() []string {
	return []string{"Space", "Tab", "Enter", "Escape", "Backspace", "Insert", "Delete", "Home", "End", "PageUp", "PageDown", "Left", "Right", "Up", "Down"}
}

func keyNamed(word string) (string, bool) {
	if len(word) == 1 && (word[0] >= 'a' && word[0] <= 'z' || word[0] >= '0' && word[0] <= '9') {
		return strings.ToUpper(word), true
	}
	if digits, ok := strings.CutPrefix(word, "f"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= 24 && strconv.Itoa(n) == digits {
			return "F" + digits, true
		}
	}
	if name, ok := map[string]string{"return": "Enter", "esc": "Escape", "del": "Delete", "pgup": "PageUp", "pgdn": "PageDown"}[word]; ok {
		return name, true
	}
	i := slices.IndexFunc(Keys(), func(name string) bool { return strings.EqualFold(name, word) })
	if i < 0 {
		return "", false
	}
	return Keys()[i], true
}

// String formats the combination as Parse reads it.
func (c Combo) String() string {
	var words []string
	for _, m := range []struct {
		on   bool
		name string
	}{{c.Ctrl, "Ctrl"}, {c.Alt, "Alt"}, {c.Shift, "Shift"}, {c.Super, "Super"}} {
		if m.on {
			words = append(words, m.name)
		}
	}
	return strings.Join(append(words, c.Key), "+")
}
