package chat

import (
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/answer"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/prose"
)

// newBubble returns the row of a user's message.
func newBubble(text string, actions fyne.CanvasObject) *column.Framed {
	words := prose.New(answer.Runs(markdown.Typed(text)), kit.SizeText, kit.RoleText)
	words.Bare = true
	f := column.NewFramed(words, kit.RoleBubble, kit.RoleNone, kit.RadiusBubble, kit.Gap12, kit.Gap8)
	f.Right, f.Share = true, 0.8
	f.Header = actions
	return f
}

// How much of a long message is shown until the reader wants all of it.
const (
	foldFrom  = 20  // lines; a shorter message is shown whole
	foldTo    = 12  // lines
	lineBytes = 100 // about what a line of the bubble holds
)

// linesOf is about how many lines a message has on the screen.
func linesOf(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		n += 1 + len(line)/lineBytes
	}
	return n
}

// fold shows the beginning of a long message and returns the button for the rest. It returns
// nil if the message is short.
func (r *Rows) fold(f *column.Framed, key, text string) *kit.Button {
	lines := linesOf(text)
	if lines < foldFrom {
		return nil
	}
	b := kit.NewButton(kit.ButtonQuiet, "", nil)
	show := func(all bool) {
		r.unfolded[key] = all
		n, label := foldTo, i18n.Count("Show all {{.N}} lines", lines)
		if all {
			n, label = 0, i18n.T("Show less")
		}
		f.Text.ShowLines(n)
		b.SetText(label)
	}
	show(r.unfolded[key])
	b.OnTap = func() { show(!r.unfolded[key]); kit.HostOf(f).Remeasure(f) }
	f.OnFind = func() { show(true); kit.HostOf(f).Remeasure(f) }
	return b
}
