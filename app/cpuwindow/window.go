package cpuwindow

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"

	"mac-stats/app/backend"
	"mac-stats/app/cpuwindow/appearance"
	"mac-stats/app/cpuwindow/chatpane"
	"mac-stats/app/cpuwindow/chats"
	"mac-stats/app/cpuwindow/library"
	"mac-stats/app/cpuwindow/notices"
	"mac-stats/app/cpuwindow/opening"
	"mac-stats/app/cpuwindow/pages"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/cpuwindow/setup"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/cpuwindow/transcripts"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
)

// Params is what a Window needs; all required but where said.
type Params struct {
	App       fyne.App
	Backend   *backend.Backend
	Do        func(func())                             // desktop.Do
	OnVisible func(visible bool)                       // shown or hidden
	OnQuit    func()                                   // the user quits from the window (no tray host)
	Notify    func(title, body string, onClick func()) // desktop.Notify; optional: without it nobody is notified
	OnDemo    func(welcomed bool)                      // "Try the demo"; optional: without it there is no such button. welcomed: the first run is not under way
	OnOwn     func()                                   // the way from the demo to one's own data; optional as well
	// CloseHides: closing hides the window (there is a tray); otherwise it quits.
	CloseHides func() bool
}

// Window is the CPU window. All methods are called on the UI goroutine.
type Window struct {
	p     Params
	parts parts
	win   fyne.Window
	ctx   context.Context
	end   context.CancelFunc

	vitals   *vitals.Strip
	side     *sidebar
	chat     *chatpane.Pane
	notices  *notices.Notices
	edits    *pages.Edits
	writer   *settings.Writer
	proposed int // in the inbox
	made     made
	center   *fyne.Container
	root     *windowLayout

	page    page
	library *library.Library

	reader   *transcripts.Reader
	switcher *sessions.Switcher // nil while it is closed
	watched  watchedFile        // the transcript that is shown
	toast    *overlay.Toast
	chooser  *dialog.FileDialog // that is open

	visible bool

	setup        *setup.Setup
	reloads      int             // so far: only the newest takes itself out of the foot
	footStays    time.Duration   // how long it is there
	shortcuts    *shortcuts.List // nil while it is closed
	look         *appearance.Appearance
	keys         shortcuts.Bindings
	sampled      *vitals.Watch
	stopWatching func() // the files; nil before the window is shown
	open         *opening.Opener
}

// New builds the window; nothing is shown yet.
func New(p Params) *Window {
	if p.Backend == nil {
		panic("cpuwindow: Params.Backend is required")
	}
	return newWindow(p, fromBackend(p.Backend))
}

func newWindow(p Params, d parts) *Window {
	switch {
	case p.App == nil:
		panic("cpuwindow: Params.App is required")
	case p.Do == nil:
		panic("cpuwindow: Params.Do is required")
	case p.OnVisible == nil || p.OnQuit == nil || p.CloseHides == nil:
		panic("cpuwindow: Params.OnVisible, OnQuit and CloseHides are required")
	}
	w := &Window{footStays: footStays, p: p, parts: d, page: pageChat}
	w.ctx, w.end = context.WithCancel(context.Background())
	w.look = appearance.New(p.App, d.home, d.logger, d.config().Window)
	w.win = p.App.NewWindow("mac-stats")
	w.look.Wear(w.win, d.config().Window)
	w.build()
	w.win.SetPadded(false)
	w.win.SetContent(w.content())
	w.win.SetCloseIntercept(w.onClose)
	w.followConfig()
	w.takeDropped()
	p.App.Lifecycle().SetOnEnteredForeground(func() { w.chats().Focus(true) })
	p.App.Lifecycle().SetOnExitedForeground(func() { w.chats().Focus(false) })
	w.look.RestoreSize()
	w.edits.Find()
	w.chat.ShowFresh()
	w.notices.TellFirst()
	d.onNotice(func(n backend.Notice) { p.Do(func() { w.onNotice(n) }) })
	return w
}

func (w *Window) build() {
	host := windowHost{w}
	w.library = library.New(libraryHost{host}, w.libraryParts())
	w.setup = setup.New(setupHost{host}, w.parts.server, w.parts.home)
	w.vitals = vitals.NewStrip(w.openVitals)
	w.sampled = vitals.NewWatch(w.parts.vitals, w.p.Do, w.drawVitals)
	w.open = opening.New(host, w.parts.sessions.Load)
	w.side = newSidebar(func() { w.chat.NewChat() }, w.openSwitcher, w.library.List, w.goToPage)
	w.reader = transcripts.NewReader(w.ctx, w.readerActions(), w.p.Do, w.library.Load)
	w.toast = overlay.NewToast()
	w.chat = chatpane.New(chatHost{host}, w.chatParts(), w.setup)
	w.notices = notices.New(noticeHost{host}, notices.Parts{Hold: w.parts.notices, Memories: w.parts.memories, Decided: w.parts.decided, Crashes: w.parts.crashes})
	w.writer = settings.NewWriter(pageHost{host}, func(key, value string) error { return w.parts.set(key, value) })
	w.edits = pages.NewEdits(pageHost{host}, w.parts.memories)
}

// content puts the parts in their places.
func (w *Window) content() fyne.CanvasObject {
	w.firstPages()
	top := container.New(&kit.TightLayout{}, w.chat.Head.Object, w.notices.Bar)
	edge := func() float32 {
		if w.page != pageChat {
			return 0
		}
		return w.chat.LowerHeight()
	}
	middle := container.New(kit.UnderLayout{}, top, container.NewStack(w.made.stack, w.toast.Above(edge), w.chat.Slash.Above(edge)))
	w.center = middle
	w.root = &windowLayout{w: w, scrim: overlay.NewScrim(w.toggleDrawer)}
	w.root.scrim.Hide()
	return kit.NewRoot(rootHost{windowHost{w}}, w.root, w.vitals.Object, middle, w.root.scrim, w.side.object)
}

