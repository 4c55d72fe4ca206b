package cpuwindow

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/app/backend"
	"mac-stats/app/cpuwindow/chatpane"
	"mac-stats/app/cpuwindow/chats"
	"mac-stats/app/cpuwindow/library"
	"mac-stats/app/cpuwindow/notices"
	"mac-stats/app/cpuwindow/pages"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/cpuwindow/setup"
	"mac-stats/app/cpuwindow/transcripts"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
)

// Params configures a Window. All fields are required unless marked optional.
type Params struct {
	App       fyne.App
	System    SystemLook
	Backend   *backend.Backend
	Do        func(func())                             // desktop.Do
	OnVisible func(visible bool)                       // called when the window is shown or hidden
	OnQuit    func()                                   // called when the user quits from the window
	Notify    func(title, body string, onClick func()) // desktop.Notify; optional: nil sends no notifications
	HasFont   func(r rune) bool                        // toolkit.HasFont; optional: nil explains no missing font
	OnDemo    func(welcomed bool)                      // starts the demo; optional: nil hides its button. welcomed is false during the first run
	OnOwn     func()                                   // leaves the demo for the user's own data; optional
	// CloseHides reports whether closing hides the window (there is a tray icon) or quits.
	CloseHides func() bool
}

// Window is the CPU window. All methods are called on the UI goroutine.
type Window struct {
	p       Params
	parts   parts
	win     fyne.Window
	ctx     context.Context
	end     context.CancelFunc
	visible bool

	vitals  vitalsStrip
	side    *sidebar
	chat    *chatpane.Pane
	notices *notices.Notices
	library *library.Library
	setup   *setup.Setup
	panes   panes
	root    *windowLayout

	look     *appearance
	commands *commands
	watched  *fileWatch
	open     *opener
	toast    *overlay.Toast
	chooser  *chooser

	footTimer *time.Timer // of the newest reload in the foot; nil if it shows none
	ahead     string      // what is said of reading in advance
}

// vitalsStrip is the strip at the top and the samples it shows.
type vitalsStrip struct {
	*vitals.Strip
	samples *vitals.Watch
}

// New returns the window without showing it.
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
	w := &Window{p: p, parts: d}
	w.ctx, w.end = context.WithCancel(context.Background())
	w.look = newAppearance(p.App, d.home, d.logger, p.System, d.config().Window)
	w.win = p.App.NewWindow("mac-stats")
	w.look.Attach(w.win, d.config().Window)
	w.build()
	w.win.SetPadded(false)
	w.win.SetContent(w.content())
	w.win.SetCloseIntercept(w.onClose)
	w.applyConfig()
	w.win.SetOnDropped(func(_ fyne.Position, uris []fyne.URI) { w.chat.Files.Attach(filePaths(uris)) })
	p.App.Lifecycle().SetOnEnteredForeground(func() { w.chats().Focus(true) })
	p.App.Lifecycle().SetOnExitedForeground(func() { w.chats().Focus(false) })
	w.look.RestoreSize()
	w.panes.edits.LoadStored()
	w.chat.ShowFresh()
	w.notices.ShowFirst()
	d.onNotice(func(n backend.Notice) { p.Do(func() { w.onNotice(n) }) })
	return w
}

func (w *Window) build() {
	host := windowHost{w}
	w.commands = &commands{w: w}
	w.chooser = &chooser{win: w.win}
	w.watched = &fileWatch{changed: func() { w.p.Do(w.fileChanged) }, sweep: func() time.Duration { return w.library.Sweep() }}
	w.library = library.New(libraryHost{host}, w.parts.forLibrary())
	w.setup = setup.New(setupHost{host}, w.parts.server, w.parts.home)
	strip := vitals.NewStrip(w.openVitals)
	due := func(s monitor.Snapshot) bool { return strip.Due(vitals.Readings(s)) }
	w.vitals = vitalsStrip{strip, vitals.NewWatch(w.parts.vitals, w.p.Do, due, w.drawVitals)}
	w.open = newOpener(host, w.parts.sessions.Load)
	w.side = newSidebar(func() { w.chat.NewChat() }, w.commands.openSwitcher, w.library.List, w.goToPage)
	w.toast = overlay.NewToast()
	w.chat = chatpane.New(chatHost{host}, w.chatParts(), w.setup)
	w.notices = notices.New(noticeHost{host}, notices.Parts{Current: w.parts.notices, Memories: w.parts.memories, Decided: w.parts.decided, Crashes: w.parts.crashes})
	w.panes = panes{
		page: pageChat, stack: container.NewStack(), views: map[page]pageView{},
		reader: transcripts.NewReader(w.ctx, readerHost{host}.actions(), w.p.Do, w.library.Load),
		writer: settings.NewWriter(pageHost{host}, func(key, value string) error { return w.parts.set(key, value) }),
		edits:  pages.NewEdits(pageHost{host}, w.parts.memories),
	}
	w.panes.marks = &pageMarks{buttons: w.side.pages, unsaved: w.panes.edits.Unsaved}
}

