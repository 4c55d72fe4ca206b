package cpuwindow

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"

	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/appearance"
	"mac-stats/app/cpuwindow/chat"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/find"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/cpuwindow/notices"
	"mac-stats/app/cpuwindow/pages"
	"mac-stats/app/cpuwindow/schedules"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/cpuwindow/setup"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/cpuwindow/slash"
	"mac-stats/app/cpuwindow/toolpage"
	"mac-stats/app/cpuwindow/transcripts"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/sessionmem/sessionstate"
	"mac-stats/sessionmem/transcript"
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
	find     *find.Find
	side     *sidebar
	head     *header.Header
	chat     *chat.View
	compose  *compose.Composer
	slash    *slash.Menu
	queue    *compose.Queue
	foot     *compose.Foot
	notices  *notices.Notices
	memory   *pages.Memory // nil before it is first shown
	details  *vitals.Page  // the same
	roster   *pages.Agents // nil before it is first shown
	edits    *pages.Edits
	writer   *settings.Writer
	proposed int             // in the inbox
	panes    *fyne.Container // chat and pages, one of them shown
	chatPane fyne.CanvasObject
	center   *fyne.Container
	root     *windowLayout

	page  page
	convs map[string]*conversation.Conversation
	infos []transcript.Info
	marks sessionstate.Marks // as of infos

	reader      *transcripts.View
	readFrom    transcript.Info           // what the viewer shows
	switcher    *sessions.Switcher        // nil while it is closed
	openStamp   atomic.Pointer[fileStamp] // the file to watch as it was last; nil for none
	seek        *seekTo                   // where to bring the chat once it is read
	showArchive bool                      // the archived sessions are listed too
	lastOpened  string                    // the session one looked at last, noted as read
	toast       *overlay.Toast
	chooser     *dialog.FileDialog // that is open

	shown   *conversation.Conversation
	target  atomic.Pointer[conversation.Conversation] // shown, for other goroutines; nil while hidden
	visible bool
	focused atomic.Bool // a window of the app has the keyboard
	painter *painter
	thumbs  *chat.Thumbs

	drafts        map[string]conversation.Kept // of sessions that were not opened yet
	draftsTimer   *time.Timer
	draftsTaken   int        // UI goroutine
	draftsMu      sync.Mutex // guards the file and the next
	draftsWritten int

	setup       *setup.Setup
	schedules   *schedules.Page // the same
	tools       *toolpage.Page  // the same
	models      *models.Page    // nil before it is first shown
	reloads     int             // so far: only the newest takes itself out of the foot
	footStays   time.Duration   // how long it is there
	settings    *settings.Page  // nil before it is first shown
	shortcuts   *shortcuts.List // nil while it is closed
	look        *appearance.Appearance
	bound       map[desktop.CustomShortcut]func()
	boundFor    config.Shortcuts
	extraDrawn  string // what the cards below the conversation were made for
	stopVitals  []func()
	lastVitals  atomic.Pointer[monitor.Snapshot]
	vitalsBusy  atomic.Bool
	listPending atomic.Bool
	listAgain   bool // UI goroutine: something changed while the list was read
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
	w := &Window{footStays: footStays, p: p, parts: d, convs: map[string]*conversation.Conversation{}, page: pageChat}
	w.ctx, w.end = context.WithCancel(context.Background())
	w.painter, w.thumbs = &painter{w: w}, chat.NewThumbs()
	w.look = appearance.New(p.App, d.home, d.logger, d.config().Window)
	w.win = p.App.NewWindow("mac-stats")
	w.look.Wear(w.win, d.config().Window)
	w.build()
	w.win.SetPadded(false)
	w.win.SetContent(w.content())
	w.win.SetCloseIntercept(w.onClose)
	w.followConfig()
	w.bindAttaching()
	w.watchFocus()
	w.look.RestoreSize()
	w.edits.Find()
	w.drafts = conversation.ReadDrafts(w.draftsPath(), w.parts.library.Forgotten().HasTyped)
	w.freshChat()
	w.notices.TellFirst()
	d.onNotice(func(n backend.Notice) { p.Do(func() { w.onNotice(n) }) })
	return w
}

func (w *Window) build() {
	w.setup = setup.New(windowHost{w}, w.parts.server, w.parts.home)
	w.vitals = vitals.NewStrip(w.openVitals)
	w.side = newSidebar(w.NewChat, w.openSwitcher, sessions.NewList(w.listActions()), w.goToPage)
	w.reader = transcripts.New(w.readerActions())
	w.toast = overlay.NewToast()
	w.head = header.New(header.Actions{OpenList: w.toggleDrawer, PickAgent: w.pickAgent, PickModel: w.pickModel, Options: w.showOptions, ExplainPrivate: w.explainPrivate, OpenFile: w.openTranscript, NewChat: w.NewChat, LeaveDemo: w.leaveDemo}, w.parts.demo)
	w.compose = compose.NewComposer(w.send, w.stop, w.keepDraft)
	w.compose.Keys.OnEscape = w.escape
	w.compose.Keys.OnScroll = func(k *fyne.KeyEvent) { w.chat.Port.TypedKey(k) }
	w.compose.Keys.OnUp = w.editLast
	w.slash = slash.NewMenu(w.compose.Entry, func() []slash.Item { return slashItems(w) }, func(text string) { putInComposer(w, text) })
	w.compose.Keys.OnMenu = w.slash.Key
	w.compose.OnText = func(text string) { w.slash.Typed(text, !w.compose.Keys.Pasted) }
	w.foot = compose.NewFoot(func() { w.chat.OpenSummary() })
	w.notices = notices.New(windowHost{w}, notices.Parts{Hold: w.parts.notices, Memories: w.parts.memories, Decided: w.parts.decided, Crashes: w.parts.crashes})
	w.chat = chat.New(w.chatActions())
	w.chat.Port.OnEscape = w.escape
	w.find = find.New(windowHost{w}, w.chat.Port)
	w.chat.OnLaidOut = w.find.LaidOut
	w.writer = settings.NewWriter(windowHost{w}, func(key, value string) error { return w.parts.set(key, value) })
	w.edits = pages.NewEdits(windowHost{w}, w.parts.memories)
}

