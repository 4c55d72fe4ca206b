// Package desktop creates and runs the Fyne app. It parks Fyne's loop while nothing visible
// changes, and owns the only way onto the UI goroutine: Do.
//
// Fyne's loop polls 60 times a second for as long as the app runs. Here one function blocks
// the UI goroutine whenever no window is shown, or nothing new is to be drawn in one, so a
// hidden app costs nothing and an open window little. Do wakes it, and so do the window
// system's events, which it waits for. This only works if everybody uses Do: a bare fyne.Do
// would wait behind the blocked function for up to parkFor, so a test forbids it in the
// rest of the module.
//
// The package also handles what a system requires of an app besides a window:
// notifications, the Dock and the end of the session on macOS (cocoa_darwin.m) and Windows,
// and coming to the front on Wayland. SYSTEMS.md lists the tests of each, MACOS.md what to
// check on a Mac.
//
// Signals belong to the caller: on SIGINT or SIGTERM call Quit, from any goroutine. (Fyne
// listens too, but its handler waits behind the parked loop.)
package desktop

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/app/desktop/toolkit"
)

// ErrNoDisplay is returned by New if there is no display. The error that wraps it says what
// was tried and what to do.
var ErrNoDisplay = errors.New("no display")

// ErrNoGraphics is wrapped by the error of CheckGraphics.
var ErrNoGraphics = errors.New("the window can't be drawn")

// envPlatform is Fyne's environment variable for the window system.
const envPlatform = "FYNE_PLATFORM"

// The window systems of Unix, as Fyne names them; elsewhere there is one, without a name.
const (
	platformX11     = "x11"
	platformWayland = "wayland"
)

// appName is the name in menus and task bars.
const appName = "mac-stats"

// appID identifies the app to the system: preferences, notifications, window class. On
// Linux it is the name of the .desktop file, because there desktops find a window's icon
// and name by it.
func appID() string {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return "net.mac-stats.app"
	}
	return appName
}

// Params configures a Desktop; all fields may be zero.
type Params struct {
	Version string
	Icon    []byte // PNG, 512 pixels or more
	Theme   fyne.Theme
	OnStart func() // on the UI goroutine, once the loop runs and before any function passed to Do

	// OnReopen is called on the UI goroutine when the user opens the running app again, on
	// macOS in the Finder, Spotlight or the Dock.
	OnReopen func()
	// OnTerminate is called on the UI goroutine when the system ends the app without Quit:
	// at the end of the session on macOS, Windows and X11, and with Cmd+Q on macOS. It does what
	// must be done there, without the window system, and returns the rest, which runs on another goroutine; then the
	// process ends.
	OnTerminate func() (rest func())
}

// Desktop is the Fyne app with its parked loop. There is one per process; all methods
// except Run may be called from any goroutine.
type Desktop struct {
	app  fyne.App
	loop *loop

	hidden   hiddenWork
	notifier *notifier

	onReopen    func()
	onTerminate func() func()
}

// New checks for a display (its error wraps ErrNoDisplay) and creates the app. It creates
// no window and no GL context; the first shown window does. It must be called on the main
// goroutine.
func New(p Params) (*Desktop, error) {
	platform, err := findDisplay(os.Getenv)
	if err != nil {
		return nil, err
	}
	chosen := os.Getenv(envPlatform)
	if err := os.Setenv(envPlatform, platform); err != nil {
		return nil, fmt.Errorf("choosing the window system: %w", err)
	}
	useMemory()
	a, err := newApp(p)
	if err != nil {
		return nil, err
	}
	if p.Theme != nil {
		a.Settings().SetTheme(p.Theme)
	}
	d := &Desktop{app: a, notifier: newNotifier(a, p.Icon), onReopen: p.OnReopen, onTerminate: p.OnTerminate}
	if d.onReopen == nil {
		d.onReopen = func() {}
	}
	if d.onTerminate == nil {
		d.onTerminate = func() func() { return func() {} }
	}
	dropStopHook(a)
	d.loop = newLoop(fyne.Do, d.undrawn, func() { toolkit.Draw(a) }, parkFor, newParking())
	a.Lifecycle().SetOnStarted(func() {
		_ = os.Setenv(envPlatform, chosen) // the programs that we start choose for themselves; the name is valid
		d.begin()
		d.hidden.schedule(releaseAfter, func() { d.Do(d.releaseDrawing) }) // drops what startup needed
		if p.OnStart != nil {
			p.OnStart()
		}
		d.loop.start()
	})
	return d, nil
}

