package answer

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/markdown"
)

func TestButtonsOfCodeLeaveItsTextFree(t *testing.T) {
	long := "sudo mdutil -i off /Volumes/Backup && sudo mdutil -E /Volumes/Backup --verbose"
	tests := map[string]struct {
		row   func() *CodeRow
		width float32
		wraps bool // Wrap is offered
	}{
		"one short line":              {func() *CodeRow { return newCodeRow(markdown.Leaf{Code: "ls -l"}, nil) }, 380, false},
		"one long line":               {func() *CodeRow { return newCodeRow(markdown.Leaf{Code: long}, nil) }, 380, true},
		"one long line in a language": {func() *CodeRow { return newCodeRow(markdown.Leaf{Code: long, Lang: "bash"}, nil) }, 380, true},
		"two lines":                   {func() *CodeRow { return newCodeRow(markdown.Leaf{Code: "a\nb"}, nil) }, 380, false},
		"a command in a card":         {func() *CodeRow { return NewCommandRow(long, nil) }, 300, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			inApp(t, func(t *testing.T) {
				r := tt.row()
				r.Resize(fyne.NewSize(tt.width, r.Measure(tt.width)))
				test.NewWindow(r)
				r.Resize(fyne.NewSize(tt.width, r.Measure(tt.width)))
				if r.wrap.Visible() != tt.wraps {
					t.Errorf("Wrap is offered: %v, want %v", r.wrap.Visible(), tt.wraps)
				}
				left := r.bar.Position().X + r.copy.Position().X
				if r.wrap.Visible() {
					left = r.bar.Position().X + r.wrap.Position().X
				}
				below := r.bar.Position().Y + r.bar.MinSize().Height
				if r.Text.Position().X+r.Text.Size().Width > left && r.Text.Position().Y < below {
					t.Errorf("the text ends at %g, %g below the top; the buttons begin at %g and end %g below it",
						r.Text.Position().X+r.Text.Size().Width, r.Text.Position().Y, left, below)
				}
				if whole := r.Size().Height - r.padTop; r.folded && (r.Text.Measure(r.textWidth(tt.width)) > whole || !strings.Contains(r.code, "--verbose")) {
					t.Errorf("the command needs %g and has %g", r.Text.Measure(r.textWidth(tt.width)), whole)
				}
			})
		})
	}
}
