package cpuwindow

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/pages"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/screentest"
)

// walk presses Tab until it is back at the start. It returns every stop, and every clickable
// object that was visible on the way.
func (b *bench) walk(root func() fyne.CanvasObject) (stops []fyne.Focusable, clickable map[fyne.CanvasObject]bool) {
	b.t.Helper()
	c := b.w.win.Canvas()
	clickable = map[fyne.CanvasObject]bool{}
	seen := map[fyne.Focusable]bool{}
	for range 500 {
		collect(root(), clickable)
		c.FocusNext()
		b.Settle()
		f := c.Focused()
		if f == nil {
			b.t.Fatalf("Tab leads nowhere after %s", named(stops))
		}
		if seen[f] {
			if f != stops[0] {
				b.t.Fatalf("Tab goes back to %T in the midst of %s", f, named(stops))
			}
			return stops, clickable
		}
		if x, ok := f.(*kit.Button); ok {
			if fill, line, _ := x.Roles(); line != kit.RoleAccent && line != kit.RoleText || line == fill {
				b.t.Errorf("the button %q doesn't show that it has the focus", x.Text)
			}
		}
		seen[f] = true
		stops = append(stops, f)
	}
	b.t.Fatalf("Tab does not come round: %s", named(stops))
	return nil, nil
}

// collect finds the visible clickable objects below an object.
func collect(o fyne.CanvasObject, into map[fyne.CanvasObject]bool) {
	if !o.Visible() {
		return
	}
	if _, ok := o.(fyne.Tappable); ok {
		into[o] = true
	}
	switch x := o.(type) {
	case interface{ SelectedText() string }: // a field: its inside belongs to Fyne
	case *fyne.Container:
		for _, inner := range x.Objects {
			collect(inner, into)
		}
	case fyne.Widget:
		for _, inner := range test.WidgetRenderer(x).Objects() {
			collect(inner, into)
		}
	}
}

func named(stops []fyne.Focusable) []string {
	var out []string
	for _, f := range stops {
		if b, ok := f.(*kit.Button); ok {
			out = append(out, b.Text)
		} else {
			out = append(out, fmt.Sprintf("%T", f))
		}
	}
	return out
}

// byAnotherWay reports whether a control needs no Tab stop because another key reaches it.
func byAnotherWay(o fyne.CanvasObject) bool {
	switch x := o.(type) {
	case *overlay.Scrim: // the button that opens the drawer closes it
		return true
	case *vitals.VitalCell: // the strip is one stop, and opens the page with all of them
		return true
	case *column.Viewport: // one whose rows are the stops
		return x.Disabled()
	case *sessions.Row, *sessions.HitRow: // the arrow keys move in the list, Enter opens
		return true
	case *kit.Button:
		return x.Disabled()
	}
	return false
}

// counted makes a press of a control increase a counter instead. It returns false if the control
// is not one of ours.
func counted(f fyne.Focusable, presses *int) bool {
	press := func() { *presses++ }
	switch x := f.(type) {
	case *kit.Button:
		x.OnTap = press
	case *kit.Tappable:
		x.OnTap = press
	case *pages.ListRow:
		x.OnTap = press
	case *kit.Switch:
		x.Change = func(string) { press() }
	default:
		return false
	}
	return true
}