// dropStopHook removes what Fyne does when its loop has ended, which is to save its
// preferences once more. Fyne queues that on another goroutine while it closes the queue,
// and reads the file again while it is being written. Now and then the process would end in
// a panic, or with half a file and an error. The preferences were saved when they changed,
// and none of them is ours.
func dropStopHook(a fyne.App) {
	if l, ok := a.Lifecycle().(interface{ SetOnStoppedHookExecuted(f func()) }); ok {
		l.SetOnStoppedHookExecuted(nil)
	}
}

// App returns the Fyne app.
func (d *Desktop) App() fyne.App { return d.app }

// Do runs f on the UI goroutine soon, in the order of the calls, after waking the parked
// loop. It returns at once and may be called on the UI goroutine itself, where f runs after
// the caller has returned. Before Run, f waits for the loop; after Quit, f is dropped, so
// anything that must happen at the end belongs after Run.
func (d *Desktop) Do(f func()) { d.loop.do(f) }

// SetVisible sets whether any window is shown. While none is, the loop stays parked, and
// shortly after the last one is hidden, unused memory is returned to the system. On macOS
// the app is in the Dock only while a window is shown.
func (d *Desktop) SetVisible(visible bool) {
	if !d.loop.setVisible(visible) {
		return
	}
	setShown(visible)
	if visible {
		d.hidden.cancel()
		useMemory()
		d.Do(func() {
			for _, w := range d.app.Driver().AllWindows() {
				fit(w)
			}
		})
	} else {
		d.hidden.schedule(releaseAfter, func() { d.Do(d.releaseDrawing) })
	}
}

// Raise shows a window that may be covered and brings it to the front. show makes it
// visible and is called at once; token is the permission that the desktop gave the
// requesting program (XDG_ACTIVATION_TOKEN), or "". Call it on the UI goroutine.
func (d *Desktop) Raise(show func(), token string) {
	covered := d.loop.isVisible()
	show()
	for _, w := range d.app.Driver().AllWindows() {
		raise(w, token, covered)
	}
}

// SetBusy sets whether a model works for the app; while none does, macOS slows down an app
// without windows.
func (d *Desktop) SetBusy(busy bool) { setBusy(busy) }

// releaseDrawing drops what only drawing needs and returns free memory to the system, off the UI
// goroutine, because that takes longer than a click may wait. Fonts follow later, because
// reading them again makes showing the window slower.
func (d *Desktop) releaseDrawing() {
	if d.loop.isVisible() {
		return // shown again meanwhile
	}
	windows := d.app.Driver().AllWindows()
	dropPictures(windows)
	releaseShaderCompiler(windows)
	d.hidden.schedule(0, func() {
		freeMemory()
		if len(windows) > 0 {
			d.hidden.schedule(dropFontsAfter, func() { d.Do(d.releaseFonts) })
		}
	})
}

// releaseFonts drops the fonts and returns their memory to the system.
func (d *Desktop) releaseFonts() {
	if d.loop.isVisible() {
		return // shown again meanwhile
	}
	toolkit.DropFonts()
	d.hidden.schedule(0, freeMemory)
}

// CheckGraphics returns an error if no window can be drawn. Call it on the UI goroutine before
// the first one is shown, because Fyne ends the process if it can't draw. The error
// (ErrNoGraphics) and a message on the screen say what is missing and what to do.
func (d *Desktop) CheckGraphics() error {
	err := checkGraphics()
	if err != nil {
		go showError(err.Error())
	}
	return err
}

// undrawn reports whether any window has changed since it was drawn. Call it on the UI
// goroutine.
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

// Quit ends Run. Functions passed to Do before it still run, later ones are dropped.
// Another call does nothing.
func (d *Desktop) Quit() { d.loop.last(d.app.Quit) }
