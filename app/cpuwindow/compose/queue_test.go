package compose

import (
	"testing"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

func TestAWaitingMessageShowsItsTextInANarrowWindow(t *testing.T) {
	screentest.New(t)
	q := NewQueue(nil, nil, nil, func() {})
	q.Show([]conversation.Queued{{Id: 1, Text: "Count the open files of every process."}}, true)
	for _, tt := range []struct {
		width float32
		state bool
	}{{300, false}, {600, true}, {300, false}} {
		q.Box.Resize(fyne.NewSize(tt.width, q.Box.MinSize().Height))
		labels := map[string]*kit.Label{}
		var find func(o fyne.CanvasObject)
		find = func(o fyne.CanvasObject) {
			switch x := o.(type) {
			case *fyne.Container:
				for _, c := range x.Objects {
					find(c)
				}
			case *kit.Label:
				labels[x.Text] = x
			}
		}
		find(q.Box)
		text, state := labels["Count the open files of every process."], labels["paused"]
		if text == nil || text.Size().Width < 60 {
			t.Errorf("at %v the text has no room: %v", tt.width, text)
		}
		if state == nil || state.Visible() != tt.state {
			t.Errorf("at %v the state is shown: %v, want %v", tt.width, !tt.state, tt.state)
		}
	}
}
