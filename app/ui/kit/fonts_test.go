package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

func TestStyledTextUsesOneFont(t *testing.T) {
	test.NewTempApp(t)
	bold := fyne.TextStyle{Bold: true}
	for name, c := range map[string]struct {
		text  string
		style fyne.TextStyle
		want  fyne.TextStyle
		named bool
	}{
		"plain text":            {"hello", fyne.TextStyle{}, fyne.TextStyle{}, false},
		"plain emoji":           {"👋", fyne.TextStyle{}, fyne.TextStyle{}, false},
		"bold":                  {"Größe – «тест» λ…", bold, bold, true},
		"code":                  {"func main() {}", fyne.TextStyle{Monospace: true}, fyne.TextStyle{Monospace: true}, true},
		"bold Chinese":          {"风扇", bold, fyne.TextStyle{}, false},
		"code with emoji":       {"x 👋", fyne.TextStyle{Monospace: true}, fyne.TextStyle{}, false},
		"joiners are no letter": {"a\u200db", bold, fyne.TextStyle{}, false},
		"nothing":               {"", bold, bold, true},
	} {
		style, font := FontOf(c.text, c.style)
		if style != c.want || (font != nil) != c.named {
			t.Errorf("%s: got %+v, a font by name: %v", name, style, font != nil)
		}
	}
}
