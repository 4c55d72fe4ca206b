package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/screentest"
)

// Without the Edit menu, macOS offers no way to paste with the mouse.
func TestTheEditMenuActsOnWhatHasTheKeyboard(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		menus := map[string]map[string]func(){}
		for _, m := range b.w.commands.mainMenu().Items {
			menus[m.Label] = map[string]func(){}
			for _, item := range m.Items {
				menus[m.Label][item.Label] = item.Action
			}
		}
		e := b.w.chat.Compose.Entry
		b.w.win.Canvas().Focus(e)
		test.Type(e, "words")
		steps := []struct{ item, want string }{
			{"Select All", "words"}, {"Copy", "words"}, {"Cut", ""}, {"Paste", "words"}, {"Undo", ""}, {"Redo", "words"},
		}
		for _, step := range steps {
			do := menus["Edit"][step.item]
			if do == nil {
				t.Fatalf("there is no %s in %v", step.item, menus)
			}
			do()
			if e.Text != step.want {
				t.Errorf("after %s: %q, want %q", step.item, e.Text, step.want)
			}
		}
		for _, where := range [][2]string{{"File", "Settings…"}, {"File", "Close"}, {"Help", "Shortcuts"}} {
			if menus[where[0]][where[1]] == nil {
				t.Errorf("there is no %s > %s", where[0], where[1])
			}
		}
	})
}
