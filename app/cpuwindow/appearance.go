package cpuwindow

import (
	"log/slog"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/config"
	"mac-stats/app/ui/kit"
)

// envScale is Fyne's environment variable for the scale of windows. There is no other way to
// change the scale while the app runs.
const envScale = "FYNE_SCALE"

// zoomSettles is how long the window system may take to report a new size. Until then the
// canvas may have an intermediate one.
const zoomSettles = 2 * time.Second

// appearance applies the look of the window and saves its size. Its methods are called on the UI
// goroutine.
//
// The look follows [window] in config.toml. Zoom scales the whole canvas, so no other part of
// the window has to know about it; text size and density are sizes of the theme. Fyne reads the
// scale from an environment variable. Restore resets it at the end, so that it doesn't affect
// programs started by this one. The size is saved in session/window.json.
type appearance struct {
	app      fyne.App
	win      fyne.Window // nil before Attach
	sizeFile string
	logger   *slog.Logger
	system   SystemLook
	applied  config.Window // the look that was applied last
	base     float32       // the scale of all Fyne apps, without zoom
	scaleWas string        // envScale before any zoom
	scaleSet bool
	unzoomed fyne.Size // the size of the window at 100 %
	zoomedAt time.Time
}

// SystemLook is what the desktop's settings say about the look of windows.
type SystemLook struct {
	Theme        string  // light or dark; "" if they say nothing of it
	HighContrast bool    // also if the app's own setting is off
	TextScale    float64 // multiplies the app's own size; 0 and 1 mean as designed
}

// merged returns the look that the settings of the app and of the desktop make together.
func (l SystemLook) merged(c config.Window) config.Window {
	if c.Theme == "system" && l.Theme != "" {
		c.Theme = l.Theme
	}
	c.HighContrast = c.HighContrast || l.HighContrast
	if l.TextScale > 0 {
		c.TextSize = int(math.Round(float64(c.TextSize) * min(max(l.TextScale, 0.5), 3)))
	}
	return c
}

// newAppearance sets the scale and the theme of the app. It must be called before any text is
// measured,
// because a new theme loads all fonts again and keeps the old ones in memory. It must also be
// called before there is a window: on Windows, Fyne panics if the theme changes while a window
// has never been shown.
func newAppearance(app fyne.App, home string, logger *slog.Logger, system SystemLook, c config.Window) *appearance {
	a := &appearance{app: app, system: system, sizeFile: sizePath(home), logger: logger, base: systemScale(app)}
	a.scaleWas, a.scaleSet = os.LookupEnv(envScale)
	a.draw(system.merged(c))
	return a
}

// Attach sets the window and applies its look.
func (a *appearance) Attach(win fyne.Window, c config.Window) {
	a.win = win
	a.Apply(c, false)
}

// themeFor returns the theme of a configuration.
func themeFor(c config.Window) fyne.Theme {
	return kit.NewTheme(kit.Look{TextSize: float32(c.TextSize), Compact: c.Density == "compact", Variant: c.Theme, HighContrast: c.HighContrast, Accent: c.Accent})
}

// systemScale returns the scale that the user set for all Fyne apps. Zoom multiplies it.
func systemScale(a fyne.App) float32 {
	if s, err := strconv.ParseFloat(os.Getenv(envScale), 32); err == nil && s > 0 {
		return float32(s)
	}
	if s := a.Settings().Scale(); s > 0 {
		return s
	}
	return 1
}

// Restore resets the environment variable to its value before any zoom.
func (a *appearance) Restore() {
	err := os.Unsetenv(envScale)
	if a.scaleSet {
		err = os.Setenv(envScale, a.scaleWas)
	}
	if err != nil {
		a.logger.Warn("the scale is not as before the zoom", "error", err)
	}
}

// Apply applies the settings of [window]. A visible window keeps its size on the screen.
func (a *appearance) Apply(c config.Window, visible bool) {
	c = a.system.merged(c)
	before := a.applied
	if c == before {
		return
	}
	a.applied = c
	if c.OnTop && !before.OnTop {
		a.putOnTop()
	}
	if c.OnTop = before.OnTop; c == before {
		return
	}
	if time.Since(a.zoomedAt) > zoomSettles && before.Zoom != 0 {
		size, by := a.win.Canvas().Size(), float32(before.Zoom)/100
		a.unzoomed = fyne.NewSize(size.Width*by, size.Height*by)
	}
	if before.Zoom != 0 { // newAppearance has applied the first one
		a.draw(c)
	}
	if before.Zoom != 0 && before.Zoom != c.Zoom && visible {
		by := 100 / float32(c.Zoom)
		a.win.Resize(fyne.NewSize(a.unzoomed.Width*by, a.unzoomed.Height*by))
		a.zoomedAt = time.Now()
	}
}

// draw sets the scale and the theme of the app.
func (a *appearance) draw(c config.Window) {
	if err := os.Setenv(envScale, strconv.FormatFloat(float64(a.base*float32(c.Zoom)/100), 'f', 2, 32)); err != nil {
		a.logger.Warn("the zoom can't be set", "error", err)
	}
	a.app.Settings().SetTheme(themeFor(c))
}

// putOnTop keeps the window above others. Fyne can't undo this, so turning it off takes effect
// with the next window.
func (a *appearance) putOnTop() {
	if d, ok := a.win.(desktop.Window); ok {
		d.RequestAlwaysOnTop()
	}
}

// zoomSteps returns the steps of zoom in percent. Fyne rounds the scale to tenths.
func zoomSteps() []int { return []int{50, 60, 70, 80, 90, 100, 110, 120, 130, 150, 170, 200, 250, 300} }

// nextZoom returns the next step of zoom in percent: up if by is positive, otherwise down.
func nextZoom(now, by int) int {
	steps := zoomSteps()
	i, found := slices.BinarySearch(steps, now)
	if by <= 0 {
		i--
	} else if found {
		i++
	}
	return steps[min(max(i, 0), len(steps)-1)]
}
