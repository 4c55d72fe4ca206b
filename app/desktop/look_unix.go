//go:build !darwin && !windows

package desktop

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"mac-stats/app/sessionbus"
)

const (
	settingsTime = 3 * time.Second // for gsettings and the portal to answer
	lookSettles  = 200 * time.Millisecond

	// kdePoints is KDE's own size of text, to which the chosen one is compared.
	kdePoints = 10
	// strongContrast is the contrast (WCAG) of text from which a colour scheme is one of
	// high contrast. Breeze has 14, in light and in dark; the most is 21.
	strongContrast = 18
)

// WatchLook calls report with the look that the desktop's settings ask for, at once and after
// each change, until ctx is done. KDE keeps them in kdeglobals, other desktops in gsettings,
// and some keep light or dark in the portal alone, which also tells of changes.
func WatchLook(ctx context.Context, report func(Look)) {
	conn, err := sessionbus.Connect(ctx)
	if err != nil {
		report(readLook(ctx, nil, os.Getenv))
		return // nobody tells of changes
	}
	last := readLook(ctx, conn, os.Getenv)
	report(last)
	signals := make(chan *dbus.Signal, 64)
	conn.Signal(signals)
	err = conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface("org.freedesktop.portal.Settings"), dbus.WithMatchMember("SettingChanged"))
	if err != nil {
		_ = conn.Close() // it was never used
		return
	}
	var settled <-chan time.Time // one choice of a person changes several settings
	for {
		select {
		case _, ok := <-signals:
			if !ok {
				return
			}
			if settled == nil {
				settled = time.After(lookSettles)
			}
		case <-settled:
			settled = nil
			if now := readLook(ctx, conn, os.Getenv); now != last {
				last = now
				report(now)
			}
		}
	}
}

// readLook reads the settings of the desktop that an environment names. conn is nil without
// a session bus.
func readLook(ctx context.Context, conn *dbus.Conn, getenv func(string) string) Look {
	switch desktop := getenv("XDG_CURRENT_DESKTOP"); {
	case strings.Contains(desktop, "KDE"):
		return kdeLook(getenv)
	case desktop != "":
		look := gsettingsLook(ctx)
		look.Theme = cmp.Or(portalTheme(ctx, conn), look.Theme)
		return look
	}
	return Look{TextScale: 1}
}

// portalTheme returns the theme that the portal says is preferred (freedesktop.org,
// org.freedesktop.appearance), or "".
func portalTheme(ctx context.Context, conn *dbus.Conn) string {
	if conn == nil {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, settingsTime)
	defer stop()
	var value dbus.Variant
	err := conn.Object("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop").
		CallWithContext(ctx, "org.freedesktop.portal.Settings.Read", 0, "org.freedesktop.appearance", "color-scheme").Store(&value)
	if err != nil {
		return "" // an old portal, or none
	}
	if inner, ok := value.Value().(dbus.Variant); ok { // Read wraps the value twice
		value = inner
	}
	switch value.Value() {
	case uint32(1):
		return "dark"
	case uint32(2):
		return "light"
	}
	return ""
}

// gsettingsLook asks gsettings, which GNOME and other desktops of GTK use. Most desktops
// have the schemas, but not all keep their settings there: what isn't changed from how it
// comes says nothing of the theme.
func gsettingsLook(ctx context.Context) Look {
	look := Look{TextScale: 1}
	ctx, stop := context.WithTimeout(ctx, settingsTime)
	defer stop()
	settings, err := exec.CommandContext(ctx, "gsettings", "list-recursively", "org.gnome.desktop.interface").Output()
	if err != nil {
		return look
	}
	accessible, _ := exec.CommandContext(ctx, "gsettings", "list-recursively", "org.gnome.desktop.a11y.interface").Output() // missing on old desktops
	values := map[string]string{}
	for line := range strings.Lines(string(settings) + string(accessible)) {
		if fields := strings.SplitN(strings.TrimSpace(line), " ", 3); len(fields) == 3 {
			values[fields[1]] = strings.Trim(fields[2], "'")
		}
	}
	widgets := strings.ToLower(values["gtk-theme"])
	switch scheme := values["color-scheme"]; {
	case scheme == "prefer-light":
		look.Theme = "light"
	case scheme == "prefer-dark", strings.HasSuffix(widgets, "-dark"), strings.HasSuffix(widgets, "inverse"):
		look.Theme = "dark"
	}
	look.HighContrast = values["high-contrast"] == "true" || strings.HasPrefix(widgets, "highcontrast")
	if scale, err := strconv.ParseFloat(values["text-scaling-factor"], 64); err == nil && scale > 0 {
		look.TextScale = scale
	}
	return look
}

// kdeLook reads the kdeglobals of the person and of the system: the colours of windows and
// the size of text.
func kdeLook(getenv func(string) string) Look {
	look := Look{Theme: "light", TextScale: 1} // KDE's own
	places := []string{getenv("XDG_CONFIG_HOME")}
	if places[0] == "" {
		places[0] = filepath.Join(getenv("HOME"), ".config")
	}
	places = append(places, filepath.Join(places[0], "kdedefaults")) // of the chosen global theme
	places = append(places, filepath.SplitList(getenv("XDG_CONFIG_DIRS"))...)
	values := map[string]string{}
	for i := len(places) - 1; i >= 0; i-- { // the person's come last
		readKDE(values, filepath.Join(places[i], "kdeglobals"))
	}
	text, okText := luminance(values["Colors:Window/ForegroundNormal"])
	window, okWindow := luminance(values["Colors:Window/BackgroundNormal"])
	if okText && okWindow {
		if text > window {
			look.Theme = "dark"
		}
		look.HighContrast = (max(text, window)+0.05)/(min(text, window)+0.05) >= strongContrast
	}
	if font := strings.Split(values["General/font"], ","); len(font) > 1 {
		if points, err := strconv.ParseFloat(font[1], 64); err == nil && points > 0 {
			look.TextScale = points / kdePoints
		}
	}
	return look
}

// readKDE adds the values of a file of KDE's, as "group/key".
func readKDE(values map[string]string, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	group := ""
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if name, is := strings.CutPrefix(line, "["); is {
			group = strings.TrimSuffix(name, "]")
		} else if key, value, is := strings.Cut(line, "="); is {
			values[group+"/"+strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
}

// luminance returns the relative luminance (WCAG 2) of a colour such as "239,240,241".
func luminance(colour string) (l float64, ok bool) {
	parts := strings.Split(colour, ",")
	if len(parts) < 3 {
		return 0, false
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.Atoi(strings.TrimSpace(parts[i]))
		if err != nil || n < 0 || n > 255 {
			return 0, false
		}
		if x := float64(n) / 255; x <= 0.04045 {
			l += weight * x / 12.92
		} else {
			l += weight * math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return l, true
}
