package cpuwindow

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"mac-stats/app/config"
	"mac-stats/app/ui/kit"
)

// The settings of [window] apply to a window while it is shown, which keeps its size on the screen.
func TestTheLookFollowsItsSettings(t *testing.T) {
	t.Setenv(envScale, "1.5") // of all Fyne apps
	synctest.Test(t, func(t *testing.T) {
		first := config.Window{Zoom: 100}
		a := newAppearance(test.NewTempApp(t), t.TempDir(), slog.New(slog.DiscardHandler), SystemLook{}, first)
		win := test.NewTempWindow(t, kit.Small("words"))
		win.SetPadded(false)
		win.Resize(fyne.NewSize(1200, 600))
		a.Attach(win, first)
		scaled := func(want string, size fyne.Size) {
			t.Helper()
			if got := os.Getenv(envScale); got != want || win.Canvas().Size() != size {
				t.Errorf("the scale is %s and the window %v, want %s and %v", got, win.Canvas().Size(), want, size)
			}
		}
		scaled("1.50", fyne.NewSize(1200, 600))
		look := config.Window{Zoom: 200, Theme: "light", TextSize: 20, Density: "compact"}
		a.Apply(look, true)
		scaled("3.00", fyne.NewSize(600, 300))
		if kit.Color(kit.RoleWindow) != kit.NewTheme(kit.Look{}).Color(kit.RoleWindow, theme.VariantLight) || kit.TextScale() < 1.5 || kit.Density() >= 1 {
			t.Errorf("the window is %v, text × %g, density %g", kit.Color(kit.RoleWindow), kit.TextScale(), kit.Density())
		}
		// zoomed again before the window system reports the size
		look.Zoom = 50
		a.Apply(look, true)
		scaled("0.75", fyne.NewSize(2400, 1200))
		time.Sleep(zoomSettles + time.Second)
		win.Resize(fyne.NewSize(1000, 1000)) // by hand
		look.Zoom = 100
		a.Apply(look, false) // hidden
		scaled("1.50", fyne.NewSize(1000, 1000))
		same := fyne.CurrentApp().Settings().Theme()
		a.Apply(look, true)
		look.OnTop = true
		a.Apply(look, true)
		if fyne.CurrentApp().Settings().Theme() != same {
			t.Error("the theme is set again without a change of the look")
		}
		a.Restore()
		if got := os.Getenv(envScale); got != "1.5" {
			t.Errorf("programs started next have a scale of %q", got)
		}
	})
}

// The desktop's settings add to ours.
func TestTheLookFollowsTheDesktop(t *testing.T) {
	for _, c := range []struct {
		name      string
		system    SystemLook
		own, want config.Window
	}{
		{"it says nothing", SystemLook{}, config.Window{Theme: "system", TextSize: 13}, config.Window{Theme: "system", TextSize: 13}},
		{"it is light", SystemLook{Theme: "light", TextScale: 1}, config.Window{Theme: "system", TextSize: 13}, config.Window{Theme: "light", TextSize: 13}},
		{"it is light, and dark is chosen here", SystemLook{Theme: "light", TextScale: 1}, config.Window{Theme: "dark", TextSize: 13}, config.Window{Theme: "dark", TextSize: 13}},
		{"large text", SystemLook{TextScale: 1.25}, config.Window{Theme: "system", TextSize: 13}, config.Window{Theme: "system", TextSize: 16}},
		{"and a size is chosen here", SystemLook{TextScale: 1.5}, config.Window{Theme: "system", TextSize: 10}, config.Window{Theme: "system", TextSize: 15}},
		{"a size beyond measure", SystemLook{TextScale: 90}, config.Window{Theme: "system", TextSize: 10}, config.Window{Theme: "system", TextSize: 30}},
		{"high contrast", SystemLook{HighContrast: true}, config.Window{Theme: "system"}, config.Window{Theme: "system", HighContrast: true}},
		{"high contrast here", SystemLook{}, config.Window{HighContrast: true}, config.Window{HighContrast: true}},
	} {
		if got := c.system.merged(c.own); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Without a scale of the system there is none afterwards.
func TestTheScaleIsRemoved(t *testing.T) {
	for _, value := range []string{"", "large"} { // "": not set
		t.Run(value, func(t *testing.T) {
			t.Setenv(envScale, value)
			if value == "" {
				if err := os.Unsetenv(envScale); err != nil {
					t.Fatal(err)
				}
			}
			a := newAppearance(test.NewTempApp(t), t.TempDir(), slog.New(slog.DiscardHandler), SystemLook{}, config.Window{Zoom: 200})
			if got := os.Getenv(envScale); got != "2.00" {
				t.Errorf("at 200 %% the scale is %s", got)
			}
			a.Restore()
			if got, is := os.LookupEnv(envScale); got != value || is != (value != "") {
				t.Errorf("afterwards it is %q, set: %t", got, is)
			}
		})
	}
}

// A size that can't be saved, or isn't one, changes nothing.
func TestASizeThatIsNotSaved(t *testing.T) {
	t.Setenv(envScale, "1")
	home := t.TempDir()
	a := newAppearance(test.NewTempApp(t), home, slog.New(slog.DiscardHandler), SystemLook{}, config.Window{Zoom: 100})
	win := test.NewTempWindow(t, kit.Small("words"))
	a.Attach(win, config.Window{Zoom: 100})
	win.Resize(fyne.NewSize(20, 20))
	a.SaveSize()
	if err := os.WriteFile(filepath.Join(home, "session"), nil, 0o600); err != nil { // no folder can be there
		t.Fatal(err)
	}
	win.Resize(fyne.NewSize(800, 800))
	a.SaveSize()
	if got := readSize(a.sizeFile); got != fyne.NewSize(firstWidth, firstHeight) {
		t.Errorf("saved is %v", got)
	}
}

func TestZoomSteps(t *testing.T) {
	for _, tt := range []struct{ now, up, down int }{{100, 110, 90}, {300, 300, 250}, {50, 60, 50}, {135, 150, 130}} {
		if up, down := nextZoom(tt.now, 1), nextZoom(tt.now, -1); up != tt.up || down != tt.down {
			t.Errorf("from %d: %d and %d, want %d and %d", tt.now, up, down, tt.up, tt.down)
		}
	}
}
