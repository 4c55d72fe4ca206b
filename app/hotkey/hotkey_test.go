package hotkey

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Combo{
		"Ctrl+Alt+Space":     {Ctrl: true, Alt: true, Key: "Space"},
		" alt + control +k ": {Ctrl: true, Alt: true, Key: "K"},
		"Cmd+Shift+7":        {Super: true, Shift: true, Key: "7"},
		"F12":                {Key: "F12"},
		"shift+f5":           {Shift: true, Key: "F5"},
		"super+return":       {Super: true, Key: "Enter"},
		"Ctrl+PgDn":          {Ctrl: true, Key: "PageDown"},
		"Ctrl+f":             {Ctrl: true, Key: "F"},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("%q gives %+v, %v", text, got, err)
		}
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Errorf("%q, written %q, gives %+v, %v", text, got, again, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":            "no key",
		"  ":          "no key",
		"K":           "needs Ctrl",
		"Shift+K":     "needs Ctrl",
		"Ctrl":        "not a key",
		"Ctrl+":       "not a key",
		"Ctrl+Ctrl+K": "not one of",
		"Hyper+K":     "not one of",
		"Ctrl+F25":    "F1 to F24",
		"Ctrl+F05":    "F1 to F24",
		"Ctrl+ä":      "not a key",
		"Ctrl+K+Alt":  "not one of",
	} {
		if c, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) || c != (Combo{}) {
			t.Errorf("%q gives %+v, %v; want %q", text, c, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"Ctrl+Alt+Space", "F5", "+", "Ctrl++", "esc"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(c.String()); err != nil || again != c {
			t.Errorf("%q gives %+v, which as %q gives %+v, %v", text, c, c, again, err)
		}
	})
}