func TestEveryControlOfEveryPageIsReachedAndPressedByKey(t *testing.T) {
	tests := map[string]func(b *bench){
		"chat": func(b *bench) {
			b.w.chat.Send("q")
			ev := b.run(0).Sent
			ev <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "orchestrator", Model: "m"}
			ev <- agents.Event{Type: agents.EventThinking, Text: "hm"}
			ev <- agents.Event{Type: agents.EventSubcallStart, Call: &agents.Call{ID: "c1", Name: "coder", Task: "write it"}}
			ev <- agents.Event{Type: agents.EventMemoryWritten, Memory: &agents.MemoryChange{Text: "x", UndoID: "1"}}
			ev <- token("See [this](https://example.org).\n\n```go\nfunc f() {}\n```\n")
			b.Settle()
			b.w.SetNotice("Something.")
			b.enter("and this next")
		},
		"an empty chat": func(*bench) {},
		"memory":        func(b *bench) { b.onMemory("# Notes\n\n- tea\n- jazz\n") },
		"agents":        func(b *bench) { b.onAgents() },
		"models":        func(b *bench) { b.w.goToPage(pageModels) },
		"schedules":     func(b *bench) { b.onSchedules() },
		"a schedule": func(b *bench) {
			b.onSchedules()
			b.Pushes(b.w.panes.schedules.View, "New schedule")
		},
		"tools": func(b *bench) { b.onTools() },
		"a new server": func(b *bench) {
			b.onTools()
			b.Pushes(b.w.panes.tools.View, "Add a server…")
		},
		"settings": func(b *bench) { b.w.ShowSettings() },
		"transcript": func(b *bench) {
			_, s := b.withStore()
			b.branched(s, "cpu-a")
			b.reads(s, "cpu-a", "")
			b.w.commands.find()
		},
		"vitals": func(b *bench) {
			b.vitals.publish(monitor.Snapshot{Time: time.Now(), CPU: monitor.CPUReading{Percent: 99}})
			b.w.showPage(pageVitals)
		},
		"a narrow chat": func(b *bench) {
			b.w.win.Resize(fyne.NewSize(420, 700))
			b.w.chat.Send("q")
		},
	}
	for name, open := range tests {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).withSessions(3).shown()
				open(b)
				b.Settle()
				stops, clickable := b.walk(b.w.win.Content)
				reached := map[fyne.CanvasObject]bool{}
				for _, f := range stops {
					reached[f.(fyne.CanvasObject)] = true
				}
				for o := range clickable {
					if !reached[o] && !byAnotherWay(o) {
						t.Errorf("Tab does not reach %s", describe(o))
					}
				}
				b.pressedByKey(stops)
			})
		})
	}
}

// Tab reaches what follows a text, however much of the page is visible.
func TestTabContinuesPastALongText(t *testing.T) {
	for _, height := range []float32{420, 560, 600, 640, 680, 700, 720, 760} {
		t.Run(fmt.Sprint(height), func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				b.w.win.Resize(fyne.NewSize(900, height))
				b.onSchedules()
				b.Pushes(b.w.panes.schedules.View, "New schedule")
				b.Settle()
				if _, ok := b.w.win.Canvas().Focused().(*kit.Field); !ok {
					t.Errorf("the sheet opens with the keyboard on %T, not on the name", b.w.win.Canvas().Focused())
				}
				b.w.win.Canvas().Unfocus()
				stops, _ := b.walk(b.w.win.Content)
				if names := named(stops); !slices.Contains(names, "Save") || !slices.Contains(names, "Cancel") {
					t.Errorf("Tab comes to %q", names)
				}
			})
		})
	}
}

func TestSearchByKeyboard(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		_, s := b.withStore()
		b.said(s, "cpu-a", time.Hour, "fan?", "loud")
		b.said(s, "cpu-b", time.Hour, "disk?", "full")
		b.shown()
		b.w.commands.openSwitcher()
		b.Settle()
		stops, clickable := b.walk(func() fyne.CanvasObject { return b.w.win.Canvas().Overlays().Top() })
		for o := range clickable {
			f, ok := o.(fyne.Focusable)
			if !byAnotherWay(o) && (!ok || !contains(stops, f)) {
				t.Errorf("Tab does not reach %s", describe(o))
			}
		}
		b.pressedByKey(stops)
		b.press(fyne.KeyDown, fyne.KeyReturn)
		if b.w.commands.switcher != nil || b.w.chats().Shown().Name == "" {
			t.Error("Enter opens nothing")
		}
	})
}

func contains(stops []fyne.Focusable, f fyne.Focusable) bool {
	for _, s := range stops {
		if s == f {
			return true
		}
	}
	return false
}

func describe(o fyne.CanvasObject) string {
	if b, ok := o.(*kit.Button); ok {
		return fmt.Sprintf("the button %q", b.Text)
	}
	return reflect.TypeOf(o).String()
}

// pressedByKey presses each stop with Enter and with Space.
func (b *bench) pressedByKey(stops []fyne.Focusable) {
	b.t.Helper()
	for _, f := range stops {
		presses := 0
		if !counted(f, &presses) {
			continue
		}
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		b.Settle()
		if presses != 2 {
			b.t.Errorf("Enter and Space press %s %d times, want 2", describe(f.(fyne.CanvasObject)), presses)
		}
	}
}
