//go:build linux && ci

package desktop

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// given a display, when the app runs, then work runs in order from its start to Quit
func TestADesktopFromStartToQuit(t *testing.T) {
	dir := t.TempDir()
	display, err := net.Listen("unix", filepath.Join(dir, "wayland-7"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = display.Close() })
	for key, value := range map[string]string{
		"WAYLAND_DISPLAY": "wayland-7", "WAYLAND_SOCKET": "", "DISPLAY": "", "XDG_RUNTIME_DIR": dir, "HOME": dir,
		"XDG_CACHE_HOME": filepath.Join(dir, "new", "cache"), "XDG_CONFIG_HOME": filepath.Join(dir, "config"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + dir + "/none",
	} {
		t.Setenv(key, value)
	}
	ran := make(chan string, 100)
	d, err := New(Params{Version: "1.2.3", Icon: []byte("PNG"), Theme: theme.DefaultTheme(), OnStart: func() { ran <- "start" }})
	if err != nil {
		t.Fatal(err)
	}
	if m := d.App().Metadata(); m.ID != appName || m.Version != "1.2.3" || m.Icon == nil {
		t.Errorf("the app describes itself as %+v", m)
	}
	if _, err := os.Stat(filepath.Join(dir, "new", "cache")); err != nil {
		t.Errorf("the cache folder: %v", err)
	}
	d.Do(func() { ran <- "queued before" })
	started, ok := d.App().Lifecycle().(interface{ OnStarted() func() })
	if !ok {
		t.Fatal("Fyne's lifecycle doesn't tell what runs at the start any more")
	}
	ended := make(chan struct{})
	go func() { // the UI goroutine
		defer close(ended)
		started.OnStarted()()
	}()
	d.Do(func() { d.Raise(func() { d.SetVisible(true); ran <- "shown" }, "token") })
	d.Do(func() {
		if err := d.CheckGraphics(); err != nil {
			t.Errorf("no window can be drawn: %v", err)
		}
		d.SetBusy(true)
		d.SetVisible(false)
		d.SetVisible(false)
		ran <- "hidden"
	})
	d.Notify("title", "body", func() { t.Error("a notification that isn't shown was clicked") })
	d.Do(func() { ran <- "last"; d.Quit(); d.Quit() })
	var got []string
	for range 5 {
		got = append(got, <-ran)
	}
	if want := []string{"start", "queued before", "shown", "hidden", "last"}; !slices.Equal(got, want) {
		t.Errorf("ran %q", got)
	}
	<-ended
	d.Run() // there is no loop to end
	d.Do(func() { t.Error("work after the end ran") })
	d.onReopen()
	d.onTerminate()()
}

func TestMemoryIsReturnedWhileHidden(t *testing.T) {
	a := test.NewTempApp(t)
	d := &Desktop{app: a, loop: newLoop(func(func()) {}, never, ignore, time.Second, make(wakeChannel, 1))}
	w := test.NewTempWindow(t, widget.NewLabel("words"))
	if !d.undrawn() {
		t.Error("a window that can't tell counts as drawn")
	}
	before := w.Content().MinSize()
	useMemory()
	d.loop.visible = true
	d.releaseDrawing() // shown meanwhile
	d.releaseFonts()
	d.loop.visible = false
	d.releaseFonts()
	d.hidden.cancel()
	runtime.KeepAlive(make([]byte, 256<<20)) // what the window used
	freeMemory()
	var heap runtime.MemStats
	if runtime.ReadMemStats(&heap); heap.HeapSys-heap.HeapReleased > 200<<20 {
		t.Errorf("%d MB are kept from the system", (heap.HeapSys-heap.HeapReleased)>>20)
	}
	if got := debug.SetGCPercent(growthShown); got != growthHidden {
		t.Errorf("while hidden the heap may grow by %d %%, want %d", got, growthHidden)
	}
	w.Content().Refresh()
	if got := w.Content().MinSize(); got != before || got == (fyne.Size{}) {
		t.Errorf("after the fonts were dropped, the words are %v, before %v", got, before)
	}
}
