package cpuwindow

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/markdown"
)

func TestButtonsOfCodeLeaveItsTextFree(t *testing.T) {
	long := "sudo mdutil -i off /Volumes/Backup && sudo mdutil -E /Volumes/Backup --verbose"
	tests := map[string]struct {
		row   func() *codeRow
		width float32
		wraps bool // is offered
	}{
		"one short line":              {func() *codeRow { return newCodeRow(markdown.Leaf{Code: "ls -l"}, nil) }, 380, false},
		"one long line":               {func() *codeRow { return newCodeRow(markdown.Leaf{Code: long}, nil) }, 380, true},
		"one long line in a language": {func() *codeRow { return newCodeRow(markdown.Leaf{Code: long, Lang: "bash"}, nil) }, 380, true},
		"two lines":                   {func() *codeRow { return newCodeRow(markdown.Leaf{Code: "a\nb"}, nil) }, 380, false},
		"a command in a card":         {func() *codeRow { return newCommandRow(long, nil) }, 300, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				b := newBench(t)
				r := test.row()
				r.Resize(fyne.NewSize(test.width, r.Measure(test.width)))
				b.w.win.SetContent(r)
				r.Resize(fyne.NewSize(test.width, r.Measure(test.width)))
				if r.wrap.Visible() != test.wraps {
					t.Errorf("Wrap is offered: %v, want %v", r.wrap.Visible(), test.wraps)
				}
				left := r.bar.Position().X + r.copy.Position().X
				if r.wrap.Visible() {
					left = r.bar.Position().X + r.wrap.Position().X
				}
				below := r.bar.Position().Y + r.bar.MinSize().Height
				if r.text.Position().X+r.text.Size().Width > left && r.text.Position().Y < below {
					t.Errorf("the text ends at %g, %g below the top; the buttons begin at %g and end %g below it",
						r.text.Position().X+r.text.Size().Width, r.text.Position().Y, left, below)
				}
				if whole := r.Size().Height - r.padTop; r.folded && (r.text.Measure(r.textWidth(test.width)) > whole || !strings.Contains(r.code, "--verbose")) {
					t.Errorf("the command needs %g and has %g", r.text.Measure(r.textWidth(test.width)), whole)
				}
			})
		})
	}
}
