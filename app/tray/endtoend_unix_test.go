//go:build !darwin && !windows

package tray

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/app/apptest"
	"mac-stats/sessionmem/filetest"
)

// The real tray runs on a private session bus with a tray host of ours.
func TestOnARealBus(t *testing.T) {
	bus, err := apptest.StartBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, bus.Close()) })
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	ctx := t.Context()

	done := make(chan string, 16)
	hosts := make(chan hostCall, 16)
	tray := New(Params{
		Actions: Actions{
			Open:     func() { done <- "open" },
			NewChat:  func() { done <- "new chat" },
			Pause:    func(p bool) { done <- map[bool]string{true: "pause", false: "resume"}[p] },
			Settings: func() { done <- "settings" },
			Quit:     func() { done <- "quit" },
			Display:  func(d Display) { done <- fmt.Sprintf("display %+v", d) },
		},
		OnHost: func(present bool, why string) { hosts <- hostCall{present, why} },
	})

	// given a bus without a tray host, when started, then OnHost says what to do
	tray.Start()
	want(t, hosts, hostCall{false, noHostAdvice})

	// when a host appears, then the icon registers by itself, and soon
	began := time.Now()
	host, err := apptest.StartTrayHost(bus.Address)
	check(t, err)
	item, err := host.Item(ctx)
	check(t, err)
	t.Logf("registered %v after the host came", time.Since(began))
	want(t, hosts, hostCall{true, ""})

	t.Run("then the host knows it by a constant name and clicks on it are ours", func(t *testing.T) {
		for name, wanted := range map[string]any{"Id": trayTitle, "Title": trayTitle, "ItemIsMenu": false, "Status": "Active"} {
			got, err := item.Property(ctx, name)
			check(t, err)
			if got != wanted {
				t.Errorf("%s is %v, want %v", name, got, wanted)
			}
		}
		check(t, item.Activate(ctx))
		want(t, done, "open")
	})

	t.Run("then the menu is complete", func(t *testing.T) {
		wanted := []string{
			"Open CPU window", "New chat", "—", "(No vitals yet)", "[ ] Pause monitoring", "Icon shows", "Settings…", "—", "Quit",
		}
		if diff := cmp.Diff(wanted, menu(t, item)); diff != "" {
			t.Errorf("menu (-want +got):\n%s", diff)
		}
	})

	t.Run("then each item does what it says", func(t *testing.T) {
		for _, step := range []struct{ label, does string }{
			{"Open CPU window", "open"},
			{"New chat", "new chat"},
			{"Settings…", "settings"},
			{"Pause monitoring", "pause"},
		} {
			check(t, item.Click(ctx, step.label))
			want(t, done, step.does)
		}
		filetest.Until(t, "the check mark is set", func() bool { return menu(t, item)[4] == "[x] Pause monitoring" })
		check(t, item.Click(ctx, "Pause monitoring"))
		want(t, done, "resume")
		filetest.Until(t, "the check mark is gone", func() bool { return menu(t, item)[4] == "[ ] Pause monitoring" })
	})

	t.Run("then the vitals are a line of the menu and the tooltip", func(t *testing.T) {
		tray.SetVitals(load(37), "CPU 37 %")
		filetest.Until(t, "the line is there", func() bool { return menu(t, item)[3] == "(CPU 37 %)" })
		if err := item.Click(ctx, "CPU 37 %"); err == nil {
			t.Error("the line of vitals can be clicked")
		}
	})

	t.Run("then what the icon shows is a submenu with check marks", func(t *testing.T) {
		entries, err := item.Submenu(ctx, "Icon shows")
		check(t, err)
		wanted := []string{"[x] Graph", "[x] Numbers", "[x] CPU", "[ ] Memory", "[ ] Temperature", "[ ] Network"}
		if diff := cmp.Diff(wanted, lines(entries)); diff != "" {
			t.Errorf("submenu (-want +got):\n%s", diff)
		}
	})

	// A host builds its menu again for a new layout: an open submenu closes, and the
	// highlight is lost.
	t.Run("then no reading and no check mark is a new layout", func(t *testing.T) {
		layouts, properties := host.MenuChanges()
		tray.SetVitals(load(37), "CPU 38_ %")
		tray.SetPaused(true)
		filetest.Until(t, "both are there", func() bool {
			return slices.Equal(menu(t, item)[3:5], []string{"(CPU 38_ %)", "[x] Pause monitoring"})
		})
		tray.SetPaused(false)
		filetest.Until(t, "the mark is gone", func() bool { return menu(t, item)[4] == "[ ] Pause monitoring" })
		filetest.Until(t, "each is told", func() bool { _, now := host.MenuChanges(); return now == properties+3 })
		if now, _ := host.MenuChanges(); now != layouts {
			t.Errorf("the menu was laid out %d times", now-layouts)
		}
	})

	t.Run("then the icon changes with the step of the load and not otherwise", func(t *testing.T) {
		before, changes := pixels(t, item), host.IconChanges()
		tray.SetVitals(load(36), "CPU 36 %")
		tray.SetVitals(load(35.4), "CPU 35 %")
		filetest.Until(t, "the line has changed", func() bool { return menu(t, item)[3] == "(CPU 35 %)" })
		if host.IconChanges() != changes || !bytes.Equal(pixels(t, item), before) {
			t.Error("the icon changed within a step")
		}
		tray.SetVitals(load(90), "CPU 90 %")
		filetest.Until(t, "the icon has changed", func() bool { return host.IconChanges() == changes+1 })
		if bytes.Equal(pixels(t, item), before) {
			t.Error("the picture is the same at 35 % and at 90 %")
		}
	})

	// when the host goes away, then OnHost reports it; when another appears, the icon is
	// back
	check(t, host.Close())
	want(t, hosts, hostCall{false, noHostAdvice})
	host, err = apptest.StartTrayHost(bus.Address)
	check(t, err)
	t.Cleanup(func() { check(t, host.Close()) })
	item, err = host.Item(ctx)
	check(t, err)
	want(t, hosts, hostCall{true, ""})
	check(t, item.Click(ctx, "Quit"))
	want(t, done, "quit")

	// when stopped, then the icon is gone from the bus
	tray.Stop()
	filetest.Until(t, "the icon is gone", func() bool { _, err := item.Property(ctx, "Id"); return err != nil })
	tray.SetVitals(load(10), "after the end") // nothing happens
}

