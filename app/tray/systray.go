//go:build !darwin || cgo

package tray

import (
	"runtime"

	"fyne.io/systray"
)

// systrayShell is fyne.io/systray. The library keeps its state in package variables,
// so there is one icon a process, and it can't be started again after stop.
type systrayShell struct {
	items map[label]*systray.MenuItem
	end   func()
}

func newShell() shell { return &systrayShell{items: map[label]*systray.MenuItem{}} }

func (s *systrayShell) start(first look, menu []entry, onTap func(), onClick func(label)) {
	// What registration fixes must be there before it: the name, and that a click on
	// the icon is ours. On macOS the title would be drawn beside the icon.
	if runtime.GOOS != "darwin" {
		s.show(first)
	}
	systray.SetOnTapped(onTap)
	built := make(chan struct{})
	start, end := systray.RunWithExternalLoop(func() {
		if runtime.GOOS == "darwin" {
			first.title = ""
			s.show(first)
		}
		s.build(menu, onClick)
		close(built)
	}, nil)
	s.end = end
	start()
	if !startsOnCaller { // else the caller's loop may be what builds it
		<-built
	}
}

func (s *systrayShell) show(l look) {
	if l.title != "" {
		systray.SetTitle(l.title)
	}
	systray.SetTooltip(l.tooltip)
	s.setIcon(l.icon)
}

// build makes the items and listens to each. systray drops a click nobody is waiting
// for, so the listeners only hand it on.
func (s *systrayShell) build(menu []entry, onClick func(label)) {
	for _, e := range menu {
		if e.label == separator {
			systray.AddSeparator()
			continue
		}
		var item *systray.MenuItem
		switch above := s.items[e.below]; {
		case above != nil:
			item = above.AddSubMenuItemCheckbox(e.text, "", e.checked)
		case e.checkbox:
			item = systray.AddMenuItemCheckbox(e.text, "", e.checked)
		default:
			item = systray.AddMenuItem(e.text, "")
		}
		if e.disabled {
			item.Disable()
		}
		s.items[e.label] = item
		go func() {
			for range item.ClickedCh {
				onClick(e.label)
			}
		}()
	}
}

func (s *systrayShell) setIcon(data []byte) { systray.SetTemplateIcon(data, data) }

func (s *systrayShell) setTitle(text string) { systray.SetTitle(text) }

func (s *systrayShell) setTooltip(text string) { systray.SetTooltip(text) }

func (s *systrayShell) setText(name label, text string) {
	if item := s.items[name]; item != nil {
		item.SetTitle(text)
	}
}

func (s *systrayShell) setChecked(name label, checked bool) {
	item := s.items[name]
	switch {
	case item == nil:
	case checked:
		item.Check()
	default:
		item.Uncheck()
	}
}

func (s *systrayShell) stop() {
	if s.end != nil {
		s.end()
	}
}
