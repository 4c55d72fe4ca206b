//go:build e2e && systems

package e2etest

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A Wayland desktop without a screen: sway, at 1.5 pixels per point, with one window over
// the other. scripts/sway.sh runs this.

const swayConfig = `output HEADLESS-1 resolution 1500x1050 scale 1.5
workspace_layout tabbed
default_border none
focus_on_window_activation focus
`

// compositor is a running sway. It refuses to run as root; if the test does, the user
// nobody runs it and all programs in it.
type compositor struct {
	env     []string
	dir     string // for those programs' files
	program string // mac-stats
}

func startSway(t *testing.T) *compositor {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") //nolint:usetesting // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := &compositor{dir: dir, program: filepath.Join(dir, "mac-stats")}
	built, err := os.ReadFile(binary(t))
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config")
	err = errors.Join(os.WriteFile(config, []byte(swayConfig), 0o644), os.WriteFile(c.program, built, 0o755), c.give(dir))
	if err != nil {
		t.Fatal(err)
	}
	run := c.folder(t, "run")
	c.env = append(os.Environ(), "XDG_RUNTIME_DIR="+run, "HOME="+c.folder(t, "user"), "TMPDIR="+c.folder(t, "tmp"),
		"WLR_BACKENDS=headless", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_RENDERER=pixman", "LIBGL_ALWAYS_SOFTWARE=1",
		"DISPLAY=", "WAYLAND_DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=", "LANG=C.UTF-8")
	startProcess(t, "sway", c.command("sway", "-c", config))
	waitFor(t, patience, "sway", func() bool {
		ipc, _ := filepath.Glob(filepath.Join(run, "sway-ipc.*.sock")) // the pattern is valid
		display, _ := filepath.Glob(filepath.Join(run, "wayland-*[0-9]"))
		if len(ipc) == 0 || len(display) == 0 {
			return false
		}
		c.env = append(c.env, "SWAYSOCK="+ipc[0], "WAYLAND_DISPLAY="+filepath.Base(display[0]))
		return true
	})
	return c
}

const nobody = 65534

func (c *compositor) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = c.env
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

// give makes the user who runs the programs the owner of a file or folder.
func (c *compositor) give(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chown(path, nobody, nobody)
}

// folder creates a folder for the programs.
func (c *compositor) folder(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(c.dir, name)
	if err := errors.Join(os.Mkdir(path, 0o700), c.give(path)); err != nil {
		t.Fatal(err)
	}
	return path
}

// node is a part of sway's tree.
type node struct {
	PID     int     `json:"pid"`
	AppID   string  `json:"app_id"`
	Shell   string  `json:"shell"`
	Focused bool    `json:"focused"`
	Scale   float64 `json:"scale"`
	Nodes   []node  `json:"nodes"`
}

// window finds a process's window.
func (c *compositor) window(t *testing.T, pid int) (w node, ok bool) {
	t.Helper()
	out, err := c.command("swaymsg", "-r", "-t", "get_tree").Output()
	if err != nil {
		t.Fatal(err)
	}
	var root node
	if err := json.Unmarshal(out, &root); err != nil {
		t.Fatal(err)
	}
	var look func(n node)
	look = func(n node) {
		if n.PID == pid {
			w, ok = n, true
		}
		for _, below := range n.Nodes {
			look(below)
		}
	}
	look(root)
	return w, ok
}

func (c *compositor) waitFocus(t *testing.T, what string, pid int) {
	t.Helper()
	waitFor(t, patience, what, func() bool {
		w, ok := c.window(t, pid)
		return ok && w.Focused
	})
}

func TestSwayRaisesTheFirstOnesWindow(t *testing.T) {
	c := startSway(t)
	start := func(home string, args ...string) *process {
		t.Helper()
		cmd := c.command(c.program, args...)
		cmd.Env = append(cmd.Env, "MAC_STATS_HOME="+home, "OLLAMA_HOST=127.0.0.1:1")
		return startProcess(t, "mac-stats", cmd)
	}
	home, other := c.folder(t, "home"), c.folder(t, "other")
	app := start(home, "--window")
	c.waitFocus(t, "the window", app.pid())
	w, _ := c.window(t, app.pid())
	if w.Shell != "xdg_shell" {
		t.Errorf("the window is of the shell %q: it is not a native one", w.Shell)
	}
	shot := filepath.Join(c.dir, "window.png")
	waitFor(t, patience, "something in the window", func() bool {
		if out, err := c.command("grim", shot).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return coloursOf(t, shot) == fullOfColours
	})
	keepPicture(t, shot)

	for _, how := range []struct {
		name  string
		again func() error
	}{
		{"started in a terminal, which has no token", func() error {
			cmd := c.command(c.program)
			cmd.Env = append(cmd.Env, "MAC_STATS_HOME="+home, "XDG_ACTIVATION_TOKEN=")
			return cmd.Run()
		}},
		{"started by the desktop, with a token", func() error {
			line := fmt.Sprintf("exec env MAC_STATS_HOME='%s' '%s'", home, c.program)
			return c.command("swaymsg", line).Run()
		}},
	} {
		cover := start(other, "--window")
		c.waitFocus(t, "a window over it", cover.pid())
		time.Sleep(time.Second) // it settles
		if err := how.again(); err != nil {
			t.Fatal(err)
		}
		c.waitFocus(t, "the first one in front, "+how.name, app.pid())
		cover.kill()
		waitFor(t, patience, "the other to go", func() bool { _, ok := c.window(t, cover.pid()); return !ok })
	}
	if out := app.output.tail(50); strings.Contains(out, "panic") {
		t.Error(out)
	}
}

// coloursOf counts the colours of a picture in a file.
func coloursOf(t *testing.T, path string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return colours(picture, fullOfColours)
}

// keepPicture copies a picture to the artifacts.
func keepPicture(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(artifacts(t), filepath.Base(path)), data, 0o644); err != nil {
		t.Fatal(err)
	}
}
