// Package desktop creates and runs the Fyne app, parks its loop while nothing happens in
// what is visible, and owns the one way onto the UI goroutine: Do.
//
// Fyne's loop polls 60 times a second for as long as the app lives. Here one
// function waits on the UI goroutine whenever no window is shown, or nothing new in one, so
// a hidden app costs nothing and an open window little; Do wakes it, and so does what the window system tells, because that
// is what the function waits for. It holds only if everybody goes through Do: a bare
// fyne.Do would sit behind the waiting function for up to parkFor, so a test
// forbids it in the rest of the module.
//
// What a system asks of an app beside a window is here, too: notifications, the Dock and
// the end of the session on macOS (cocoa_darwin.m) and Windows, coming in front on
// Wayland. SYSTEMS.md says what holds each of them, MACOS.md what to look at on a Mac.
//
// Signals belong to the caller: on SIGINT or SIGTERM call Quit, from any
// goroutine. (Fyne listens too, but what it does waits behind the parked loop.)
package desktop

import (
	"errors"
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/app/desktop/toolkit"
)

// ErrNoDisplay is returned by New where there is no screen to draw on. The error
// that wraps it says what was tried and what to do.
var ErrNoDisplay = errors.New("no display")

// ErrNoGraphics is in the error of CheckGraphics.
var ErrNoGraphics = errors.New("the window can't be drawn")

// appID names the app to the system: preferences, notifications, window class.
const appID = "net.mac-stats.app"

// appName is what people read in menus and task bars.
const appName = "mac-stats"

// Params is what a Desktop needs; all may be zero.
type Params struct {
	Version string
	Icon    []byte // PNG, 512 pixels or more
	Theme   fyne.Theme
	OnStart func() // on the UI goroutine, once the loop runs and before anything handed to Do

	// OnReopen is called on the UI goroutine when the system opens the app again: on
	// macOS by the Finder, Spotlight or the Dock.
	OnReopen func()
	// OnTerminate is called on the UI goroutine when the system ends the app without
	// Quit: at the end of the session on macOS and Windows, on macOS by Cmd+Q. It does what is to be done
	// there, and gives what is left, which runs on another goroutine; the process ends
	// after it.
	OnTerminate func() (rest func())
}

// Desktop is the Fyne app and its parked loop. One per process; all methods but
// Run may be called from any goroutine.
type Desktop struct {
	app  fyne.App
	loop *loop

	hidden   hiddenWork
	notifier *notifier

	onReopen    func()
	onTerminate func() func()
}

// New checks for a display (an error that wraps ErrNoDisplay) and makes the app; no
// window and no GL is created before the first window is shown. It must be called on
// the main goroutine.
func New(p Params) (*Desktop, error) {
	if err := checkDisplay(); err != nil {
		return nil, err
	}
	useMemory()
	a, err := newApp(p)
	if err != nil {
		return nil, err
	}
	if p.Theme != nil {
		a.Settings().SetTheme(p.Theme)
	}
	d := &Desktop{app: a, notifier: newNotifier(a), onReopen: p.OnReopen, onTerminate: p.OnTerminate}
	if d.onReopen == nil {
		d.onReopen = func() {}
	}
	if d.onTerminate == nil {
		d.onTerminate = func() func() { return func() {} }
	}
	dropStopHook(a)
	d.loop = newLoop(fyne.Do, d.undrawn, func() { toolkit.Draw(a) }, parkFor, newParking())
	a.Lifecycle().SetOnStarted(func() {
		d.begin()
		d.hidden.schedule(giveBackAfter, func() { d.Do(d.giveBack) }) // what the start needed
		if p.OnStart != nil {
			p.OnStart()
		}
		d.loop.start()
	})
	return d, nil
}

// dropStopHook drops what Fyne does when its loop has ended, which is to write its
// preferences once more. It queues that on another goroutine while it closes the
// queue, and reads the file again while it is being written: now and then the process
// ends in a panic, or with half a file and a complaint. They were written when they
// changed; nothing of ours is in them.
func dropStopHook(a fyne.App) {
	if l, ok := a.Lifecycle().(interface{ SetOnStoppedHookExecuted(f func()) }); ok {
		l.SetOnStoppedHookExecuted(nil)
	}
}