// content puts the parts in their places.
func (w *Window) content() fyne.CanvasObject {
	w.queue = compose.NewQueue(w.editQueued, w.dropQueued, w.sendNow, func() { w.center.Refresh() })
	lower := kit.Centred(kit.ColumnMax, kit.Stack(kit.Gap8, w.queue.Box, w.compose, w.foot.Box))
	lower = container.New(kit.TightLayout{}, kit.Hairline(), kit.Inset(kit.Gap12, kit.Gap8, kit.Gap20, kit.Gap20, lower))
	w.compose.Resized = func() { w.center.Refresh() }
	w.chatPane = container.New(layout.NewBorderLayout(w.find.Bar, lower, nil, nil), w.find.Bar, w.chat.Object, lower) // in the order of Tab
	w.setup.View.Hide()
	w.reader.Object.Hide()
	w.panes = container.NewStack(w.chatPane, w.setup.View, w.reader.Object)
	top := container.New(&kit.TightLayout{}, w.head.Object, w.notices.Bar)
	edge := func() float32 {
		if w.page != pageChat {
			return 0
		}
		return lower.MinSize().Height
	}
	middle := container.New(kit.UnderLayout{}, top, container.NewStack(w.panes, w.toast.Above(edge), w.slash.Above(edge)))
	w.center = middle
	w.root = &windowLayout{w: w, scrim: overlay.NewScrim(w.toggleDrawer)}
	w.root.scrim.Hide()
	return kit.NewRoot(windowHost{w}, w.root, w.vitals.Object, middle, w.root.scrim, w.side.object)
}

// Show shows and raises the window; everything is brought up to date once.
func (w *Window) Show() {
	first := !w.visible
	w.visible = true
	if first {
		w.p.OnVisible(true)
		w.watchVitals()
	}
	w.win.Show()
	w.win.RequestFocus()
	if first {
		w.refreshAll()
	}
	if w.focusComposer(); w.parts.firstRun {
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
	w.thumbs.Forget()
	w.target.Store(nil)
	for _, stop := range w.stopVitals {
		stop()
	}
	w.stopVitals = nil
	w.showDetails()
	w.win.Hide()
	w.p.OnVisible(false)
}

func (w *Window) refreshAll() {
	w.target.Store(w.shown)
	w.reloadList()
	w.painter.changed(w.shown)
	w.reloadShown()
	w.setup.CheckOld()
	w.countProposals()
	switch w.page {
	case pageChat:
	case pageTranscript:
		w.refreshReader()
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
	w.drawList()
	w.root.closeDrawer()
	chat := p == pageChat
	w.chatPane.(*fyne.Container).Hidden = !chat
	w.showPane(p)
	w.showDetails()
	if chat {
		w.head.ForPage(false, "")
		w.drawHeader()
		w.focusComposer()
	} else {
		if c := w.win.Canvas(); c.Focused() == fyne.Focusable(w.compose.Entry) {
			c.Unfocus() // nobody sees what is typed there now
		}
		w.slash.Close()
		w.head.ForPage(true, pageTitle(p))
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
	switch which {
	case pageVitals:
		w.showDetails()
		return
	case pageMemory:
		w.memory.Load()
		return
	case pageAgents:
		w.roster.Load()
		return
	case pageModels:
		w.models.Load()
		return
	case pageSchedules:
		w.schedules.Load()
		return
	case pageTools:
		w.tools.Load()
		return
	case pageWelcome:
		w.setup.Draw()
		return
	}
	w.settings.Load()
}

// watchVitals samples and draws the vitals while the window is shown.
func (w *Window) watchVitals() {
	v := w.parts.vitals
	stopShow := v.Show(true, monitor.CPU, monitor.Memory, monitor.GPU, monitor.Temperature, monitor.Disk, monitor.Network)
	stopSub := v.Subscribe(func(s monitor.Snapshot) {
		w.lastVitals.Store(&s)
		if w.vitalsBusy.CompareAndSwap(false, true) {
			w.p.Do(func() {
				w.vitalsBusy.Store(false)
				w.drawVitals()
			})
		}
	})
	w.stopVitals = []func(){stopSub, stopShow, w.watchFiles()}
	s := v.Snapshot()
	w.lastVitals.Store(&s)
	w.drawVitals()
}

func (w *Window) drawVitals() {
	s := w.lastVitals.Load()
	if s == nil || !w.visible {
		return
	}
	w.vitals.Update(vitals.Readings(*s), w.parts.vitals.Series)
	if w.details != nil {
		w.details.Update()
	}
}
