package doctorcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/shirou/gopsutil/v4/disk"

	"mac-stats/agents/fault"
	"mac-stats/app/cli/words"
	"mac-stats/app/monitor"
	"mac-stats/app/sessionbus"
)

// Probes holds doctor's questions to the system.
type Probes struct {
	Display  func(ctx context.Context) (found string, there bool, err error)
	TrayHost func(ctx context.Context) (bool, error)
	Free     func(path string) (uint64, error) // bytes; ErrNoDisk if files can't be stored there
}

const (
	// lowDisk is the free space below which the disk is a finding, in bytes.
	lowDisk = 500e6
	// probeTimeout is how long a single probe may take.
	probeTimeout = 2 * time.Second
	// watcher is the name that a tray host owns on the session bus.
	watcher = "org.kde.StatusNotifierWatcher"
)

func systemProbes(environ []string) Probes {
	env := map[string]string{}
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	return Probes{
		Display:  func(ctx context.Context) (string, bool, error) { return findDisplay(ctx, env) },
		TrayHost: func(ctx context.Context) (bool, error) { return hasTrayHost(ctx, env) },
		Free: func(path string) (uint64, error) {
			usage, err := disk.Usage(path)
			if err != nil {
				return 0, err
			}
			if usage.Total == 0 {
				return 0, ErrNoDisk
			}
			return usage.Free, nil
		},
	}
}

// screenChecks checks for a display and, if there is one, for a tray host.
func (d *doctor) screenChecks(ctx context.Context) []check {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*probeTimeout)
	defer cancel()
	found, there, err := d.probes.Display(ctx)
	switch {
	case err != nil:
		return []check{bad("display", words.OneLine(err.Error(), 200), "Start it in a desktop session, or with --headless; the commands work anyway.")}
	case !there:
		return []check{good("display", found), good("tray", "not looked for: there is no display")}
	}
	return []check{good("display", found), d.trayCheck(ctx)}
}

func (d *doctor) trayCheck(ctx context.Context) check {
	const fix = "The window opens at the start instead. On GNOME the AppIndicator extension shows tray icons; elsewhere add a tray (system tray, status notifier) to the panel."
	host, err := d.probes.TrayHost(ctx)
	switch {
	case errors.Is(err, ErrNoBus):
		return bad("tray", "no tray host: "+err.Error(), "Start it in a desktop session (or with dbus-run-session). The window opens at the start instead.")
	case err != nil:
		return bad("tray", "no tray host: "+words.OneLine(err.Error(), 200), fix)
	case !host:
		return bad("tray", "no tray host: nobody owns "+watcher, fix)
	}
	return good("tray", "a tray host shows the icon")
}

// findDisplay names the display. It returns an error if one is configured but doesn't
// answer.
func findDisplay(ctx context.Context, env map[string]string) (found string, there bool, err error) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return "the system's own", true, nil
	}
	if name := env["WAYLAND_DISPLAY"]; name != "" {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(env["XDG_RUNTIME_DIR"], name)
		}
		if err := reach(ctx, path); err == nil {
			return "Wayland " + name, true, nil
		} else if env["DISPLAY"] == "" {
			return "", false, fmt.Errorf("WAYLAND_DISPLAY is %s, and nothing answers there: %w", name, err)
		}
	}
	name := env["DISPLAY"]
	if name == "" {
		if kind := env["XDG_SESSION_TYPE"]; kind == "x11" || kind == "wayland" {
			return "", false, fmt.Errorf("this is a desktop session (%s), and neither DISPLAY nor WAYLAND_DISPLAY is set", kind)
		}
		return "none: --headless and the commands work without", false, nil
	}
	number, local := strings.CutPrefix(strings.TrimPrefix(name, "unix"), ":")
	if !local {
		return "X11 " + name, true, nil // on another machine: only a client could check
	}
	number, _, _ = strings.Cut(number, ".")
	path := filepath.Join("/tmp/.X11-unix", "X"+filepath.Base(number))
	if reach(ctx, path) != nil {
		if err := reach(ctx, "@"+path); err != nil { // the abstract socket, on Linux
			return "", false, fmt.Errorf("DISPLAY is %s, and nothing answers there: %w", name, err)
		}
	}
	return "X11 " + name, true, nil
}

// reach connects to a unix socket and disconnects.
func reach(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return err
	}
	return conn.Close()
}