// App is the Fyne app.
func (d *Desktop) App() fyne.App { return d.app }

// Do runs f on the UI goroutine soon, in the order of the calls, waking the parked
// loop first; it returns at once and may be called on the UI goroutine itself, where
// f runs after the caller has returned. Before Run, f waits for the loop; after Quit,
// f is dropped: what must happen at the end belongs after Run.
func (d *Desktop) Do(f func()) { d.loop.do(f) }

// SetVisible tells whether any window is shown. While none is, the loop is parked whatever
// happens, and shortly after the last one went, memory nobody needs is given back to the
// system. On macOS the app is in the Dock only while a window is shown.
func (d *Desktop) SetVisible(visible bool) {
	if !d.loop.setVisible(visible) {
		return
	}
	setShown(visible)
	if visible {
		d.hidden.cancel()
		useMemory()
	} else {
		d.hidden.schedule(giveBackAfter, func() { d.Do(d.giveBack) })
	}
}

// Raise shows a window that may be covered, and brings it in front. show makes it visible
// and is called at once; token is what the desktop gave the program that asks for it
// (XDG_ACTIVATION_TOKEN), or "". Call it on the UI goroutine.
func (d *Desktop) Raise(show func(), token string) {
	covered := d.loop.isVisible()
	show()
	for _, w := range d.app.Driver().AllWindows() {
		raise(w, token, covered)
	}
}

// SetBusy tells whether a model works for us: macOS slows down an app without windows
// otherwise.
func (d *Desktop) SetBusy(busy bool) { setBusy(busy) }

// giveBack drops what only drawing needs and returns the free memory to the system, off
// the UI goroutine: that takes longer than a click may wait. Fonts go later: reading them
// again makes showing the window slower.
func (d *Desktop) giveBack() {
	if d.loop.isVisible() {
		return // shown again meanwhile
	}
	windows := d.app.Driver().AllWindows()
	dropPictures(windows)
	releaseShaderCompiler(windows)
	d.hidden.schedule(0, func() {
		giveBackMemory()
		if len(windows) > 0 {
			d.hidden.schedule(dropFontsAfter, func() { d.Do(d.giveBackFonts) })
		}
	})
}

// giveBackFonts drops the fonts and returns their memory to the system.
func (d *Desktop) giveBackFonts() {
	if d.loop.isVisible() {
		return // shown again meanwhile
	}
	toolkit.DropFonts()
	d.hidden.schedule(0, giveBackMemory)
}

// CheckGraphics reports whether a window can be drawn: call it on the UI goroutine
// before the first one is shown, because Fyne ends the process where it can't. What is
// missing, and what to do, is in the error (ErrNoGraphics) and on the screen.
func (d *Desktop) CheckGraphics() error {
	err := checkGraphics()
	if err != nil {
		go tellError(err.Error())
	}
	return err
}

// undrawn tells whether any window has changed since it was drawn. Call it on the UI goroutine.
func (d *Desktop) undrawn() bool {
	return slices.ContainsFunc(d.app.Driver().AllWindows(), func(w fyne.Window) bool {
		canvas, ok := w.Canvas().(interface {
			CheckDirtyAndClear() bool
			SetDirty()
		})
		if ok && canvas.CheckDirtyAndClear() {
			canvas.SetDirty()
			return true
		}
		return !ok
	})
}

// Run runs the loop until Quit. It must be called on the main
// goroutine, once.
func (d *Desktop) Run() {
	d.app.Run()
	d.loop.stop()
	d.hidden.cancel()
	d.notifier.close()
}

// Quit ends Run. What was handed to Do before still runs, what comes later is
// dropped. Calling it again does nothing.
func (d *Desktop) Quit() { d.loop.last(d.app.Quit) }