// The bus may end before the app: it is restarted, or the person logs out.
func TestTheIconSurvivesTheEndOfItsBus(t *testing.T) {
	bus, err := apptest.StartBus()
	check(t, err)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	// given a registered icon
	item, icons := &statusItem{}, newIcons(false, false)
	check(t, item.start(look{title: trayTitle, icon: icons.of(cpuState(10))}, menuOf(false, Display{}), func() {}, func(label) {}))
	// when the bus ends
	check(t, bus.Close())
	<-item.conn.Context().Done()
	// then changes go nowhere, and do no harm
	item.setIcon(icons.of(cpuState(90)))
	item.setTooltip("CPU 90 %")
	item.setText(labelVitals, "CPU 90 %")
	item.setChecked(labelPause, true)
	item.stop()
}

type hostCall struct {
	present bool
	why     string
}

func TestWithoutASessionBus(t *testing.T) {
	for name, address := range map[string]string{
		"nobody listens":    "unix:path=" + t.TempDir() + "/bus",
		"not an address":    "nonsense",
		"an unknown method": "carrier-pigeon:path=/tmp/x",
	} {
		t.Run(name, func(t *testing.T) {
			// given an address without a bus
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
			// when started
			hosts := make(chan hostCall, 4)
			nothing := func() {}
			tray := New(Params{
				Actions: Actions{Open: nothing, NewChat: nothing, Settings: nothing, Quit: nothing, Pause: func(bool) {}, Display: func(Display) {}},
				OnHost:  func(present bool, why string) { hosts <- hostCall{present, why} },
			})
			tray.Start()
			// then OnHost reports it, and everything else is harmless
			want(t, hosts, hostCall{false, noBusAdvice})
			tray.SetVitals(load(50), "CPU 50 %")
			tray.SetPaused(true)
			tray.Stop()
		})
	}
}

func menu(t *testing.T, item *apptest.Item) []string {
	t.Helper()
	entries, err := item.Menu(t.Context())
	check(t, err)
	return lines(entries)
}

func lines(entries []apptest.Entry) []string {
	var lines []string
	for _, e := range entries {
		lines = append(lines, e.String())
	}
	return lines
}

func pixels(t *testing.T, item *apptest.Item) []byte {
	t.Helper()
	width, height, argb, err := item.Pixmap(t.Context())
	check(t, err)
	if width != iconSize || height != iconSize || len(argb) != 4*iconSize*iconSize {
		t.Fatalf("the picture is %d × %d in %d bytes", width, height, len(argb))
	}
	return argb
}

func want[T comparable](t *testing.T, from <-chan T, wanted T) {
	t.Helper()
	if got := <-from; got != wanted {
		t.Fatalf("got %v, want %v", got, wanted)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
