package shortcuts

import (
	"runtime"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/config"
	"mac-stats/app/i18n"
)

// Action is an action of the window that has a setting in [shortcuts] of config.toml.
type Action struct {
	Name  string // "new_chat"
	Title string // in English
	Run   func()
}

// Of returns the shortcuts of an action in a configuration.
func Of(c config.Config, name string) []config.Shortcut {
	s, ok := config.Lookup("shortcuts." + name)
	if !ok {
		return nil
	}
	list, err := config.ParseShortcuts(s.Value(c))
	if err != nil {
		return nil // config has reported it and uses the default
	}
	return list
}

// Keys returns Fyne's keys for a shortcut.
func Keys(s config.Shortcut, goos string) []desktop.CustomShortcut {
	s = s.Same(goos)
	var m fyne.KeyModifier
	for mod, on := range map[fyne.KeyModifier]bool{
		fyne.KeyModifierControl: s.Ctrl, fyne.KeyModifierAlt: s.Alt, fyne.KeyModifierShift: s.Shift, fyne.KeyModifierSuper: s.Cmd,
	} {
		if on {
			m |= mod
		}
	}
	list := []desktop.CustomShortcut{{KeyName: keyNameOf(s), Modifier: m}}
	if s.Key == "Plus" { // on many keyboards typed with Shift and another key
		list = append(list, desktop.CustomShortcut{KeyName: fyne.KeyEqual, Modifier: m | fyne.KeyModifierShift}, desktop.CustomShortcut{KeyName: fyne.KeyPlus, Modifier: m | fyne.KeyModifierShift})
	}
	return list
}

// keyNameOf returns Fyne's name of a shortcut's key. Most names are the same.
func keyNameOf(s config.Shortcut) fyne.KeyName {
	switch s.Key {
	case "Enter":
		return fyne.KeyReturn
	case "PageUp":
		return fyne.KeyPageUp
	case "PageDown":
		return fyne.KeyPageDown
	}
	return fyne.KeyName(s.Sign())
}

// From returns the shortcut for Fyne's keys, or false if they can't be one.
func From(key fyne.KeyName, m fyne.KeyModifier, goos string) (config.Shortcut, bool) {
	s := config.Shortcut{
		Ctrl: m&fyne.KeyModifierControl != 0, Alt: m&fyne.KeyModifierAlt != 0,
		Shift: m&fyne.KeyModifierShift != 0, Cmd: m&fyne.KeyModifierSuper != 0,
	}
	if goos == "darwin" && s.Cmd {
		s.Cmd, s.Mod = false, true
	} else if goos != "darwin" && s.Ctrl {
		s.Ctrl, s.Mod = false, true
	}
	name := string(key)
	switch key {
	case fyne.KeyReturn:
		name = "Enter"
	case fyne.KeyPageUp:
		name = "PageUp"
	case fyne.KeyPageDown:
		name = "PageDown"
	}
	s.Key = name
	list, err := config.ParseShortcuts(s.String())
	if err != nil || len(list) != 1 {
		return config.Shortcut{}, false
	}
	return list[0], true
}

// First returns the first shortcut of an action as the platform writes it, or "".
func First(c config.Config, name string) string {
	if list := Of(c, name); len(list) > 0 {
		return words(list[0], runtime.GOOS)
	}
	return ""
}

// Words returns a setting's shortcuts as this system and the user's language write them:
// "Ctrl+K", "⌘K", "Strg+K".
func Words(setting string) string {
	list, err := config.ParseShortcuts(setting)
	if err != nil {
		return setting
	}
	var parts []string
	for _, s := range list {
		parts = append(parts, words(s, runtime.GOOS))
	}
	return strings.Join(parts, " "+i18n.T("or")+" ")
}

func words(s config.Shortcut, goos string) string { return keyWords(s.Words(goos)) }

// keyWords translates the names in "Shift+Enter". Signs, as on macOS, have none.
func keyWords(keys string) string {
	names := strings.Split(keys, "+")
	for i, name := range names {
		switch name {
		case "Ctrl":
			names[i] = i18n.T("Ctrl")
		case "Shift":
			names[i] = i18n.T("Shift")
		case "Enter":
			names[i] = i18n.T("Enter")
		case "Space":
			names[i] = i18n.T("Space")
		case "Delete":
			names[i] = i18n.T("Delete (key)")
		case "Up":
			names[i] = i18n.T("Up (key)")
		case "Down":
			names[i] = i18n.T("Down (key)")
		case "Left":
			names[i] = i18n.T("Left (key)")
		case "Right":
			names[i] = i18n.T("Right (key)")
		case "Home":
			names[i] = i18n.T("Home (key)")
		case "End":
			names[i] = i18n.T("End (key)")
		case "PageUp":
			names[i] = i18n.T("PageUp")
		case "PageDown":
			names[i] = i18n.T("PageDown")
		}
	}
	return strings.Join(names, "+")
}

// Conflicts returns, by the setting of each shortcut that has a conflict, a sentence that names
// the other actions with the same keys.
func Conflicts(c config.Config, actions []Action, goos string) map[string]string {
	taken := map[config.Shortcut][]Action{}
	for _, a := range actions {
		for _, s := range Of(c, a.Name) {
			taken[s.Same(goos)] = append(taken[s.Same(goos)], a)
		}
	}
	found := map[string]string{}
	for s, list := range taken {
		for _, a := range list {
			var others []string
			for _, b := range list {
				if b.Name != a.Name {
					others = append(others, "“"+i18n.T(b.Title)+"”")
				}
			}
			if len(others) > 0 {
				found["shortcuts."+a.Name] = i18n.With("{{.Keys}} is the shortcut of {{.Others}} too; the first in the list has it.", i18n.Places{"Keys": words(s, goos), "Others": strings.Join(others, ", ")})
			}
		}
	}
	return found
}
