//go:build windows || (darwin && cgo)

package tray

import (
	"sync"

	"fyne.io/systray"
)

// systrayShell is fyne.io/systray. The library keeps its state in package variables, so
// there is one icon per process, and it can't be started again after stop.
type systrayShell struct {
	native //nolint:unused // Windows keeps its icon there
	end    func()

	mu    sync.Mutex // systray builds the menu on its own goroutine
	items map[label]*systray.MenuItem
}

func newShell() shell { return &systrayShell{items: map[label]*systray.MenuItem{}} }

func (s *systrayShell) start(first look, menu []entry, onTap func(), onClick func(label)) error {
	systray.SetOnTapped(onTap) // the registration decides that we handle clicks on the icon
	built := make(chan struct{})
	s.end = runSystray(func() {
		s.show(first)
		s.build(menu, onClick)
		close(built)
	})
	if !startsOnCaller { // otherwise the caller's loop may be what builds it
		<-built
	}
	return nil
}

func (s *systrayShell) show(l look) {
	systray.SetTooltip(l.tooltip)
	systray.SetTemplateIcon(l.icon, l.icon)
}

// build creates the items and listens to each. systray drops a click while no one receives
// it, so the listeners only pass it on.
func (s *systrayShell) build(menu []entry, onClick func(label)) {
	s.mu.Lock()
	defer s.mu.Unlock()
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

func (s *systrayShell) setTitle(text string) { systray.SetTitle(text) }

func (s *systrayShell) setTooltip(text string) { systray.SetTooltip(text) }

func (s *systrayShell) setText(name label, text string) {
	if item := s.item(name); item != nil {
		item.SetTitle(text)
	}
}

func (s *systrayShell) setChecked(name label, checked bool) {
	item := s.item(name)
	switch {
	case item == nil:
	case checked:
		item.Check()
	default:
		item.Uncheck()
	}
}

func (s *systrayShell) item(name label) *systray.MenuItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items[name]
}

func (s *systrayShell) stop() {
	if s.end != nil {
		s.end()
	}
}
