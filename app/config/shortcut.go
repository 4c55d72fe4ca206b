package config

import (
	"errors"
	"slices"
	"strings"
)

// Shortcut is a combination of keys. Mod is Cmd on macOS and Ctrl elsewhere.
type Shortcut struct {
	Mod, Ctrl, Alt, Shift, Cmd bool
	Key                        string // "K", "F1", "Comma", as in ShortcutKeys
}

// signs maps characters to the names of the keys that type them.
const (
	signKeys = ", Comma . Period / Slash ; Semicolon - Minus = Equal + Plus [ LeftBracket ] RightBracket ' Apostrophe ` Backtick \\ Backslash"
	// namedKeys are the keys with a name, beside letters, digits and F1 to F12.
	namedKeys = "Tab Space Enter Escape Delete Up Down Left Right Home End PageUp PageDown"
)

// errNoShortcut means that a text is no shortcut. The setting's allowed form is shown with it.
var errNoShortcut = errors.New("that is not a shortcut")

// ParseShortcuts reads the shortcuts of one action, separated by spaces: "Mod+/ F1".
// "" means none. Upper and lower case are the same. A letter, digit or sign needs Mod,
// Ctrl, Alt or Cmd, because pressed alone it is typed.
func ParseShortcuts(text string) ([]Shortcut, error) {
	var list []Shortcut
	for _, word := range strings.Fields(text) {
		s, err := parseShortcut(word)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list, nil
}

func parseShortcut(text string) (Shortcut, error) {
	var s Shortcut
	rest := text
	for {
		head, tail, ok := strings.Cut(rest, "+")
		if !ok || head == "" || tail == "" {
			break
		}
		if !s.press(head) {
			return Shortcut{}, errNoShortcut
		}
		rest = tail
	}
	s.Key = keyName(rest)
	if s.Key == "" || s.typed() {
		return Shortcut{}, errNoShortcut
	}
	return s, nil
}

// press adds a modifier; it reports whether there is one of that name.
func (s *Shortcut) press(name string) bool {
	switch strings.ToLower(name) {
	case "mod":
		s.Mod = true
	case "ctrl", "control":
		s.Ctrl = true
	case "alt", "option":
		s.Alt = true
	case "shift":
		s.Shift = true
	case "cmd", "command", "super", "win":
		s.Cmd = true
	default:
		return false
	}
	return true
}

// typed reports whether the keys write something, or go through a form.
func (s Shortcut) typed() bool {
	if s.Mod || s.Ctrl || s.Alt || s.Cmd {
		return false
	}
	return len(s.Key) < 2 || s.Key[0] != 'F' || s.Key[1] > '9'
}

// keyName returns a key's name in Shortcut.Key, or "" if there is no such key.
func keyName(text string) string {
	signs := strings.Fields(signKeys)
	if i := slices.Index(signs, text); i >= 0 && i%2 == 0 {
		return signs[i+1]
	}
	for _, k := range ShortcutKeys() {
		if strings.EqualFold(text, k) {
			return k
		}
	}
	return ""
}

// ShortcutKeys lists the keys a shortcut can end in.
func ShortcutKeys() []string {
	var list []string
	for c := 'A'; c <= 'Z'; c++ {
		list = append(list, string(c))
	}
	for c := '0'; c <= '9'; c++ {
		list = append(list, string(c))
	}
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"} {
		list = append(list, "F"+n)
	}
	for i, name := range strings.Fields(signKeys) {
		if i%2 == 1 {
			list = append(list, name)
		}
	}
	return append(list, strings.Fields(namedKeys)...)
}

// String returns the shortcut as it is written in config.toml.
func (s Shortcut) String() string {
	return s.join("Mod", "Ctrl", "Alt", "Shift", "Cmd")
}

// Words returns the shortcut as a system shows it: "Ctrl+K", "⌘K".
func (s Shortcut) Words(goos string) string {
	if goos != "darwin" {
		s.Ctrl = s.Ctrl || s.Mod
		s.Mod = false
		return s.join("", "Ctrl", "Alt", "Shift", "Super")
	}
	var b strings.Builder
	for _, m := range []struct {
		on   bool
		sign string
	}{{s.Ctrl, "⌃"}, {s.Alt, "⌥"}, {s.Shift, "⇧"}, {s.Cmd || s.Mod, "⌘"}} {
		if m.on {
			b.WriteString(m.sign)
		}
	}
	return b.String() + s.Sign()
}

// Sign returns the key as it is shown: "K", ",", "Tab".
func (s Shortcut) Sign() string {
	signs := strings.Fields(signKeys)
	if i := slices.Index(signs, s.Key); i >= 0 && i%2 == 1 {
		return signs[i-1]
	}
	return s.Key
}

func (s Shortcut) join(mod, ctrl, alt, shift, cmd string) string {
	var parts []string
	for _, m := range []struct {
		on   bool
		name string
	}{{s.Mod, mod}, {s.Ctrl, ctrl}, {s.Alt, alt}, {s.Shift, shift}, {s.Cmd, cmd}} {
		if m.on {
			parts = append(parts, m.name)
		}
	}
	return strings.Join(append(parts, s.Sign()), "+")
}

// Same returns the shortcut with the key that Mod stands for on a system, so that two
// shortcuts that are pressed the same way are equal.
func (s Shortcut) Same(goos string) Shortcut {
	if s.Mod {
		s.Mod = false
		s.Cmd = s.Cmd || goos == "darwin"
		s.Ctrl = s.Ctrl || goos != "darwin"
	}
	return s
}
