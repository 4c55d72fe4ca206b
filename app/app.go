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
	"mac-stats/app/i18n"
	"mac-stats/app/instance"
	"mac-stats/app/monitor"
	"mac-stats/app/tray"
	"mac-stats/app/ui/kit"
	"mac-stats/assets"
)

// app is the tray app: the tray, the window (made at the first click) and the
// backend, tied together. Fields below ui are touched on the UI goroutine alone.
type app struct {
	options  cli.AppOptions
	backend  *backend.Backend
	desktop  *desktop.Desktop
	tray     tray.Tray
	system   *systemSettings
	alerts   monitor.Alerts               // used by a subscriber of the monitor alone
	display  atomic.Pointer[tray.Display] // what the icon shows
	sampled  atomic.Pointer[func()]       // ends what is sampled for it
	listener *instance.Listener
	hosted   atomic.Bool // a tray host shows the icon: closing the window may hide it

	// ui
	window *cpuwindow.Window
	notice string
	next   []string // quit to start again with these arguments; nil: just quit
}

// runApp runs the tray app until it is quit. A second start raises the first
// one's window.
func runApp(ctx context.Context, o cli.AppOptions) error {
	if o.Headless {
		return runHeadless(ctx, o)
	}
	if !o.Demo {
		if there, err := raised(ctx); there || err != nil {
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
		if errors.Is(err, instance.ErrRunning) { // the other one was quicker
			if there, err := raised(ctx); there || err != nil {
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
		OnStart: a.onStart,

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

// close gives back what open took; parts that were not reached are nil.
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

// onStart runs once the loop does: the icon first, then what shows in it.
func (a *app) onStart() {
	a.tray.Start()
	a.sample(displayOf(a.backend.Config().MenuBar))
	a.backend.Monitor.Subscribe(a.onVitals)
	a.backend.OnNotice(a.onNotice)
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

// onAlert shows what a warning was about.
func (a *app) onAlert() {
	a.showThen(func() { a.window.ShowVitals() })
}

// onHost learns whether anything shows the icon. Without a host the window is the
// only way in, so it opens and says why.
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
		a.backend.SessionsChanged(r.Session)
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

// raise brings the window in front, by what shows it. It may be called from any goroutine.
func (a *app) raise(show func()) {
	a.desktop.Do(func() { a.desktop.Raise(show, "") })
}

// show opens the window.
func (a *app) show() { a.showThen(func() {}) }

// showThen opens the window, made at the first call, and then does something in it.
// Where this machine can't draw a window, it says so on the screen instead.
func (a *app) showThen(then func()) {
	if a.window == nil {
		if err := a.desktop.CheckGraphics(); err != nil {
			a.backend.Logger.Error("the window can't be shown", "error", err)
			return
		}
		a.window = cpuwindow.New(cpuwindow.Params{
			App:        a.desktop.App(),
			Backend:    a.backend,
			Do:         a.desktop.Do,
			OnVisible:  a.desktop.SetVisible,
			OnQuit:     a.quit,
			OnDemo:     a.onDemo,
			OnOwn:      func() { a.quitFor("--window") },
			Notify:     a.desktop.Notify,
			CloseHides: a.hosted.Load,
		})
		a.window.SetNotice(a.notice)
	}
	a.window.Show()
	go a.system.apply() // what was switched off in the system's settings meanwhile
	then()
}

func (a *app) onNewChat() {
	a.showThen(func() { a.window.NewChat() })
}

func (a *app) onSettings() {
	a.showThen(func() { a.window.ShowSettings() })
}

// onDemo leaves the app for the demo: it runs in a process and a data folder of
// its own, so nothing of it can mix with what is real. A person who was not welcomed to
// the end is so after it.
func (a *app) onDemo(welcomed bool) {
	if !welcomed {
		if err := a.backend.BeginAgain(); err != nil {
			a.backend.Logger.Warn("the next start greets nobody", "error", err)
		}
	}
	a.quitFor("--demo")
}

// onTerminate is the end of the session, where the loop does not run on: what is typed is
// kept at once, and everything else on the goroutine that runs what it gives.
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

// quitFor quits, to start again with other arguments.
func (a *app) quitFor(args ...string) {
	a.next = args
	a.quit()
}

// quit ends the app. The icon goes first, while the loop still runs: on macOS taking it
// away is work for the loop.
func (a *app) quit() {
	go func() {
		a.tray.Stop()
		a.desktop.Quit()
	}()
}
