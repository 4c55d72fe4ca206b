package cpuwindow

import (
	"context"
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/transcript"
)

// What the parts need of the window. Each part declares an interface of its own; none of them
// knows Window.

// windowHost implements what most parts need.
type windowHost struct{ *Window }

// rootHost is the window for its widgets, pageHost for its pages, and so on.
type (
	rootHost    struct{ windowHost }
	pageHost    struct{ windowHost }
	setupHost   struct{ windowHost }
	chatHost    struct{ windowHost }
	libraryHost struct{ windowHost }
	noticeHost  struct{ windowHost }
	sheetHost   struct{ windowHost }
	readerHost  struct{ windowHost }
)

// Canvas implements vitals.Host.
func (w windowHost) Canvas() fyne.Canvas { return w.win.Canvas() }

// Do implements kit.Host.
func (w windowHost) Do(f func()) { w.p.Do(f) }

// Context implements pages.Host.
func (w windowHost) Context() context.Context { return w.ctx }

// Visible implements pages.Host.
func (w windowHost) Visible() bool { return w.visible }

// Notify implements pages.Host.
func (w windowHost) Notify(words, more string) { w.notices.Show(words, more) }

// OpenFile implements pages.Host.
func (w windowHost) OpenFile(path string) { w.open.File(path) }

// SessionTitle implements pages.Host. It returns the title of a session in the list, or its
// name if it has none.
func (w windowHost) SessionTitle(name string) string {
	if title := w.TitleOf(name); title != "" {
		return i18n.Shorten(title, 60)
	}
	return name
}

// Copy implements pages.Host.
func (w windowHost) Copy(text string) { w.p.App.Clipboard().SetContent(text) }

// MachineMemory implements models.Host.
func (w windowHost) MachineMemory() uint64 {
	if s := w.vitals.samples.Latest(); s != nil {
		return s.Memory.Total
	}
	return 0
}

// OpenLink implements models.Host.
func (w windowHost) OpenLink(address string) {
	if !w.chat.Files.ZoomLink(address) {
		w.open.Link(address)
	}
}

// Chosen implements models.Host.
func (w windowHost) Chosen(key string) (value, setBy string) {
	s, ok := config.Lookup(key)
	if !ok {
		return "", ""
	}
	return s.Value(w.parts.config()), s.Overridden(w.parts.environ())
}

// Choose implements models.Host.
func (w windowHost) Choose(key, value string, then func(error)) { w.panes.writer.Set(key, value, then) }

// OpenTranscript implements chatpane.Host.
func (w windowHost) OpenTranscript(session, path string) { w.open.Transcript(session, path) }

// Latest implements vitals.Host.
func (w pageHost) Latest() *monitor.Snapshot { return w.vitals.samples.Latest() }

// Ahead implements vitals.Host.
func (w pageHost) Ahead() string { return w.ahead }

// Ask implements vitals.Host.
func (w pageHost) Ask(text string) { w.chat.Quote(text) }

// TitleOf implements toolpage.Host.
func (w windowHost) TitleOf(name string) string {
	infos := w.library.Infos()
	if i := slices.IndexFunc(infos, func(in transcript.Info) bool { return in.Name == name && in.Title != "" }); i >= 0 {
		return infos[i].Title
	}
	return ""
}

// SearchSettings implements toolpage.Host.
func (w pageHost) SearchSettings(words string) {
	w.ShowSettings()
	w.panes.settings.Search(words)
}

// ShowTools implements settings.Host.
func (w pageHost) ShowTools() { w.goToPage(pageTools) }

// ContextSize implements pages.Host.
func (w pageHost) ContextSize() int { return w.chats().Shown().ContextSize() }

// ModelMenu implements pages.Host.
func (w pageHost) ModelMenu(chosen string, pick func(name string)) *fyne.Menu {
	return header.ModelMenu(w.setup.Models(), chosen, pick)
}

// ShowProposals implements pages.Host.
func (w pageHost) ShowProposals(n int) { w.panes.marks.setProposed(n) }

// EditsChanged implements pages.Host.
func (w pageHost) EditsChanged() { w.panes.marks.update() }

// Clipboard implements settings.Host.
func (w pageHost) Clipboard() string { return w.p.App.Clipboard().Content() }

// ConfigChanged implements settings.Host.
func (w pageHost) ConfigChanged() { w.applyConfig() }

// ModelsChanged implements models.Host.
func (w pageHost) ModelsChanged() { w.setup.Check() }

// Welcoming implements setup.Host.
func (w setupHost) Welcoming() bool { return w.panes.page == pageWelcome && w.visible }

// LeaveWelcome implements setup.Host.
func (w setupHost) LeaveWelcome() {
	if w.panes.page == pageWelcome {
		w.showPage(pageChat)
	}
}

// ShowServer implements setup.Host.
func (w setupHost) ShowServer(words string, down bool) { w.chat.Foot.SetServer(words, down) }

// SetupChanged implements setup.Host.
func (w setupHost) SetupChanged() { w.chats().Changed(w.chats().Shown()) }

// PullChanged implements setup.Host.
func (w setupHost) PullChanged(done bool) {
	switch {
	case w.panes.page != pageModels || !w.visible:
	case done:
		w.panes.models.Load()
	default:
		w.panes.models.Draw()
	}
}

// OnChat implements chatpane.Host.
func (w chatHost) OnChat() bool { return w.panes.page == pageChat }

// ShowChat implements chatpane.Host.
func (w chatHost) ShowChat() {
	w.root.closeDrawer()
	if w.panes.page != pageChat {
		w.showPage(pageChat)
	}
	if w.visible {
		w.library.Draw()
	}
}

// Resized implements chatpane.Host.
func (w chatHost) Resized() { w.root.middle.Refresh() }

// Act implements chatpane.Host.
func (w chatHost) Act(what string, action func(ctx context.Context) error, then func()) {
	w.library.Act(what, action, then)
}

// ListChanged implements chatpane.Host.
func (w chatHost) ListChanged() { w.library.Changed() }

// ShowSession implements chatpane.Host.
func (w chatHost) ShowSession(name string) {
	w.Show()
	w.chat.OpenSession(name)
}

// OpenList implements chatpane.Host.
func (w chatHost) OpenList() { w.root.toggleDrawer() }

// NoticeChanged implements notices.Host.
func (w noticeHost) NoticeChanged() { w.root.middle.Refresh() }

// LeaveDemo implements chatpane.Host. It offers the ways out of the demo.
func (w chatHost) LeaveDemo() {
	var own func()
	if w.p.OnOwn != nil {
		own = func() {
			w.save()
			w.p.OnOwn()
		}
	}
	kit.ShowMenu(header.DemoMenu(own, w.quit), w.chat.Head.Demo, w.win.Canvas())
}

// Demo implements setup.Host.
func (w setupHost) Demo() func() {
	if w.p.OnDemo == nil {
		return nil
	}
	return func() { w.p.OnDemo(w.panes.page != pageWelcome) }
}
