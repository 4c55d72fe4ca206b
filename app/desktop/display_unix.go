//go:build !windows && !darwin

package desktop

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// displayTimeout limits the attempt to reach a display: a remote one may not answer.
const displayTimeout = 2 * time.Second

// findDisplay returns the window system to use, or an error if no display can be reached.
// Without one GLFW fails, and Fyne can then only panic or exit.
//
// X11 comes first, on a Wayland desktop too: a window of GLFW's has no input methods on
// Wayland, no title bar on GNOME, and costs more. FYNE_PLATFORM chooses otherwise.
func findDisplay(getenv func(string) string) (platform string, err error) {
	chosen, why := getenv(envPlatform), "neither DISPLAY nor WAYLAND_DISPLAY is set"
	var tried []string
	for _, p := range []struct {
		platform, name string
		try            func(func(string) string) (bool, error)
	}{
		{platformX11, "DISPLAY", tryX11},
		{platformWayland, "WAYLAND_DISPLAY", tryWayland},
	} {
		switch chosen {
		case p.platform:
			why = fmt.Sprintf("%s is %s, and %s is not set", envPlatform, chosen, p.name)
		case platformX11, platformWayland:
			continue
		}
		set, err := p.try(getenv)
		if set && err == nil {
			return p.platform, nil
		}
		if set {
			tried = append(tried, fmt.Sprintf("%s=%s: %v", p.name, getenv(p.name), err))
		}
	}
	if len(tried) > 0 {
		why = strings.Join(tried, "; ")
	}
	return "", fmt.Errorf("%w (%s): start mac-stats from a desktop session, use `mac-stats ask` in this terminal, "+
		"or run it without a screen with `mac-stats --headless`", ErrNoDisplay, why)
}

// tryWayland connects to the compositor's socket. WAYLAND_SOCKET is a file descriptor from
// the compositor: trying it would use it up, so it counts as valid.
func tryWayland(getenv func(string) string) (set bool, err error) {
	if getenv("WAYLAND_SOCKET") != "" {
		return true, nil
	}
	name := getenv("WAYLAND_DISPLAY")
	if name == "" {
		return false, nil
	}
	if !filepath.IsAbs(name) {
		dir := getenv("XDG_RUNTIME_DIR")
		if dir == "" {
			return true, fmt.Errorf("XDG_RUNTIME_DIR is not set")
		}
		name = filepath.Join(dir, name)
	}
	return true, reach("unix", name)
}

// tryX11 connects to the X server like Xlib: "[protocol/][host]:display[.screen]", or the
// path of a socket.
func tryX11(getenv func(string) string) (set bool, err error) {
	display := getenv("DISPLAY")
	if display == "" {
		return false, nil
	}
	if err := reachX11(display); err != nil {
		return true, err
	}
	return true, openX11(display)
}

func reachX11(display string) error {
	if strings.HasPrefix(display, "/") && reach("unix", display) == nil {
		return nil
	}
	host, number, err := parseDisplay(display)
	if err != nil {
		return err
	}
	if host != "" && host != "unix" {
		return reach("tcp", net.JoinHostPort(host, strconv.Itoa(6000+number)))
	}
	socket := "/tmp/.X11-unix/X" + strconv.Itoa(number)
	if reach("unix", "@"+socket) == nil {
		return nil
	}
	return reach("unix", socket)
}

// parseDisplay returns the host ("" for this machine) and the number in a DISPLAY.
func parseDisplay(display string) (host string, number int, err error) {
	colon := strings.LastIndexByte(display, ':')
	if colon < 0 {
		return "", 0, fmt.Errorf("not of the form host:number")
	}
	host = display[:colon]
	if i := strings.LastIndexByte(host, '/'); i >= 0 { // "tcp/host", "/path/of/socket"
		host = host[i+1:]
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	digits, _, _ := strings.Cut(display[colon+1:], ".")
	number, err = strconv.Atoi(digits)
	if err != nil || number < 0 || number > 65535-6000 {
		return "", 0, fmt.Errorf("%q is not a display number", digits)
	}
	return host, number, nil
}

func reach(network, address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), displayTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return err
	}
	return conn.Close()
}
