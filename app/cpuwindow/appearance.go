package cpuwindow

import (
	"os"
	"strconv"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/config"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// How the window looks follows [window] of config.toml. Zoom is the scale of the
// whole canvas, so nothing in the window has to know of it; the size of text and the
// density are sizes of the theme.

// themeFor is the theme of a configuration.
func themeFor(c config.Window) fyne.Theme {
	return kit.NewTheme(kit.Look{TextSize: float32(c.TextSize), Compact: c.Density == "compact", Variant: c.Theme, HighContrast: c.HighContrast, Accent: c.Accent})
}

// envScale is Fyne's variable for the scale of windows: there is no other way to
// change it while the app runs.
const envScale = "FYNE_SCALE"

// systemScale is what the user set for all Fyne apps; zoom is on top of it.
func systemScale(a fyne.App) float32 {
	if s, err := strconv.ParseFloat(os.Getenv(envScale), 32); err == nil && s > 0 {
		return float32(s)
	}
	if s := a.Settings().Scale(); s > 0 {
		return s
	}
	return 1
}

// restoreScale gives the variable that zoom changes its value back: a program that is
// started by this one zooms by itself.
func (w *Window) restoreScale() {
	err := os.Unsetenv(envScale)
	if w.scaleSet {
		err = os.Setenv(envScale, w.scaleWas)
	}
	if err != nil {
		w.parts.logger.Warn("the scale is not as before the zoom", "error", err)
	}
}

// wear takes over what [window] says. The window keeps its size on the screen.
func (w *Window) wear(c config.Window) {
	before := w.worn
	if c == before {
		return
	}
	w.worn = c
	if c.OnTop && !before.OnTop {
		w.putOnTop()
	}
	if c.OnTop = before.OnTop; c == before {
		return
	}
	if time.Since(w.zoomedAt) > zoomSettles && before.Zoom != 0 {
		size, by := w.win.Canvas().Size(), float32(before.Zoom)/100
		w.unzoomed = fyne.NewSize(size.Width*by, size.Height*by)
	}
	if before.Zoom != 0 { // else it is drawn so from the start
		w.drawAs(c)
	}
	if before.Zoom != 0 && before.Zoom != c.Zoom && w.visible {
		by := 100 / float32(c.Zoom)
		w.win.Resize(fyne.NewSize(w.unzoomed.Width*by, w.unzoomed.Height*by))
		w.zoomedAt = time.Now()
	}
}

// drawAs sets the scale and the theme of everything that is drawn.
func (w *Window) drawAs(c config.Window) {
	if err := os.Setenv(envScale, strconv.FormatFloat(float64(w.baseScale*float32(c.Zoom)/100), 'f', 2, 32)); err != nil {
		w.parts.logger.Warn("the zoom can't be set", "error", err)
	}
	w.p.App.Settings().SetTheme(themeFor(c))
}

// putOnTop keeps the window above others from now on. Fyne can ask for it and not
// take it back, so letting go waits for the next window.
func (w *Window) putOnTop() {
	if d, ok := w.win.(desktop.Window); ok {
		d.RequestAlwaysOnTop()
	}
}

// followConfig takes over how the window looks and which keys do what; it costs
// nothing where neither changed.
func (w *Window) followConfig() {
	c := w.parts.config()
	w.wear(c.Window)
	if w.bound == nil || c.Shortcuts != w.boundFor {
		w.boundFor = c.Shortcuts
		w.bindKeys()
	}
}

// zoomSettles is how long the window system may take to tell of a new size: until
// then the canvas may have one on the way to it.
const zoomSettles = 2 * time.Second

// zoomSteps are what zooming goes through, in percent: Fyne rounds to tenths.
func zoomSteps() []int { return []int{50, 60, 70, 80, 90, 100, 110, 120, 130, 150, 170, 200, 250, 300} }

// zoomFrom is the next step of zoom, up or down.
func zoomFrom(now, by int) int {
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

func (w *Window) zoomIn()    { w.zoomTo(zoomFrom(w.parts.config().Window.Zoom, 1)) }
func (w *Window) zoomOut()   { w.zoomTo(zoomFrom(w.parts.config().Window.Zoom, -1)) }
func (w *Window) zoomReset() { w.zoomTo(100) }

func (w *Window) zoomTo(percent int) { w.writer.Set("window.zoom", strconv.Itoa(percent), nil) }

func (w *Window) togglePin() {
	on := !w.parts.config().Window.OnTop
	w.writer.Set("window.on_top", strconv.FormatBool(on), func(err error) {
		if err == nil && !on {
			w.tell(i18n.T("The window stays on top until mac-stats restarts"), "")
		}
	})
}