// ErrNoBus means that there is no session bus to ask for a tray host.
var ErrNoBus = errors.New("there is no D-Bus session")

// hasTrayHost asks the session bus whether a program shows tray icons.
func hasTrayHost(ctx context.Context, env map[string]string) (bool, error) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return true, nil
	}
	address := env["DBUS_SESSION_BUS_ADDRESS"]
	if address == "" {
		socket := filepath.Join(env["XDG_RUNTIME_DIR"], "bus")
		if info, err := os.Stat(socket); env["XDG_RUNTIME_DIR"] == "" || err != nil || info.Mode()&fs.ModeSocket == 0 {
			return false, ErrNoBus
		}
		address = "unix:path=" + socket
	}
	conn, err := sessionbus.ConnectTo(ctx, address)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }() // nothing was changed over it
	var owned bool
	call := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, watcher)
	if err := call.Store(&owned); err != nil {
		return false, fmt.Errorf("ask the D-Bus session: %w", err)
	}
	return owned, nil
}

// ErrNoDisk means that the path is on a virtual file system such as /proc.
var ErrNoDisk = errors.New("there is no disk behind it")

func (d *doctor) checkDisk(home string) check {
	free, err := d.probes.Free(existing(home))
	switch {
	case errors.Is(err, ErrNoDisk):
		return bad("disk", home+" lies where no files can be kept: "+err.Error(), "Set MAC_STATS_HOME to a folder on a disk.")
	case err != nil:
		return bad("disk", "the free space can't be read: "+words.OneLine(err.Error(), 200), "Check that the disk of "+home+" is there.")
	case free < lowDisk:
		return bad("disk", monitor.Bytes(free)+" are free at "+home, "Free some space: conversations can't be saved on a full disk.")
	}
	return good("disk", monitor.Bytes(free)+" are free")
}

// existing returns the path or its nearest existing parent.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

// checkWritable creates the data folder if it is missing, and a probe file in it.
func checkWritable(home string) check {
	fix := "Check its owner, permissions and free space (`ls -ld " + home + "`), or set MAC_STATS_HOME to another folder."
	err := os.MkdirAll(home, 0o700)
	if errors.Is(err, syscall.ENOTDIR) {
		e := fault.Explain(err).Terminal()
		return bad("folder", words.OneLine(e.Sentence, 300), e.Next)
	}
	if err != nil {
		return bad("folder", words.OneLine(err.Error(), 200), fix)
	}
	for _, dir := range []string{"", "session", "agents", "logs"} {
		path := filepath.Join(home, dir)
		if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err == nil && !info.IsDir() {
			return bad("folder", path+" is not a folder", "Move it away: "+path+" is where mac-stats keeps its files.")
		}
		if err := tryFile(path); err != nil {
			return bad("folder", path+" can't be written: "+words.OneLine(err.Error(), 200), fix)
		}
	}
	return good("folder", home+" can be written")
}

func tryFile(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("doctor\n")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// checkPermissions requires 0700 for folders and 0600 for the files that only the app
// writes. Files that people edit may have wider permissions, which editors and mkdir set;
// the folder around them keeps others out.
func checkPermissions(home string) check {
	if runtime.GOOS == "windows" {
		return good("permissions", "those of your user folder")
	}
	var open []string
	look := func(path string, info fs.FileInfo) {
		if info.Mode().Perm()&0o077 != 0 {
			open = append(open, path)
		}
	}
	for _, dir := range []string{"", "agents", "memory"} {
		if info, err := os.Stat(filepath.Join(home, dir)); err == nil {
			look(filepath.Join(home, dir), info)
		}
	}
	for _, dir := range []string{"session", "logs", "discord"} {
		_ = filepath.WalkDir(filepath.Join(home, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.IsDir() && !e.Type().IsRegular() {
				return nil //nolint:nilerr // the check before reports what we can't read
			}
			if info, err := e.Info(); err == nil {
				look(path, info)
			}
			return nil
		})
	}
	if len(open) == 0 {
		return good("permissions", "the folder is for you alone")
	}
	shown := strings.Join(open[:min(3, len(open))], ", ")
	if len(open) > 3 {
		shown += fmt.Sprintf(" and %d more", len(open)-3)
	}
	return bad("permissions", "others may read "+shown, "`chmod -R go-rwx "+home+"`")
}
