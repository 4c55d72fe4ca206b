package kit

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
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

// A title with an emoji is as bold as the others.
func TestALabelWithAnEmojiKeepsItsStyle(t *testing.T) {
	test.NewTempApp(t)
	for text, want := range map[string][]bool{ // whether each part is bold
		"The ship":      {true},
		"The ship 🚢 in": {true, false, true},
		"🚢 The ship":    {false, true},
		"风扇":            {false},
	} {
		label := Bold(text)
		label.Resize(label.MinSize())
		x, whole := float32(0), ""
		var bold []bool
		for _, o := range test.WidgetRenderer(label).Objects() {
			part := o.(*canvas.Text)
			if part.Position().X != x {
				t.Errorf("%q: the part %q begins at %g instead of %g", text, part.Text, part.Position().X, x)
			}
			x += part.Size().Width
			whole += part.Text
			bold = append(bold, part.TextStyle.Bold)
		}
		if whole != text || !slices.Equal(bold, want) || x > label.MinSize().Width+1 {
			t.Errorf("%q is drawn as %q, bold %v, %g of %g wide", text, whole, bold, x, label.MinSize().Width)
		}
	}
}
