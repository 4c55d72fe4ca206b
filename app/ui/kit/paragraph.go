package kit

import (
	"strings"

	"fyne.io/fyne/v2"
)

// Runs makes what stands between backticks code.
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

// TextRow is a paragraph as a row.
func TextRow(text string, role fyne.ThemeColorName, gap float32) *Placed {
	return &Placed{Row: NewParagraph(text, role), Gap: gap, Max: ProseMax}
}

// NewParagraph is wrapping text for cards.
func NewParagraph(text string, role fyne.ThemeColorName) *Prose {
	return NewProse(Runs(text, RoleNone), SizeText, role)
}
