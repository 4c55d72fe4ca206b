//go:build ci && !nogui

package main

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mac-stats/app/backend"
	"mac-stats/app/cli"
	"mac-stats/app/config"
	"mac-stats/app/desktop"
	"mac-stats/app/instance"
	"mac-stats/app/monitor"
	"mac-stats/app/tray"
)

// display makes a bare socket the display, which the toolkit's driver for tests is content
// with.
func display(t *testing.T, paths config.Paths) {
	t.Helper()
	dir := filepath.Dir(paths.Runtime)
	l, err := net.Listen("unix", filepath.Join(dir, "wayland-7"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for key, value := range map[string]string{"WAYLAND_DISPLAY": "wayland-7", "WAYLAND_SOCKET": "", "DISPLAY": "", "XDG_CACHE_HOME": filepath.Join(dir, "xdg")} {
		t.Setenv(key, value)
	}
}

// given a display, when the app runs until its loop ends, then nothing of it is left
func TestTheAppEndsInOrder(t *testing.T) {
	paths, out := place(t)
	display(t, paths)
	for range 2 { // the first one leaves the folder to the next
		if err := runApp(t.Context(), cli.AppOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := instance.Send(t.Context(), paths.Runtime, paths.Home, instance.Request{Op: instance.OpPing}); err == nil {
			t.Error("it still answers")
		}
	}
	if log := textOf(t, filepath.Join(paths.Home, "logs", "mac-stats.log")); strings.Count(log, "msg=start ") != 2 || strings.Count(log, "msg=stop") != 2 {
		t.Errorf("the log is\n%s", log)
	}
	if err := runApp(t.Context(), cli.AppOptions{Demo: true}); err != nil {
		t.Error(err)
	}
	if got := textOf(t, out); !strings.HasPrefix(got, "demo, no model: ") {
		t.Errorf("the demo printed %q", got)
	}
}

func TestAnAppThatCannotStartReportsWhy(t *testing.T) {
	paths, _ := place(t)
	for _, key := range []string{"WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"} {
		t.Setenv(key, "")
	}
	if err := runApp(t.Context(), cli.AppOptions{}); err == nil || !strings.Contains(err.Error(), desktop.ErrNoDisplay.Error()) {
		t.Errorf("without a display: %v", err)
	}
	display(t, paths)
	if err := os.WriteFile(paths.Home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := runApp(t.Context(), cli.AppOptions{}); err == nil || !strings.Contains(err.Error(), paths.Home) {
		t.Errorf("with a file for the data folder: %v", err)
	}
}

// given a started app, when its tray, other processes and the system call it, then the parts
// do what they are asked for
func TestWhatTheAppIsAskedFor(t *testing.T) {
	paths, _ := place(t)
	display(t, paths)
	a := &app{options: cli.AppOptions{Window: true}}
	if err := a.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := false
	t.Cleanup(func() {
		if !ended {
			_ = a.close()
		}
	})
	a.system = newSystemSettings(a.backend, os.Getenv, true, func() {})
	var err error
	if a.listener, err = instance.Listen(paths.Runtime, paths.Home, a.onRequest); err != nil {
		t.Fatal(err)
	}
	a.onStart(t.Context())
	if a.window == nil {
		t.Fatal("--window opened none")
	}
	first := a.window
	for what, do := range map[string]func(){"a new chat": a.onNewChat, "the settings": a.onSettings, "a warning": a.onAlert, "the window": a.show} {
		if do(); a.window != first {
			t.Errorf("%s made another window", what)
		}
	}

	a.onPause(true)
	if !a.backend.Monitor.Snapshot().Paused {
		t.Error("the monitor goes on")
	}
	a.onPause(false)
	a.onVitals(monitor.Snapshot{})

	a.onDisplay(tray.Display{Numbers: true, CPU: true, Network: true})
	if got := a.backend.Config().MenuBar; got.Graph || !got.Numbers || got.Metrics != "cpu,network" {
		t.Errorf("the icon's display is saved as %+v", got)
	}
	if err := config.Set(paths.ConfigFile(), "menubar.metrics", "memory"); err != nil {
		t.Fatal(err)
	}
	a.backend.Reread()
	a.onNotice(backend.Notice{Kind: backend.NoticeReload})
	if got := a.display.Load(); !got.Memory || got.CPU {
		t.Errorf("after an edit the icon shows %+v", got)
	}

	changed := make(chan string, 8)
	t.Cleanup(a.backend.OnNotice(func(n backend.Notice) {
		if n.Kind == backend.NoticeSessions {
			changed <- n.Session
		}
	}))
	for _, r := range []instance.Request{{Op: instance.OpShow}, {Op: instance.OpNewChat}, {Op: instance.OpChanged, Session: "cli-a"}} {
		if err := instance.Send(t.Context(), paths.Runtime, paths.Home, r); err != nil {
			t.Errorf("%s: %v", r.Op, err)
		}
	}
	if got := <-changed; got != "cli-a" {
		t.Errorf("changed: %s", got)
	}
	a.onHost(true, "")
	if !a.hosted.Load() {
		t.Error("closing the window would end the app though there is a tray")
	}

	a.onDemo(true)
	if want := []string{"--demo"}; !slices.Equal(a.next, want) {
		t.Errorf("it starts again with %q", a.next)
	}
	rest := a.onTerminate()
	rest() // the system ends the session
	if err := instance.Send(t.Context(), paths.Runtime, paths.Home, instance.Request{Op: instance.OpPing}); err == nil {
		t.Error("it still answers")
	}
	ended = true
	if err := a.close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}