// Show shows and raises the window; everything is brought up to date once.
func (w *Window) Show() {
	first := !w.visible
	w.visible = true
	if first {
		w.p.OnVisible(true)
		w.sampled.Start()
		w.stopWatching = w.watchFiles()
	}
	w.win.Show()
	w.win.RequestFocus()
	if first {
		w.refreshAll()
	}
	if w.chat.Focus(); w.parts.firstRun {
		w.parts.firstRun = false
		w.showPage(pageWelcome)
	}
}

// Hide hides it; runs go on, nothing is drawn.
func (w *Window) Hide() {
	if !w.visible {
		return
	}
	w.look.Keep()
	w.KeepEdits()
	w.visible = false
	w.chat.ForgetThumbs()
	w.chats().See(false)
	w.stopWatching()
	w.sampled.Stop()
	w.showDetails()
	w.win.Hide()
	w.p.OnVisible(false)
}

func (w *Window) refreshAll() {
	w.chats().See(true)
	w.library.Reload()
	w.chats().Changed(w.chats().Shown())
	w.chats().Reload()
	w.setup.CheckOld()
	w.countProposals()
	switch w.page {
	case pageChat:
	case pageTranscript:
		if w.reader.Read != nil {
			w.reader.Reread()
		}
	default:
		w.loadPage(w.page)
	}
}

// End ends what the window does in the background, when the app quits.
func (w *Window) End() {
	w.end()
	w.look.Restore()
}

func (w *Window) onClose() {
	if w.p.CloseHides() {
		w.Hide()
		return
	}
	w.look.Keep()
	w.KeepEdits()
	w.end()
	w.p.OnQuit()
}

// chats are the conversations.
func (w *Window) chats() *chats.Chats { return w.chat.Chats }

// chatParts is what the chat works on.
func (w *Window) chatParts() chatpane.Parts {
	return chatpane.Parts{
		Parts: chats.Parts{
			Engine: w.parts.turns, Sessions: w.parts.sessions, Config: w.parts.config, Notify: w.p.Notify, Home: w.parts.home,
			Forgotten: w.parts.library.Forgotten().HasTyped,
		},
		Library: chatLibrary{w.parts.library, w.parts.keeper}, Files: w.parts.keeper, Roster: w.parts.roster, Memories: w.parts.memories,
		Commands: w.slashCommands, Marks: w.findMarks, Typing: w.parts.recaller.Typing, Image: w.parts.clipImage, Demo: w.parts.demo,
	}
}

// findMarks is where a phrase stands in a text, as rows show it. Any goroutine.
func (w *Window) findMarks(text, phrase string) []prose.Mark {
	found := w.parts.finder.Find(text, phrase)
	out := make([]prose.Mark, len(found))
	for i, m := range found {
		out[i] = prose.Mark(m)
	}
	return out
}

// chatLibrary is what the chat changes of a transcript.
type chatLibrary struct {
	actions
	keeper
}

// NewChat starts a chat and focuses the composer.
func (w *Window) NewChat() { w.chat.NewChat() }

// OpenSession shows a session by name.
func (w *Window) OpenSession(name string) { w.chat.OpenSession(name) }

// SetNotice shows a line the user should read; "" takes it away. What the backend
// tells comes first.
func (w *Window) SetNotice(text string) {
	w.notices.TellPlace(text)
}

// ShowSettings opens the settings.
func (w *Window) ShowSettings() {
	if w.page != pageSettings {
		w.showPage(pageSettings)
	}
}

func (w *Window) showPage(p page) {
	if p == w.page && p != pageChat {
		p = pageChat
	}
	w.page = p
	w.setup.View.Offset = 0
	w.side.mark(p)
	w.library.Draw()
	w.root.closeDrawer()
	chat := p == pageChat
	w.showPane(p)
	w.showDetails()
	if chat {
		w.chat.Head.ForPage(false, "")
		w.chat.DrawHeader()
		w.chat.Focus()
	} else {
		if c := w.win.Canvas(); c.Focused() == fyne.Focusable(w.chat.Compose.Entry) {
			c.Unfocus() // nobody sees what is typed there now
		}
		w.chat.Slash.Close()
		w.chat.Head.ForPage(true, pageTitle(p))
		if p != pageTranscript {
			w.loadPage(p)
		}
	}
	w.trackOpen()
	w.center.Refresh()
}

func pageTitle(p page) string {
	switch p {
	case pageMemory:
		return i18n.T("Memory")
	case pageAgents:
		return i18n.T("Agents")
	case pageWelcome:
		return i18n.T("Welcome to mac-stats")
	case pageModels:
		return i18n.T("Models")
	case pageSchedules:
		return i18n.T("Schedules")
	case pageTools:
		return i18n.T("Tools")
	case pageSettings:
		return i18n.T("Settings")
	case pageTranscript:
		return i18n.T("Transcript")
	case pageVitals:
		return i18n.T("Vitals of the whole machine")
	}
	return ""
}

// loadPage reads a page's files off the UI goroutine and shows them.
func (w *Window) loadPage(which page) {
	if load := w.made.views[which].load; load != nil {
		load()
	}
}

func (w *Window) drawVitals() {
	s := w.sampled.Latest()
	if s == nil || !w.visible {
		return
	}
	w.vitals.Update(vitals.Readings(*s), w.parts.vitals.Series)
	if w.made.details != nil {
		w.made.details.Update()
	}
}
