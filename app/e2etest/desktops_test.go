//go:build e2e && systems

package e2etest

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"mac-stats/agents/testkit"
)

// GNOME Shell and Plasma, each in a window on a screen of its own, with a fresh home.
// scripts/desktops.sh runs this. The mouse, the keys and the pictures are those of the
// screen around the desktop.

// session is a desktop.
type session struct {
	*screen            // around the desktop
	dir     string     // for its files and sockets
	env     []string   // of the programs in it
	conn    *dbus.Conn // its bus
	program string     // mac-stats, as installed there
}

// newSession starts what every desktop needs: a screen, a home, both message buses.
func newSession(t *testing.T, desktop string, env ...string) *session {
	t.Helper()
	dir, err := os.MkdirTemp("", "d") //nolint:usetesting // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		killWith(t, "HOME="+filepath.Join(dir, "home"))
		_ = os.RemoveAll(dir)
	})
	// Xvfb locks only a number that it is given; without a lock, KWin's X server takes it.
	s := &session{screen: startDisplay(t, 1300, 840, fmt.Sprintf(":%d", 100+os.Getpid()%20_000)), dir: dir}
	home := filepath.Join(dir, "home")
	s.env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "XDG_") || slices.Contains([]string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "MAC_STATS_HOME"}, name)
	})
	s.env = append(append(s.env, "HOME="+home, "XDG_RUNTIME_DIR="+filepath.Join(dir, "run"), "LANG=C.UTF-8", "LIBGL_ALWAYS_SOFTWARE=1",
		"XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "XDG_DATA_HOME="+filepath.Join(home, ".local/share"),
		"XDG_CURRENT_DESKTOP="+desktop, "XDG_SESSION_TYPE=wayland"), env...)
	for _, sub := range []string{"run", "home/.config", "home/.mac-stats"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config := "[session]\nnotify_after = \"1s\"\n" // there is no welcome page
	if err := os.WriteFile(filepath.Join(home, ".mac-stats", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	server := testkit.Start(t, testkit.Script{
		Models: []testkit.Model{{Name: "desk:8b", ContextLength: 16384, Capabilities: []string{"completion"}}},
		Rules:  []testkit.Rule{{UserContains: "fan", Reply: testkit.Reply{Text: fanAnswer, FirstDelay: 5 * time.Second}}, {Reply: testkit.Reply{Text: "Fans"}}}, // the second for what is read in advance, and titles
	})
	s.env = append(s.env, "OLLAMA_HOST="+server.Addr())
	install := s.command("bash", "../../scripts/install.sh", "install")
	install.Env = append(install.Env, "PREFIX="+filepath.Join(home, ".local"), "MAC_STATS_BINARY="+binary(t))
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.program = filepath.Join(home, ".local/bin/mac-stats")

	s.bus(t, "DBUS_SESSION_BUS_ADDRESS")
	s.bus(t, "DBUS_SYSTEM_BUS_ADDRESS")
	s.start(t, "logind", "/usr/bin/python3", "-m", "dbusmock", "--system", "--template", "logind") // desktops ask who is logged in
	s.conn, err = dbus.Connect(s.getenv("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.conn.Close() })
	return s
}

// killWith ends the processes that have a variable in their environment, such as those that
// the bus has started.
func killWith(t *testing.T, variable string) {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range environments {
		env, err := os.ReadFile(path)
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), variable) {
			continue // it isn't ours, or has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may just have ended
	}
}

// bus starts a message bus, whose address is in a variable.
func (s *session) bus(t *testing.T, variable string) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := s.command("dbus-daemon", "--session", "--nofork", "--print-address=3")
	cmd.ExtraFiles = []*os.File{write}
	startProcess(t, "dbus-daemon", cmd)
	write.Close()
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	s.env = append(s.env, variable+"="+strings.TrimSpace(address))
}

func (s *session) getenv(name string) string {
	for _, v := range slices.Backward(s.env) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// command returns a program in the session.
func (s *session) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = slices.Clone(s.env)
	return cmd
}

func (s *session) start(t *testing.T, name string, args ...string) *process {
	t.Helper()
	cmd := s.command(args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return startProcess(t, name, cmd)
}

// do runs a program in the session and returns its output.
func (s *session) do(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := s.command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// activate gives the programs that the bus starts the session's environment.
func (s *session) activate(t *testing.T) {
	t.Helper()
	s.do(t, "dbus-update-activation-environment", "WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE",
		"XDG_RUNTIME_DIR", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
}

var innerDisplay = regexp.MustCompile(`X11 display (:\d+)`)

// startGNOME starts GNOME Shell with the extension that shows tray icons.
func startGNOME(t *testing.T) *session {
	s := newSession(t, "GNOME", "XDG_SESSION_DESKTOP=gnome", "DESKTOP_SESSION=gnome")
	s.do(t, "gsettings", "set", "org.gnome.shell", "welcome-dialog-last-shown-version", "999")
	s.do(t, "gsettings", "set", "org.gnome.shell", "enabled-extensions", "['ubuntu-appindicators@ubuntu.com']")
	cmd := s.command("gnome-shell", "--nested", "--wayland", "--unsafe-mode")
	cmd.Env = append(cmd.Env, "DISPLAY="+s.display, "MUTTER_DEBUG_DUMMY_MODE_SPECS=1280x800")
	shell := startProcess(t, "gnome-shell", cmd)
	waitFor(t, patience, "GNOME Shell", func() bool { return strings.Contains(shell.output.tail(1000), "GNOME Shell started") })
	cookies, err := filepath.Glob(filepath.Join(s.dir, "run", ".mutter-Xwaylandauth.*"))
	inner := innerDisplay.FindStringSubmatch(shell.output.tail(1000))
	if err != nil || len(cookies) == 0 || inner == nil {
		t.Fatalf("GNOME Shell has no X server: %v\n%s", err, shell.output.tail(40))
	}
	s.env = append(s.env, "WAYLAND_DISPLAY=wayland-0", "DISPLAY="+inner[1], "XAUTHORITY="+cookies[0])
	s.activate(t)
	s.start(t, "notifications", "gjs", "/usr/share/gnome-shell/org.gnome.Shell.Notifications")
	s.start(t, "xsettings", "/usr/libexec/gsd-xsettings")
	s.eval(t, "Main.overview.hide(); 1")
	return s
}

// eval runs JavaScript in GNOME Shell.
func (s *session) eval(t *testing.T, script string) string {
	t.Helper()
	var ok bool
	var result string
	err := s.conn.Object("org.gnome.Shell", "/org/gnome/Shell").CallWithContext(t.Context(), "org.gnome.Shell.Eval", 0, script).Store(&ok, &result)
	if err != nil || !ok {
		t.Fatalf("%s: %v, %s", script, err, result)
	}
	return result
}

var xwaylandLine = regexp.MustCompile(`Xwayland\x00(:\d+)\x00`)

// startPlasma starts KWin and Plasma's panel.
func startPlasma(t *testing.T) *session {
	s := newSession(t, "KDE", "XDG_SESSION_DESKTOP=KDE", "DESKTOP_SESSION=plasma", "KDE_FULL_SESSION=true", "KDE_SESSION_VERSION=5", "XDG_MENU_PREFIX=plasma-")
	kwin, err := os.ReadFile("/usr/bin/kwin_wayland")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(s.dir, "kwin_wayland") // without its capability, which a container refuses
	if err := os.WriteFile(copied, kwin, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := s.command(copied, "--x11-display", s.display, "--width", "1280", "--height", "800", "--xwayland", "--socket", "wayland-0")
	cmd.Env = append(cmd.Env, "KWIN_COMPOSE=Q")
	window := startProcess(t, "kwin", cmd)
	waitFor(t, patience, "KWin's X server", func() bool {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", window.pid()))
		if err != nil {
			return false
		}
		for _, pid := range strings.Fields(string(children)) {
			line, err := os.ReadFile("/proc/" + pid + "/cmdline")
			if found := xwaylandLine.FindSubmatch(line); err == nil && found != nil {
				s.env = append(s.env, "WAYLAND_DISPLAY=wayland-0", "DISPLAY="+string(found[1]))
				return true
			}
		}
		return false
	})
	s.activate(t)
	s.start(t, "kded", "kded5")
	s.start(t, "plasma", "plasmashell")
	return s
}

func TestGNOME(t *testing.T) {
	walkDesktop(t, startGNOME(t), "gsettings", "set", "org.gnome.desktop.interface", "color-scheme", "prefer-dark")
}

func TestPlasma(t *testing.T) {
	walkDesktop(t, startPlasma(t), "plasma-apply-colorscheme", "BreezeDark")
}

// walkDesktop does what a person does with the app on a desktop: the icon and its menu, the
// window, raising it, a notification, the clipboard. goDark makes the desktop dark.
func walkDesktop(t *testing.T, s *session, goDark ...string) {
	defer func() {
		if t.Failed() {
			s.keep(t, "failed")
			t.Logf("process %d has the focus", s.active())
		}
	}()
	s.waitHost(t)
	app := s.start(t, "mac-stats", s.program)
	icon := s.icon(t)
	s.keep(t, "icon")

	// when the menu's submenu is opened, then it stays open while readings come
	s.menu(t, icon)
	closed := s.resting(t)
	for range 4 { // Open CPU window, New chat, Pause monitoring, Icon shows
		s.key(t, "Down")
	}
	s.key(t, "Right")
	waitFor(t, patience, "the submenu", func() bool { return differing(s.picture(t), closed) >= 1500 })
	open := s.resting(t)
	s.keep(t, "submenu")
	for range 4 { // readings
		time.Sleep(2 * time.Second)
		if d, opened := differing(s.picture(t), open), differing(closed, open); d > opened/3 {
			s.keep(t, "submenu-gone")
			t.Fatalf("the submenu doesn't stay: %d pixels have changed, it changed %d", d, opened)
		}
	}
	s.key(t, "Escape")
	s.key(t, "Escape")

	// when the window is opened, then it is drawn and has the focus
	s.menu(t, icon)
	s.key(t, "Down")
	s.key(t, "Return")
	s.waitActive(t, "the window", app)
	s.waitFilled(t)
	s.keep(t, "window")

	// when another window covers it, and the app is started again, then it is in front
	other := s.command(s.program, "--window")
	other.Env = append(other.Env, "MAC_STATS_HOME="+filepath.Join(s.dir, "other"))
	cover := startProcess(t, "the other", other)
	s.waitActive(t, "the window over it", cover)
	s.do(t, s.program)
	s.waitActive(t, "the first one in front", app)
	s.waitFilled(t)
	cover.kill()

	// when text is copied here and there, then it is pasted there and here
	s.run(t, "xdotool", "type", "--delay", "30", "from here")
	s.key(t, "ctrl+a")
	s.key(t, "ctrl+c")
	s.waitClipboard(t, "from here")
	paste := s.command("wl-copy", "from there")
	if err := paste.Run(); err != nil {
		t.Fatal(err)
	}
	s.waitActive(t, "the window after the copy", app)
	s.key(t, "ctrl+a")
	s.key(t, "ctrl+v")
	s.key(t, "ctrl+a")
	s.key(t, "ctrl+c")
	s.waitClipboard(t, "from there")

	// when answers come while the window is hidden, then each is told, and on GNOME a press
	// shows it; the pointer of a KWin in a window doesn't reach the popups of Plasma
	for range 2 {
		s.key(t, "ctrl+a")
		s.run(t, "xdotool", "type", "--delay", "30", "Why is my fan loud?")
		s.key(t, "Return")
		s.key(t, "ctrl+w")
		waitFor(t, patience, "the window to hide", func() bool { return s.active() != app.pid() })
		time.Sleep(time.Second) // it fades
		quiet := s.picture(t)
		var note image.Rectangle
		waitFor(t, patience, "a notification", func() bool {
			note = changed(quiet, s.picture(t))
			return note.Dx() > 200 && note.Dy() > 40
		})
		note = changed(quiet, s.resting(t)) // it has slid in
		s.keep(t, "notification")
		if s.getenv("XDG_CURRENT_DESKTOP") == "KDE" {
			s.do(t, s.program)
		} else {
			s.mouse(t, note.Min.Add(image.Pt(note.Dx()/3, note.Dy()*2/3)), "1")
		}
		s.waitActive(t, "the window of the answer", app)
		s.waitFilled(t)
	}

	// when the desktop becomes dark, then so does the window
	s.do(t, goDark[0], goDark[1:]...)
	waitFor(t, patience, "a dark window", func() bool {
		c := s.picture(t).RGBAAt(640, 560)
		return c.R < 80 && c.G < 80 && c.B < 80
	})
	s.waitFilled(t)
	s.keep(t, "dark")
	if out := app.output.tail(100); strings.Contains(out, "panic") || !app.running() {
		t.Error(out)
	}
}

// waitHost waits until a panel shows tray icons.
func (s *session) waitHost(t *testing.T) {
	t.Helper()
	waitFor(t, patience, "a panel with tray icons", func() bool {
		var hosted dbus.Variant
		err := s.conn.Object("org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher").
			Call("org.freedesktop.DBus.Properties.Get", 0, "org.kde.StatusNotifierWatcher", "IsStatusNotifierHostRegistered").Store(&hosted)
		return err == nil && hosted.Value() == true
	})
	s.resting(t)
}

// icon finds the app's icon in the panel by the colours of its bar.
func (s *session) icon(t *testing.T) (at image.Point) {
	t.Helper()
	bar := []color.RGBA{{0x3c, 0xc2, 0x9b, 0xff}, {0xe0, 0xa8, 0x4a, 0xff}, {0xef, 0x7a, 0x65, 0xff}}
	waitFor(t, patience, "the icon", func() bool {
		p := s.picture(t)
		for _, band := range []image.Rectangle{image.Rect(640, 0, 1280, 32), image.Rect(640, 756, 1280, 800)} {
			for y := band.Min.Y; y < band.Max.Y; y++ {
				for x := band.Min.X; x < band.Max.X; x++ {
					if c := p.RGBAAt(x, y); slices.ContainsFunc(bar, func(b color.RGBA) bool { return alike(c, b) }) {
						at = image.Pt(x+4, y-4)
						return true
					}
				}
			}
		}
		return false
	})
	s.resting(t)
	return at
}

func alike(a, b color.RGBA) bool {
	return max(a.R, b.R)-min(a.R, b.R) < 24 && max(a.G, b.G)-min(a.G, b.G) < 24 && max(a.B, b.B)-min(a.B, b.B) < 24
}

// menu opens the menu of the icon.
func (s *session) menu(t *testing.T, icon image.Point) {
	t.Helper()
	before := s.resting(t)
	waitFor(t, patience, "the menu", func() bool {
		s.mouse(t, icon, "3")
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			if c := changed(before, s.picture(t)); c.Dx() > 150 && c.Dy() > 120 {
				return true
			}
		}
		return false
	})
	s.resting(t)
}

// mouse clicks a place. A popup of a nested desktop notices the pointer by its second move.
func (s *session) mouse(t *testing.T, at image.Point, button string) {
	t.Helper()
	for _, x := range []int{at.X - 2, at.X} {
		s.run(t, "xdotool", "mousemove", fmt.Sprint(x), fmt.Sprint(at.Y))
		time.Sleep(300 * time.Millisecond)
	}
	s.run(t, "xdotool", "click", button)
}

func (s *session) key(t *testing.T, key string) {
	t.Helper()
	s.run(t, "xdotool", "key", key)
	time.Sleep(300 * time.Millisecond) // one after another
}

// resting waits until the screen has little motion; readings and clocks go on.
func (s *session) resting(t *testing.T) *image.RGBA {
	t.Helper()
	before := s.picture(t)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		time.Sleep(500 * time.Millisecond)
		now := s.picture(t)
		if differing(before, now) < 200 {
			return now
		}
		before = now
	}
	return before
}

// changed returns the smallest rectangle with all pixels beside the panel that differ.
func changed(a, b *image.RGBA) (r image.Rectangle) {
	for y := 32; y < 756; y++ { // GNOME's panel is above, Plasma's below
		for x := range a.Rect.Dx() {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// active returns the process whose window has the focus, or 0.
func (s *session) active() (pid int) {
	out, err := s.command("xdotool", "getactivewindow", "getwindowpid").Output()
	if err == nil {
		_, _ = fmt.Sscan(string(out), &pid) // 0 is no process
	}
	return pid
}

func (s *session) waitActive(t *testing.T, what string, p *process) {
	t.Helper()
	waitFor(t, patience, what, func() bool { return s.active() == p.pid() })
}

// waitFilled waits until the middle of the screen, where the window is, shows text on an even
// ground: an empty window has no text, and a desktop's picture no such ground.
func (s *session) waitFilled(t *testing.T) {
	t.Helper()
	waitFor(t, patience, "something in the window", func() bool {
		middle, of, ground := s.picture(t), map[color.RGBA]int{}, 0
		for y := 60; y < 700; y++ {
			for x := 300; x < 1000; x++ {
				c := middle.RGBAAt(x, y)
				of[c]++
				ground = max(ground, of[c])
			}
		}
		return len(of) >= fullOfColours && ground > 700*640/3
	})
}

func (s *session) waitClipboard(t *testing.T, want string) {
	t.Helper()
	waitFor(t, patience, want+" on the clipboard", func() bool {
		out, err := s.command("timeout", "5", "wl-paste", "--no-newline").Output()
		return err == nil && string(out) == want
	})
}

// keep saves a picture among the artifacts.
func (s *session) keep(t *testing.T, name string) {
	t.Helper()
	s.run(t, "import", "-window", "root", filepath.Join(artifacts(t), name+".png"))
}
