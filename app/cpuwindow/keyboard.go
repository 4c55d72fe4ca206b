package cpuwindow

import (
	"context"
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/sessionmem/transcript"
)

// The way through the window by keyboard: Tab goes on, Shift+Tab back, Enter or
// Space presses. Only what is in sight is an object of the screen, so what gets the
// focus is brought into sight, with some of what comes next.

// windowHost is the window as its widgets see it.
type windowHost struct{ *Window }

// Canvas implements vitals.Host.
func (w windowHost) Canvas() fyne.Canvas { return w.win.Canvas() }

// Latest implements vitals.Host.
func (w windowHost) Latest() *monitor.Snapshot { return w.lastVitals.Load() }

// Ask implements vitals.Host.
func (w windowHost) Ask(text string) { w.chat.Quote(text) }

// Reveal implements host: scrolls the view an object is in, so that all of it is seen.
func (w windowHost) Reveal(o fyne.CanvasObject) {
	drv := fyne.CurrentApp().Driver()
	at, size := drv.AbsolutePositionForObject(o), o.Size()
	for _, v := range w.viewports() {
		from := drv.AbsolutePositionForObject(v)
		beside := at.X < from.X || at.X >= from.X+v.Size().Width
		apart := at.Y+size.Height <= from.Y || at.Y >= from.Y+v.Size().Height
		if f, ok := o.(fyne.Focusable); ok && apart && v != w.side.Port && v != w.chat.View.Port && slices.Contains(column.RowControls(v.Rows), f) {
			apart = false // below the edge: Tab is ahead of what is in sight
		}
		if !v.Visible() || beside || apart || o == fyne.CanvasObject(w.chat.View.Latest) {
			continue
		}
		top := at.Y - from.Y + v.Offset
		if v == w.side.Port || v == w.chat.View.Port {
			v.Reveal(top, top+size.Height)
		} else {
			v.RevealFocus(top, top+size.Height)
		}
	}
}

// viewports are the scrolled views that are shown.
func (w *Window) viewports() []*column.Viewport {
	if m := overlay.OpenModal(w.win.Canvas()); m != nil {
		return []*column.Viewport{m.Port}
	}
	switch w.page {
	case pageChat:
		return []*column.Viewport{w.side.Port, w.chat.View.Port}
	case pageMemory:
		return append([]*column.Viewport{w.side.Port}, w.memory.Ports()...)
	case pageAgents:
		return append([]*column.Viewport{w.side.Port}, w.roster.Ports()...)
	case pageVitals:
		return []*column.Viewport{w.side.Port, w.details.View}
	case pageModels:
		return []*column.Viewport{w.side.Port, w.models.View}
	case pageSchedules:
		return []*column.Viewport{w.side.Port, w.schedules.View}
	case pageTools:
		return []*column.Viewport{w.side.Port, w.tools.View}
	case pageSettings:
		return []*column.Viewport{w.side.Port, w.settings.View}
	case pageTranscript:
		return []*column.Viewport{w.side.Port, w.reader.Rows.Port}
	}
	return []*column.Viewport{w.side.Port, w.setup.View}
}

// Do implements host.
func (w windowHost) Do(f func()) { w.p.Do(f) }

// RunShortcut implements host.
func (w windowHost) RunShortcut(s fyne.Shortcut) bool { return w.runShortcut(s) }

// RunKey implements host.
func (w windowHost) RunKey(k *fyne.KeyEvent) bool { return w.runKey(k) }

// Escape implements host.
func (w windowHost) Escape() { w.escape() }

// Remeasure implements host.
func (w windowHost) Remeasure(r kit.Row) {
	for _, v := range w.viewports() {
		if v.Holds(r) {
			v.Remeasure(r)
		}
	}
}

// Typed implements host: takes a letter that was typed where nothing takes text: who types means the
// message. Space presses things, and begins none.
func (w windowHost) Typed(r rune) {
	if w.page == pageChat && r != ' ' && w.win.Canvas().Overlays().Top() == nil {
		w.chat.Type(r)
	}
}

// TitleOf implements toolpage.Host.
func (w windowHost) TitleOf(name string) string {
	for _, in := range w.library.Infos() {
		if in.Name == name {
			return in.Title
		}
	}
	return ""
}

// SearchSettings implements toolpage.Host.
func (w windowHost) SearchSettings(words string) {
	w.ShowSettings()
	w.settings.Search(words)
}

// ShowTools implements settings.Host.
func (w windowHost) ShowTools() { w.goToPage(pageTools) }

// Context implements pages.Host.
func (w windowHost) Context() context.Context { return w.ctx }

// Visible implements pages.Host.
func (w windowHost) Visible() bool { return w.visible }

// Tell implements pages.Host.
func (w windowHost) Tell(words, more string) { w.tell(words, more) }

