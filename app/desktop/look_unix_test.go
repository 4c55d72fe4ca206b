//go:build !darwin && !windows

package desktop

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/godbus/dbus/v5"

	"mac-stats/app/apptest"
	"mac-stats/sessionmem/filetest"
)

// kdeglobals of Plasma's schemes: the groups around, and the colours of windows.
func kdeglobals(foreground, background, font string) string {
	return "[$Version]\nupdate_info=x\n\n[Colors:View]\nBackgroundNormal=1,2,3\n\n[Colors:Window]\nBackgroundNormal=" + background +
		"\nForegroundNormal=" + foreground + "\n\n[General]\n" + font + "\nColorScheme=Any\n"
}

func TestTheLookOfKDE(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  Look
	}{
		{"no file", nil, Look{"light", false, 1}},
		{"Breeze", map[string]string{"user/kdeglobals": kdeglobals("35,38,41", "239,240,241", "")}, Look{"light", false, 1}},
		{"Breeze Dark", map[string]string{"user/kdeglobals": kdeglobals("252,252,252", "42,46,50", "")}, Look{"dark", false, 1}},
		{"white on black", map[string]string{"user/kdeglobals": kdeglobals("255,255,255", "0,0,0", "")}, Look{"dark", true, 1}},
		{"black on white", map[string]string{"user/kdeglobals": kdeglobals("0,0,0", "255,255,255", "")}, Look{"light", true, 1}},
		{"large text", map[string]string{"user/kdeglobals": "[General]\nfont=Noto Sans,15,-1,5,50,0,0,0,0,0\n"}, Look{"light", false, 1.5}},
		{"a system's", map[string]string{"system/kdeglobals": kdeglobals("252,252,252", "42,46,50", "font=Hack,12,-1")}, Look{"dark", false, 1.2}},
		{"a global theme's over a system's", map[string]string{
			"system/kdeglobals": kdeglobals("252,252,252", "42,46,50", ""), "user/kdedefaults/kdeglobals": kdeglobals("35,38,41", "239,240,241", ""),
		}, Look{"light", false, 1}},
		{"the person's over all", map[string]string{
			"user/kdeglobals": kdeglobals("252,252,252", "42,46,50", ""), "user/kdedefaults/kdeglobals": kdeglobals("35,38,41", "239,240,241", "font=A,20"),
		}, Look{"dark", false, 2}},
		{"colours that aren't any", map[string]string{"user/kdeglobals": kdeglobals("252", "red,green,300", "font=,,")}, Look{"light", false, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				filetest.Write(t, filepath.Join(dir, name), text)
			}
			env := map[string]string{"XDG_CURRENT_DESKTOP": "KDE", "XDG_CONFIG_HOME": dir + "/user", "XDG_CONFIG_DIRS": dir + "/none:" + dir + "/system"}
			if got := readLook(t.Context(), nil, func(key string) string { return env[key] }); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// gsettingsIs puts a gsettings on the PATH that knows these settings.
func gsettingsIs(t *testing.T, dir, settings, accessible string) {
	t.Helper()
	filetest.Write(t, filepath.Join(dir, "org.gnome.desktop.interface"), settings)
	filetest.Write(t, filepath.Join(dir, "org.gnome.desktop.a11y.interface"), accessible)
	program := filepath.Join(dir, "gsettings")
	filetest.Write(t, program, "#!/bin/sh\nwhile read -r line; do echo \"$line\"; done < '"+dir+"'/\"$2\"\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

func TestTheLookOfGNOME(t *testing.T) {
	for _, c := range []struct {
		name, settings, accessible string
		want                       Look
	}{
		{"as it comes", "org.gnome.desktop.interface color-scheme 'default'\norg.gnome.desktop.interface gtk-theme 'Adwaita'\norg.gnome.desktop.interface text-scaling-factor 1.0\n", "org.gnome.desktop.a11y.interface high-contrast false\n", Look{"", false, 1}},
		{"dark", "org.gnome.desktop.interface color-scheme 'prefer-dark'\n", "", Look{"dark", false, 1}},
		{"dark, before there was a scheme", "org.gnome.desktop.interface gtk-theme 'Yaru-dark'\n", "", Look{"dark", false, 1}},
		{"light, with a dark theme", "org.gnome.desktop.interface color-scheme 'prefer-light'\norg.gnome.desktop.interface gtk-theme 'Yaru-dark'\n", "", Look{"light", false, 1}},
		{"large text", "org.gnome.desktop.interface text-scaling-factor 1.25\n", "", Look{"", false, 1.25}},
		{"high contrast", "", "org.gnome.desktop.a11y.interface high-contrast true\n", Look{"", true, 1}},
		{"high contrast by its theme", "org.gnome.desktop.interface gtk-theme 'HighContrastInverse'\n", "", Look{"dark", true, 1}},
		{"black on white by its theme", "org.gnome.desktop.interface gtk-theme 'HighContrast'\n", "", Look{"", true, 1}},
		{"light", "org.gnome.desktop.interface color-scheme 'prefer-light'\n", "", Look{"light", false, 1}},
		{"numbers that aren't any", "org.gnome.desktop.interface text-scaling-factor large\nodd\n", "", Look{"", false, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			gsettingsIs(t, t.TempDir(), c.settings, c.accessible)
			if got := readLook(t.Context(), nil, func(key string) string { return map[string]string{"XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}[key] }); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	t.Setenv("PATH", t.TempDir())
	unknown := Look{TextScale: 1}
	if got := readLook(t.Context(), nil, func(string) string { return "GNOME" }); got != unknown {
		t.Errorf("without gsettings: %+v", got)
	}
	gsettingsIs(t, t.TempDir(), "org.gnome.desktop.interface color-scheme 'prefer-dark'\n", "")
	if got := readLook(t.Context(), nil, func(string) string { return "" }); got != unknown {
		t.Errorf("without a desktop: %+v", got)
	}
}

// portalSettings is the part of a desktop's portal that has its settings.
type portalSettings struct{ scheme any }

func (p portalSettings) Read(group, key string) (dbus.Variant, *dbus.Error) {
	if group != "org.freedesktop.appearance" || key != "color-scheme" || p.scheme == nil {
		return dbus.Variant{}, dbus.MakeFailedError(errors.New("not found"))
	}
	return dbus.MakeVariant(dbus.MakeVariant(p.scheme)), nil
}

// COSMIC, Hyprland and others keep the choice of light or dark in their portal alone.
func TestThePortalsThemeComesFirst(t *testing.T) {
	const dark = "org.gnome.desktop.interface color-scheme 'prefer-dark'\n"
	for _, c := range []struct {
		name     string
		scheme   any
		settings string
		want     string
	}{
		{"dark, which gsettings doesn't know", uint32(1), "org.gnome.desktop.interface color-scheme 'default'\n", "dark"},
		{"light, over gsettings", uint32(2), dark, "light"},
		{"no preference", uint32(0), "", ""},
		{"no preference, and one in gsettings", uint32(0), dark, "dark"},
		{"no such setting", nil, dark, "dark"},
		{"a value that isn't any", "dark", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bus, err := apptest.StartBus()
			filetest.Must(t, err)
			t.Cleanup(func() { filetest.Must(t, bus.Close()) })
			portal, err := dbus.Connect(bus.Address)
			filetest.Must(t, err)
			t.Cleanup(func() { _ = portal.Close() })
			filetest.Must(t, portal.Export(portalSettings{c.scheme}, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings"))
			_, err = portal.RequestName("org.freedesktop.portal.Desktop", dbus.NameFlagDoNotQueue)
			filetest.Must(t, err)
			gsettingsIs(t, t.TempDir(), c.settings, "")
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
			t.Setenv("XDG_CURRENT_DESKTOP", "COSMIC")
			looks := make(chan Look, 1)
			go WatchLook(t.Context(), func(l Look) { looks <- l })
			if got := <-looks; got.Theme != c.want {
				t.Errorf("the theme is %q, want %q", got.Theme, c.want)
			}
		})
	}
}

// given a running app, when the portal tells of a change, then the look is read again
func TestTheLookFollowsChanges(t *testing.T) {
	bus, err := apptest.StartBus()
	filetest.Must(t, err)
	t.Cleanup(func() { filetest.Must(t, bus.Close()) })
	dir := t.TempDir()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	t.Setenv("XDG_CURRENT_DESKTOP", "KDE")
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("XDG_CONFIG_DIRS", dir)
	looks := make(chan Look, 4)
	go WatchLook(t.Context(), func(l Look) { looks <- l })
	if got := <-looks; got.Theme != "light" {
		t.Errorf("at first %+v", got)
	}
	portal, err := dbus.Connect(bus.Address)
	filetest.Must(t, err)
	t.Cleanup(func() { _ = portal.Close() })
	filetest.Write(t, filepath.Join(dir, "kdeglobals"), kdeglobals("252,252,252", "42,46,50", ""))
	changed := func() {
		filetest.Must(t, portal.Emit("/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings.SettingChanged", "group", "key", dbus.MakeVariant("x")))
	}
	filetest.Until(t, "the dark look", func() bool {
		changed() // it may not listen yet
		select {
		case got := <-looks:
			return got == Look{"dark", false, 1}
		default:
			return false
		}
	})
}
