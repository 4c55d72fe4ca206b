//go:build !nogui

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"mac-stats/app/backend"
	"mac-stats/app/cli"
	"mac-stats/app/cpuwindow"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/desktop"
	"mac-stats/app/desktop/toolkit"
	"mac-stats/app/i18n"
	"mac-stats/app/instance"
	"mac-stats/app/monitor"
	"mac-stats/app/tray"
	"mac-stats/app/ui/kit"
	"mac-stats/assets"
)

// app is the tray app: it connects the tray, the window (created at the first click) and
// the backend. The fields below ui belong to the UI goroutine.
type app struct {
	options  cli.AppOptions
	backend  *backend.Backend
	desktop  *desktop.Desktop
	tray     tray.Tray
	system   *systemSettings
	alerts   monitor.Alerts               // used only by a subscriber of the monitor
	display  atomic.Pointer[tray.Display] // what the icon shows
	sampled  atomic.Pointer[func()]       // stops the sampling for the icon
	listener *instance.Listener
	hosted   atomic.Bool // a tray host shows the icon, so closing the window may hide it

	// ui goroutine
	window *cpuwindow.Window
	look   cpuwindow.SystemLook
	notice string
	next   []string // arguments to start again with after quitting; nil: just quit
}

// runApp runs the tray app until it quits. If another one runs, it brings that one's window
// to the front instead.
func runApp(ctx context.Context, o cli.AppOptions) error {
	if o.Headless {
		return runHeadless(ctx, o)
	}
	if !o.Demo {
		if there, err := raiseRunning(ctx); there || err != nil {
			return err
		}
	}
	a := &app{options: o}
	if err := a.open(ctx); err != nil {
		return errors.Join(err, a.close())
	}
	a.system = newSystemSettings(a.backend, os.Getenv, a.options.Demo, func() { a.raise(a.show) })
	listener, err := instance.Listen(a.backend.Paths.Runtime, a.backend.Paths.Home, a.onRequest)
	if err != nil {
		err = errors.Join(err, a.close())
		if errors.Is(err, instance.ErrRunning) { // the other process was faster
			if there, err := raiseRunning(ctx); there || err != nil {
				return err
			}
		}
		return err
	}
	a.listener = listener
	local := serveAPI(a.backend)
	a.system.start()
	stop := context.AfterFunc(ctx, a.quit)
	a.desktop.Run()
	stop()
	err = errors.Join(local.Close(), listener.Close(), a.close())
	if a.next != nil && err == nil && ctx.Err() == nil {
		return startAgain(a.next...)
	}
	return err
}

func (a *app) open(ctx context.Context) (err error) {
	a.desktop, err = desktop.New(desktop.Params{
		Version: buildVersion(),
		Icon:    appIcon(),
		Theme:   kit.NewTheme(kit.Look{}),
		OnStart: func() { a.onStart(ctx) },

		OnReopen:    a.show,
		OnTerminate: a.onTerminate,
	})
	if err != nil {
		return err
	}
	a.backend, err = backend.Open(ctx, backend.Options{Demo: a.options.Demo, Watch: true, Version: buildVersion(), OnWork: a.desktop.SetBusy})
	if err != nil {
		return err
	}
	if err := i18n.Load(assets.FS); err != nil {
		a.backend.Logger.Warn("the window is in English", "error", err)
	}
	printNotices(a.backend)
	if a.options.Demo {
		fmt.Fprintln(os.Stdout, "demo, no model: the built-in scripted server answers, in a temporary data folder.")
	}
	a.tray = tray.New(tray.Params{
		Actions: tray.Actions{
			Open:     func() { a.raise(a.show) },
			NewChat:  func() { a.raise(a.onNewChat) },
			Pause:    a.onPause,
			Settings: func() { a.raise(a.onSettings) },
			Quit:     a.quit,
			Display:  a.onDisplay,
		},
		Display: displayOf(a.backend.Config().MenuBar),
		Demo:    a.options.Demo,
		Logger:  a.backend.Logger,
		Words:   i18n.T,
		OnHost:  a.onHost,
	})
	return nil
}

// close releases what open took; parts that were not opened are nil.
func (a *app) close() error {
	if a.window != nil {
		a.window.SaveEdits()
		a.window.End()
	}
	if a.system != nil {
		a.system.close()
	}
	if a.tray != nil {
		a.tray.Stop()
	}
	if a.backend != nil {
		return a.backend.Close()
	}
	return nil
}

// onStart runs as soon as the event loop does: first the icon, then its content.
func (a *app) onStart(ctx context.Context) {
	a.tray.Start()
	a.sample(displayOf(a.backend.Config().MenuBar))
	a.backend.Monitor.Subscribe(a.onVitals)
	a.backend.OnNotice(a.onNotice)
	go desktop.WatchLook(ctx, a.onLook)
	if a.options.Window || a.options.Demo || a.backend.FirstRun {
		a.show()
	}
}

