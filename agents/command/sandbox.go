package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

type sandboxKind int

const (
	noSandbox   sandboxKind = iota
	bubblewrap              // Linux
	landlocked              // Linux
	sandboxExec             // macOS
)

// sandbox is what the system has to keep a program from doing harm.
type sandbox struct {
	kind sandboxKind
	path string // of the program that makes it
}

// findSandbox finds it, once.
var findSandbox = sync.OnceValue(func() sandbox {
	switch runtime.GOOS {
	case "linux":
		if path, err := exec.LookPath("bwrap"); err == nil && exec.Command(path, "--ro-bind", "/", "/", "--unshare-all", "--dev", "/dev", "--proc", "/proc", "true").Run() == nil {
			return sandbox{bubblewrap, path}
		}
		if self, err := os.Executable(); err == nil && hasLandlock() {
			return sandbox{landlocked, self}
		}
	case "darwin":
		if path, err := exec.LookPath("sandbox-exec"); err == nil {
			return sandbox{sandboxExec, path}
		}
	}
	return sandbox{}
})

// words say what the sandbox keeps a program from, for people.
func (s sandbox) words(network bool) string {
	net := "no network"
	if network {
		net = "with network"
	}
	switch s.kind {
	case bubblewrap:
		return "in a sandbox (bubblewrap): writes there alone, " + net
	case landlocked:
		if !network {
			net = "no TCP"
		}
		return "in a sandbox (Landlock): reads system folders, writes there alone, " + net
	case sandboxExec:
		return "in a sandbox (sandbox-exec): writes there alone, " + net
	}
	return "WITHOUT a sandbox, which this system doesn't have: it can do what you can do"
}

// secrets are folders below the home folder that no program sees.
var secrets = []string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gh", ".config/gcloud", ".local/share/keyrings", ".password-store", ".mozilla", ".config/google-chrome", ".config/chromium", ".netrc", ".pgpass", ".git-credentials", ".config/git/credentials", ".npmrc", ".pypirc", ".vault-token", ".config/rclone", ".config/BraveSoftware", ".thunderbird", ".mac-stats", "Library/Keychains"}

// workFolder is the one in the data folder that is for programs.
const workFolder = "work"

// hidden are the data folder and the secrets, where links lead.
func hidden(data string) []string {
	list := []string{resolved(data)}
	if home, err := os.UserHomeDir(); err == nil {
		for _, name := range secrets {
			list = append(list, resolved(filepath.Join(home, name)))
		}
	}
	return list
}

// resolved is where links lead, as far as there is something.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if up := filepath.Dir(path); up != path {
		return filepath.Join(resolved(up), filepath.Base(path))
	}
	return path
}

// within reports whether path is dir or in it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// shownOfRun is what a program sees of /run, which has the sockets of other programs.
var shownOfRun = []string{"/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/current-system", "/run/wrappers"}

// wrap gives the arguments that run argv in the sandbox.
func (s sandbox) wrap(argv []string, set Settings, data string) []string {
	switch s.kind {
	case bubblewrap:
		full := []string{
			s.path, "--die-with-parent", "--new-session", "--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL",
			"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--tmpfs", "/tmp",
		}
		if _, err := os.Stat("/run"); err == nil {
			full = append(full, "--tmpfs", "/run")
			for _, path := range shownOfRun {
				full = append(full, "--ro-bind-try", path, path)
			}
		}
		if !set.Network {
			full = append(full, "--unshare-net")
		}
		for _, path := range hidden(data) {
			switch info, err := os.Stat(path); {
			case err != nil:
			case info.IsDir():
				full = append(full, "--tmpfs", path)
			default:
				full = append(full, "--ro-bind", os.DevNull, path)
			}
		}
		return append(append(full, "--bind", set.Folder, set.Folder, "--chdir", set.Folder, "--"), argv...)
	case landlocked:
		network := "off"
		if set.Network {
			network = "on"
		}
		return append([]string{s.path, childArg, set.Folder, network}, argv...)
	case sandboxExec:
		return append([]string{s.path, "-p", profile(set, hidden(data))}, argv...)
	}
	return argv
}

// profile is the sandbox of macOS in its own language. It has not been tried on a Mac.
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

// childArg is the first argument of this program where it is to enter a sandbox and then
// become another program.
const childArg = "__in_sandbox"

// Child does that where the arguments of the process ask for it, and returns at once
// where they don't. It is the first thing main calls.
func Child() {
	if len(os.Args) > 4 && os.Args[1] == childArg {
		os.Exit(enter(os.Args[2], os.Args[3] == "on", os.Args[4:]))
	}
}
