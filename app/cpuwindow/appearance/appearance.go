// Package appearance is how the window looks, and its size.
//
// The look follows [window] of config.toml. Zoom is the scale of the whole canvas, so nothing
// in the window has to know of it; the size of text and the density are sizes of the theme.
// The scale is a variable of the environment, which is given back at the end: programs that
// are started by this one zoom by themselves. The size is kept in session/window.json. It
// writes no setting: what asks for another zoom sets it in config.toml.
package appearance

import (
	"log/slog"
	"os"
	"strconv"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/config"
	"mac-stats/app/ui/kit"
)

// EnvScale is Fyne's variable for the scale of windows: there is no other way to
// change it while the app runs.
const EnvScale = "FYNE_SCALE"

// zoomSettles is how long the window system may take to tell of a new size: until
// then the canvas may have one on the way to it.
const zoomSettles = 2 * time.Second

// Appearance is how one window looks. Its methods are called on the UI goroutine.
type Appearance struct {
	app      fyne.App
	win      fyne.Window // nil before Attach
	sizeFile string
	logger   *slog.Logger
	applied  config.Window // what the window looks like
	base     float32       // the scale of all Fyne apps, without zoom
	scaleWas string        // EnvScale before any zoom
	scaleSet bool
	unzoomed fyne.Size // what the window would have at 100 %
	zoomedAt time.Time
}

// New sets the scale and the theme of everything that is drawn. It is called before any
// text is measured: a new theme loads all fonts anew, and the old ones stay. And before
// there is a window: on Windows Fyne panics where a theme meets one that was never shown.
func New(app fyne.App, home string, logger *slog.Logger, c config.Window) *Appearance {
	a := &Appearance{app: app, sizeFile: sizePath(home), logger: logger, base: systemScale(app)}
	a.scaleWas, a.scaleSet = os.LookupEnv(EnvScale)
	a.draw(c)
	return a
}

// Attach gives a new window its look.
func (a *Appearance) Attach(win fyne.Window, c config.Window) {
	a.win = win
	a.Apply(c, false)
}

// themeFor is the theme of a configuration.
func themeFor(c config.Window) fyne.Theme {
	return kit.NewTheme(kit.Look{TextSize: float32(c.TextSize), Compact: c.Density == "compact", Variant: c.Theme, HighContrast: c.HighContrast, Accent: c.Accent})
}

// systemScale is what the user set for all Fyne apps; zoom is on top of it.
func systemScale(a fyne.App) float32 {
	if s, err := strconv.ParseFloat(os.Getenv(EnvScale), 32); err == nil && s > 0 {
		return float32(s)
	}
	if s := a.Settings().Scale(); s > 0 {
		return s
	}
	return 1
}

// Restore gives the variable that zoom changes its value back.
func (a *Appearance) Restore() {
	err := os.Unsetenv(EnvScale)
	if a.scaleSet {
		err = os.Setenv(EnvScale, a.scaleWas)
	}
	if err != nil {
		a.logger.Warn("the scale is not as before the zoom", "error", err)
	}
}

// Apply takes over what [window] says. A window that is visible keeps its size on the
// screen.
func (a *Appearance) Apply(c config.Window, visible bool) {
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
	if before.Zoom != 0 { // else it is drawn so from the start
		a.draw(c)
	}
	if before.Zoom != 0 && before.Zoom != c.Zoom && visible {
		by := 100 / float32(c.Zoom)
		a.win.Resize(fyne.NewSize(a.unzoomed.Width*by, a.unzoomed.Height*by))
		a.zoomedAt = time.Now()
	}
}

// draw sets the scale and the theme of everything that is drawn.
func (a *Appearance) draw(c config.Window) {
	if err := os.Setenv(EnvScale, strconv.FormatFloat(float64(a.base*float32(c.Zoom)/100), 'f', 2, 32)); err != nil {
		a.logger.Warn("the zoom can't be set", "error", err)
	}
	a.app.Settings().SetTheme(themeFor(c))
}

// putOnTop keeps the window above others from now on. Fyne can ask for it and not
// take it back, so letting go waits for the next window.
func (a *Appearance) putOnTop() {
	if d, ok := a.win.(desktop.Window); ok {
		d.RequestAlwaysOnTop()
	}
}

// zoomSteps are what zooming goes through, in percent: Fyne rounds to tenths.
func zoomSteps() []int { return []int{50, 60, 70, 80, 90, 100, 110, 120, 130, 150, 170, 200, 250, 300} }

// NextZoom is the next step of zoom, up or down, in percent.
func NextZoom(now, by int) int {
	steps := zoomSteps()
	if by > 0 {
		for _, s := range steps {
			if s > now {
				return s
			}
		}
		return steps[len(steps)-1]
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i] < now {
			return steps[i]
		}
	}
	return steps[0]
}