func (a *app) onVitals(s monitor.Snapshot) {
	a.tray.SetVitals(iconReading(s), s.Line())
	limits := a.backend.Config().Alerts
	for _, alert := range a.alerts.Check(s, monitor.Limits{
		Hot: float64(limits.Hot), DiskFree: float64(limits.DiskFree), Battery: float64(limits.Battery), Every: limits.Every,
	}) {
		a.desktop.Notify("mac-stats", vitals.AlertWords(alert, s), a.onAlert)
	}
}

// onLook follows the desktop's settings of how windows look.
func (a *app) onLook(l desktop.Look) {
	a.desktop.Do(func() {
		a.look = cpuwindow.SystemLook(l)
		if a.window != nil {
			a.window.SetSystemLook(a.look)
		}
	})
}

// onAlert shows what a warning was about.
func (a *app) onAlert() {
	a.showThen(func() { a.window.ShowVitals() })
}

// onHost is called when a tray host is found missing or present. Without one the window is
// the only way in, so it opens and says why.
func (a *app) onHost(present bool, why string) {
	a.hosted.Store(present)
	if why != "" {
		why = i18n.T(why)
	}
	a.desktop.Do(func() {
		a.notice = why
		if !present {
			a.show()
		}
		if a.window != nil {
			a.window.SetNotice(why)
		}
	})
}

// onRequest answers a second start, or a command that changed a session.
func (a *app) onRequest(r instance.Request) {
	switch r.Op {
	case instance.OpShow:
		a.desktop.Do(func() { a.desktop.Raise(a.show, r.Token) })
	case instance.OpNewChat:
		a.desktop.Do(func() { a.desktop.Raise(a.onNewChat, r.Token) })
	case instance.OpChanged:
		a.backend.ChangedElsewhere(r.Session, r.Asked)
	}
}

func (a *app) onPause(paused bool) {
	if paused {
		a.backend.Monitor.Pause()
	} else {
		a.backend.Monitor.Resume()
	}
	a.tray.SetPaused(paused)
}

// raise brings the window to the front with show. It may be called from any goroutine.
func (a *app) raise(show func()) {
	a.desktop.Do(func() { a.desktop.Raise(show, "") })
}

// show opens the window.
func (a *app) show() { a.showThen(func() {}) }

// showThen opens the window, which the first call creates, and then calls then. If this
// machine can't draw a window, a message box says so.
func (a *app) showThen(then func()) {
	if a.window == nil {
		if err := a.desktop.CheckGraphics(); err != nil {
			a.backend.Logger.Error("the window can't be shown", "error", err)
			return
		}
		a.window = cpuwindow.New(cpuwindow.Params{
			App:        a.desktop.App(),
			System:     a.look,
			Backend:    a.backend,
			Do:         a.desktop.Do,
			OnVisible:  a.desktop.SetVisible,
			OnQuit:     a.quit,
			OnDemo:     a.onDemo,
			OnOwn:      func() { a.quitFor("--window") },
			Notify:     a.desktop.Notify,
			HasFont:    toolkit.HasFont,
			CloseHides: a.hosted.Load,
		})
		a.window.SetNotice(a.notice)
	}
	a.window.Show()
	go a.system.apply() // something may have been switched off in the system's settings
	then()
}

func (a *app) onNewChat() {
	a.showThen(func() { a.window.NewChat() })
}

func (a *app) onSettings() {
	a.showThen(func() { a.window.ShowSettings() })
}

// onDemo quits the app and starts the demo. The demo runs in its own process and data
// folder, so that it can't mix with real data. If the user has not finished the welcome
// page, the next start shows it again.
func (a *app) onDemo(welcomed bool) {
	if !welcomed {
		if err := a.backend.BeginAgain(); err != nil {
			a.backend.Logger.Warn("the next start greets nobody", "error", err)
		}
	}
	a.quitFor("--demo")
}

// onTerminate runs when the session of the desktop ends, after which the event loop no
// longer runs. It saves drafts at once and returns a function that does the rest on its
// caller's goroutine.
func (a *app) onTerminate() func() {
	if a.window != nil {
		a.window.SaveEdits()
	}
	return func() {
		if err := errors.Join(a.listener.Close(), a.backend.Close()); err != nil {
			a.backend.Logger.Warn("not all could be closed at the end of the session", "error", err)
		}
	}
}

// quitFor quits and starts again with other arguments.
func (a *app) quitFor(args ...string) {
	a.next = args
	a.quit()
}

// quit ends the app. It removes the icon first, while the event loop still runs: macOS
// needs the loop for that.
func (a *app) quit() {
	go func() {
		a.tray.Stop()
		a.desktop.Quit()
	}()
}
