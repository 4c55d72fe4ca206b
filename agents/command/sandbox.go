package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mac-stats/agents/process"
)

// minLandlock is the first version of Landlock that restricts truncation and TCP;
// scopesLandlock is the first that also restricts signals.
const (
	minLandlock    = 4
	scopesLandlock = 6
)

type sandboxKind int

const (
	noSandbox   sandboxKind = iota
	bubblewrap              // Linux
	landlocked              // Linux
	sandboxExec             // macOS
)

// sandbox is the system's means to keep a program from doing harm.
type sandbox struct {
	kind  sandboxKind
	path  string // of the program that makes it; "" for Landlock
	sizes bool   // bubblewrap supports sizes of folders in memory (0.7)
}

// findSandbox returns the system's sandbox; it looks once.
var findSandbox = sync.OnceValue(func() sandbox {
	switch runtime.GOOS {
	case "linux":
		if path, err := exec.LookPath("bwrap"); err == nil {
			for _, sizes := range []bool{true, false} {
				args := []string{"--ro-bind", "/", "/", "--unshare-all", "--dev", "/dev", "--proc", "/proc", "true"}
				if sizes {
					args = append([]string{"--size", "4096", "--tmpfs", "/tmp"}, args...)
				}
				if exec.Command(path, args...).Run() == nil {
					return sandbox{bubblewrap, path, sizes}
				}
			}
		}
		if landlockVersion() >= minLandlock {
			return sandbox{kind: landlocked}
		}
	case "darwin":
		if path, err := exec.LookPath("sandbox-exec"); err == nil {
			return sandbox{kind: sandboxExec, path: path}
		}
	}
	return sandbox{}
})

// words tells people what the sandbox prevents and what it doesn't.
func (s sandbox) words(network bool) string {
	net := "no network"
	if network {
		net = "with network"
	}
	switch s.kind {
	case bubblewrap:
		text := "in a sandbox (bubblewrap): writes there alone, " + net
		if !hasFilter() {
			text += ", BUT can talk to programs that have a socket in a folder"
		}
		return text
	case landlocked:
		text := "in a sandbox (Landlock): reads system folders, writes there alone, " + net
		switch {
		case !hasFilter() && !network:
			text += " over TCP, BUT over UDP, and can talk to other programs through their sockets"
		case !hasFilter():
			text += ", BUT can talk to other programs through their sockets"
		case landlockVersion() < scopesLandlock:
			text += ", BUT can end other programs of yours"
		}
		return text
	case sandboxExec:
		return "in a sandbox (sandbox-exec): writes there alone, " + net + ", BUT can ask services of the system, and what it leaves in the background keeps running after a stop"
	}
	text := "WITHOUT a sandbox, which this system doesn't have: it can do what you can do"
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		text += ", and what it leaves in the background keeps running after a stop"
	}
	return text
}

// secrets are folders in the home folder that are hidden from programs.
var secrets = []string{".Xauthority", ".ICEauthority", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gh", ".config/gcloud", ".local/share/keyrings", ".password-store", ".mozilla", ".config/google-chrome", ".config/chromium", ".netrc", ".pgpass", ".git-credentials", ".config/git/credentials", ".npmrc", ".pypirc", ".vault-token", ".config/rclone", ".config/BraveSoftware", ".thunderbird", ".mac-stats", "Library/Keychains"}

// workFolder is the folder for programs in the data folder.
const workFolder = "work"

// hidden returns the data folder and the secrets, with links resolved.
func hidden(data string) []string {
	list := []string{resolved(data)}
	if home, err := os.UserHomeDir(); err == nil {
		for _, name := range secrets {
			list = append(list, resolved(filepath.Join(home, name)))
		}
	}
	return list
}

// resolved resolves the links in the existing part of a path.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if up := filepath.Dir(path); up != path {
		return filepath.Join(resolved(up), filepath.Base(path))
	}
	return path
}

// within reports whether path is dir or inside it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// shownOfRun is the part of /run that programs see; the rest has other programs' sockets.
var shownOfRun = []string{"/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/current-system", "/run/wrappers"}

// inMemory replaces a folder with an empty one in memory, of up to most bytes.
func (s sandbox) inMemory(path string, most uint64) []string {
	if !s.sizes {
		return []string{"--tmpfs", path}
	}
	return []string{"--size", strconv.FormatUint(max(most, 1<<16), 10), "--tmpfs", path}
}

// wrap returns the arguments that run argv in the sandbox.
func (s sandbox) wrap(argv []string, set Settings, data string) []string {
	network := "off"
	if set.Network {
		network = "on"
	}
	switch s.kind {
	case bubblewrap:
		var readOnly []string // applied last, because mount points are created in them before
		full := []string{
			s.path, "--die-with-parent", "--new-session", "--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL",
			"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys",
		}
		full = append(full, s.inMemory("/tmp", limits.Memory/4)...)
		full = append(full, s.inMemory("/dev/shm", limits.Memory/4)...)
		full = append(full, "--remount-ro", "/dev")
		if _, err := os.Stat("/run"); err == nil {
			full = append(full, s.inMemory("/run", 0)...)
			for _, path := range shownOfRun {
				full = append(full, "--ro-bind-try", path, path)
			}
			readOnly = append(readOnly, "/run")
		}
		if !set.Network {
			full = append(full, "--unshare-net")
		}
		for _, path := range hidden(data) {
			switch info, err := os.Stat(path); {
			case err != nil:
			case info.IsDir():
				full = append(full, s.inMemory(path, 0)...)
				readOnly = append(readOnly, path)
			default:
				full = append(full, "--ro-bind", os.DevNull, path)
			}
		}
		full = append(full, "--bind", set.Folder, set.Folder)
		for _, path := range readOnly {
			full = append(full, "--remount-ro", path)
		}
		full = append(full, "--chdir", set.Folder, "--")
		return slices.Concat([]string{process.Self, inBubblewrap, set.Folder, network}, full, argv)
	case landlocked:
		return append([]string{process.Self, inLandlock, set.Folder, network}, argv...)
	case sandboxExec:
		return append([]string{s.path, "-p", profile(set, hidden(data))}, argv...)
	}
	return argv
}

// profile returns the macOS sandbox in its own language. It hasn't been tested on a Mac.
func profile(set Settings, hidden []string) string {
	text := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	lines := []string{
		"(version 1)", "(deny default)", "(allow process-fork)", "(allow process-exec)", "(allow signal (target same-sandbox))",
		"(allow sysctl-read)", "(allow mach-lookup)", "(allow file-read*)",
		`(allow file-write-data (literal "/dev/null") (literal "/dev/tty"))`,
	}
	for _, path := range hidden {
		lines = append(lines, "(deny file-read* (subpath "+text(path)+"))")
	}
	lines = append(lines, "(allow file-read* file-write* (subpath "+text(set.Folder)+"))")
	if set.Network {
		lines = append(lines, "(allow network*)")
	}
	return strings.Join(lines, "\n")
}

// Values of the first argument of Inside.
const (
	inBubblewrap = "bubblewrap"
	inLandlock   = "landlock"
)