// content lays out the parts.
func (w *Window) content() fyne.CanvasObject {
	w.addFirstPages()
	top := container.New(&kit.TightLayout{}, w.chat.Head.Object, w.notices.Bar)
	edge := func() float32 {
		if w.panes.page != pageChat {
			return 0
		}
		return w.chat.LowerHeight()
	}
	middle := container.New(kit.UnderLayout{}, top, container.NewStack(w.panes.stack, w.toast.Above(edge), w.chat.Slash.Above(edge)))
	w.root = &windowLayout{w: w, middle: middle}
	w.root.scrim = overlay.NewScrim(w.root.toggleDrawer)
	w.root.scrim.Hide()
	// The vitals come last: the toolkit clips a list in what scrolls by itself alone, so that clicks
	// on them would go to rows that are scrolled away behind them.
	return kit.NewRoot(rootHost{windowHost{w}}, w.root, middle, w.root.scrim, w.side.object, w.vitals.Object)
}

// Show shows and raises the window and brings everything in it up to date once.
func (w *Window) Show() {
	first := !w.visible
	w.visible = true
	if first {
		w.p.OnVisible(true)
		w.vitals.samples.Start()
		w.watched.start(w.ctx)
	}
	// Showing asks for the focus. Another request behind the first drawing, which may take long,
	// would take the focus from where the person went meanwhile.
	w.win.Show()
	if first {
		w.refreshAll()
	} else {
		w.win.RequestFocus()
	}
	if w.chat.Focus(); w.parts.firstRun {
		w.parts.firstRun = false
		w.showPage(pageWelcome)
	}
}

// Hide hides the window. Runs continue; nothing is drawn.
func (w *Window) Hide() {
	if !w.visible {
		return
	}
	w.save()
	w.visible = false
	w.chat.Files.DropThumbs()
	w.chats().SetVisible(false)
	w.watched.stop()
	w.vitals.samples.Stop()
	w.sampleDetails()
	w.win.Hide()
	w.p.OnVisible(false)
}

func (w *Window) refreshAll() {
	w.chats().SetVisible(true)
	w.library.Reload()
	w.chats().Changed(w.chats().Shown())
	w.chats().Reload()
	w.setup.CheckIfStale()
	w.countProposals()
	switch w.panes.page {
	case pageChat:
	case pageTranscript:
		w.panes.reread()
	default:
		w.panes.load()
	}
}

// End stops the window's background work when the app quits.
func (w *Window) End() {
	w.end()
	w.look.Restore()
}

func (w *Window) onClose() {
	if w.p.CloseHides() {
		w.Hide()
		return
	}
	w.save()
	w.end()
	w.p.OnQuit()
}

func (w *Window) quit() {
	w.save()
	w.p.OnQuit()
}

func (w *Window) save() {
	w.look.SaveSize()
	w.SaveEdits()
}

// SaveEdits writes unsaved edits and unsent messages to disk before it returns. It is called
// on the UI goroutine, or after that has ended.
func (w *Window) SaveEdits() {
	w.chats().Drafts.Write()
	w.panes.edits.Flush()
}

func (w *Window) chats() *chats.Chats { return w.chat.Chats }

// NewChat starts a chat and focuses the composer.
func (w *Window) NewChat() { w.chat.NewChat() }

// OpenSession shows a session by name.
func (w *Window) OpenSession(name string) { w.chat.OpenSession(name) }

// SetNotice shows a notice about the place the app runs in, below those of the backend;
// "" removes it.
func (w *Window) SetNotice(text string) { w.notices.SetPlace(text) }

// SetSystemLook applies what the desktop's settings say now.
func (w *Window) SetSystemLook(l SystemLook) {
	w.look.system = l
	w.applyConfig()
}

// applyConfig applies the look and the shortcuts of config.toml. It costs nothing when
// neither changed.
func (w *Window) applyConfig() {
	c := w.parts.config()
	w.look.Apply(c.Window, w.visible)
	w.commands.bind(c)
}
