package prose

import (
	"strings"

	"mac-stats/app/ui/kit"

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

// NewParagraph is wrapping text for cards.
func NewParagraph(text string, role fyne.ThemeColorName) *Text {
	return New(Runs(text, kit.RoleNone), kit.SizeText, role)
}

// Heading is a title that wraps: one that names what somebody else named.
func Heading(s string) *Text {
	return New([]Run{{Text: s, Bold: true}}, kit.SizeLarge, kit.RoleText)
}

// splitFonts cuts styled runs where the font changes.
func splitFonts(runs []Run, bold bool) []Run {
	out := make([]Run, 0, len(runs))
	for _, r := range runs {
		if !bold && !r.Bold && !r.Italic && !r.Mono || kit.InOwnFont(r.Text) {
			out = append(out, r)
			continue
		}
		for rest := r.Text; rest != ""; {
			part := r
			part.Text = rest[:kit.SameFont(rest)]
			rest = rest[len(part.Text):]
			out = append(out, part)
		}
	}
	return out
}
