package prose

import (
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// Runs splits a text into runs; what is between backticks is code.
func Runs(text string, role fyne.ThemeColorName) []Run {
	var runs []Run
	for {
		before, rest, open := strings.Cut(text, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !open || !closed || code == "" {
			if text != "" || runs == nil {
				runs = append(runs, Run{Text: text, Role: role})
			}
			return runs
		}
		if before != "" {
			runs = append(runs, Run{Text: before, Role: role})
		}
		runs = append(runs, Run{Text: code, Mono: true, Role: role})
		text = after
	}
}

// NewParagraph returns wrapping text for cards.
func NewParagraph(text string, role fyne.ThemeColorName) *Text {
	return New(Runs(text, kit.RoleNone), kit.SizeText, role)
}

// Heading returns a title that wraps, for a name that somebody else chose.
func Heading(s string) *Text {
	return New([]Run{{Text: s, Bold: true}}, kit.SizeLarge, kit.RoleText)
}