// OpenFile implements pages.Host.
func (w windowHost) OpenFile(path string) { w.openFile(path) }

// OpenSession implements pages.Host.
func (w windowHost) OpenSession(name string) { w.openOrigin(name) }

// SessionTitle implements pages.Host: what the list calls a session, its name where it
// is not there any more.
func (w windowHost) SessionTitle(name string) string {
	for _, in := range w.library.Infos() {
		if in.Name == name && in.Title != "" {
			return i18n.Shorten(in.Title, 60)
		}
	}
	return name
}

// Copy implements pages.Host.
func (w windowHost) Copy(text string) { w.p.App.Clipboard().SetContent(text) }

// ContextSize implements pages.Host.
func (w windowHost) ContextSize() int { return w.chats().Shown().ContextSize() }

// ModelMenu implements pages.Host.
func (w windowHost) ModelMenu(chosen string, pick func(name string)) *fyne.Menu {
	return header.ModelMenu(w.setup.Models(), chosen, pick)
}

// ShowProposals implements pages.Host.
func (w windowHost) ShowProposals(n int) { w.showProposals(n) }

// EditsChanged implements pages.Host.
func (w windowHost) EditsChanged() { w.markPages() }

// Clipboard implements settings.Host.
func (w windowHost) Clipboard() string { return w.p.App.Clipboard().Content() }

// ConfigChanged implements settings.Host.
func (w windowHost) ConfigChanged() { w.followConfig() }

// MachineMemory implements models.Host.
func (w windowHost) MachineMemory() uint64 {
	if s := w.lastVitals.Load(); s != nil {
		return s.Memory.Total
	}
	return 0
}

// OpenLink implements models.Host.
func (w windowHost) OpenLink(address string) { w.openLink(address) }

// Chosen implements models.Host.
func (w windowHost) Chosen(key string) (value, setBy string) {
	s, ok := config.Lookup(key)
	if !ok {
		return "", ""
	}
	return s.Value(w.parts.config()), s.Overridden(w.parts.environ())
}

// Choose implements models.Host.
func (w windowHost) Choose(key, value string, then func(error)) { w.writer.Set(key, value, then) }

// ModelsChanged implements models.Host.
func (w windowHost) ModelsChanged() { w.setup.Check() }

// Welcoming implements setup.Host.
func (w windowHost) Welcoming() bool { return w.page == pageWelcome && w.visible }

// LeaveWelcome implements setup.Host.
func (w windowHost) LeaveWelcome() {
	if w.page == pageWelcome {
		w.showPage(pageChat)
	}
}

// ServerSays implements setup.Host.
func (w windowHost) ServerSays(words string, down bool) { w.chat.Foot.SetServer(words, down) }

// SetupChanged implements setup.Host.
func (w windowHost) SetupChanged() { w.chats().Changed(w.chats().Shown()) }

// PullChanged implements setup.Host.
func (w windowHost) PullChanged(done bool) {
	switch {
	case w.page != pageModels || !w.visible:
	case done:
		w.models.Load()
	default:
		w.models.Draw()
	}
}

// NoticeChanged implements notices.Host.
func (w windowHost) NoticeChanged() { w.center.Refresh() }

// OnChat implements chatpane.Host.
func (w windowHost) OnChat() bool { return w.page == pageChat }

// ShowChat implements chatpane.Host.
func (w windowHost) ShowChat() {
	w.root.closeDrawer()
	if w.page != pageChat {
		w.showPage(pageChat)
	}
	if w.visible {
		w.library.Draw()
	}
}

// Resized implements chatpane.Host.
func (w windowHost) Resized() { w.center.Refresh() }

// Act implements chatpane.Host.
func (w windowHost) Act(what string, action func(ctx context.Context) error, then func()) {
	w.library.Act(what, action, then)
}

// ListChanged implements chatpane.Host.
func (w windowHost) ListChanged() { w.library.Changed() }

// ShowSession implements chatpane.Host.
func (w windowHost) ShowSession(name string) {
	w.Show()
	w.chat.OpenSession(name)
}

// OpenList implements chatpane.Host.
func (w windowHost) OpenList() { w.toggleDrawer() }

// OpenTranscript implements chatpane.Host.
func (w windowHost) OpenTranscript(session, path string) { w.openTranscriptIn(session, path) }

// ReadAt implements chatpane.Host.
func (w windowHost) ReadAt(in transcript.Info, block, phrase string) {
	w.openTranscriptOf(in, block, phrase)
}

// Remember implements chatpane.Host.
func (w windowHost) Remember(line string) { w.rememberLine(line) }

// ShowList implements library.Host.
func (w windowHost) ShowList() {
	if w.root.narrow && !w.root.drawer {
		w.toggleDrawer()
	}
}

// RevealFile implements library.Host.
func (w windowHost) RevealFile(path string) { w.reveal(path) }
