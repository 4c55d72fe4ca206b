//go:build unix

package failuretest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// disk makes the data folder fail as a real disk does. Systems allow different means:
// mounts in a private namespace (as root, or if users may create namespaces), otherwise
// permissions and limits.
type disk struct {
	name   string
	script string // sh: prepares, then runs "$@"; $MAC_STATS_HOME is the data folder
}

// unshare is the command that creates a private mount namespace; nil if that is impossible.
var unshare = sync.OnceValue(func() []string {
	for _, how := range [][]string{{"unshare", "-m"}, {"unshare", "-rm"}} {
		cmd := exec.Command(how[0], append(how[1:], "sh", "-c", "mount -t tmpfs none /tmp")...)
		if cmd.Run() == nil {
			return how
		}
	}
	return nil
})

// readOnly is a data folder on a read-only disk.
func readOnly() disk {
	if unshare() != nil {
		return disk{"read-only mount", `mount --bind "$MAC_STATS_HOME" "$MAC_STATS_HOME" && mount -o remount,ro,bind "$MAC_STATS_HOME" && exec "$@"`}
	}
	return noPermission()
}

// noPermission is the same by file modes.
func noPermission() disk { return disk{name: "no permission"} }

// sizeLimit lets no file grow beyond 8 KB.
func sizeLimit() disk { return disk{"size limit", `ulimit -f 16; exec "$@"`} }

// full is a data folder on a disk that is full except for a few KB. The program's files
// there are copied back.
func full() disk {
	if unshare() != nil {
		return fullBut("256k", "8K")
	}
	return sizeLimit()
}

// fullBut is a data folder on a disk of this size that is full except for what is left.
func fullBut(size, left string) disk {
	return disk{"full mount, " + left + " left", `cp -a "$MAC_STATS_HOME" "$MAC_STATS_HOME.copy" &&
mount -t tmpfs -o size=` + size + `,mode=0700 none "$MAC_STATS_HOME" && cp -a "$MAC_STATS_HOME.copy/." "$MAC_STATS_HOME" &&
{ cat /dev/zero >"$MAC_STATS_HOME/ballast" 2>/dev/null; chmod 600 "$MAC_STATS_HOME/ballast"; truncate -s -` + left + ` "$MAC_STATS_HOME/ballast"; "$@"; code=$?
rm -rf "$MAC_STATS_HOME/ballast" "$MAC_STATS_HOME.copy"; cp -a "$MAC_STATS_HOME" "$MAC_STATS_HOME.copy"
umount "$MAC_STATS_HOME"; rm -rf "$MAC_STATS_HOME"/*; cp -a "$MAC_STATS_HOME.copy/." "$MAC_STATS_HOME"; exit $code; }`}
}

// on wraps a command so that it runs on the disk.
func (p *place) on(d disk, cmd *exec.Cmd) *exec.Cmd {
	p.t.Helper()
	p.t.Logf("the disk: %s", d.name)
	args := append([]string{"sh", "-c", d.script, "sh"}, cmd.Args...)
	switch {
	case d.name == sizeLimit().name:
	case d.script == "":
		p.lock.Do(p.locked)
		return p.asNobody(cmd)
	default:
		args = append(unshare(), args...)
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Path, cmd.Args = path, args
	return cmd
}

// locked removes the permission to write until the end of the test.
func (p *place) locked() {
	p.t.Helper()
	set := func(dir, file os.FileMode) {
		err := filepath.WalkDir(p.home, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				return os.Chmod(path, dir)
			}
			return os.Chmod(path, file)
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
	set(0o555, 0o444)
	p.t.Cleanup(func() { set(0o700, 0o600) }) // before intact checks
}

// asNobody runs a command as another user if this one is root, because permissions don't
// bind root.
func (p *place) asNobody(cmd *exec.Cmd) *exec.Cmd {
	p.t.Helper()
	if os.Geteuid() != 0 {
		return cmd
	}
	for dir := p.base; strings.HasPrefix(dir, os.TempDir()) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			p.t.Fatal(err)
		}
	}
	cmd.SysProcAttr = nobody()
	if err := os.Chown(p.base, int(cmd.SysProcAttr.Credential.Uid), -1); err != nil { // the runtime folder, not the data
		p.t.Fatal(err)
	}
	return cmd
}

// everything returns the paths in the data folder except the log's.
func (p *place) everything() []string {
	p.t.Helper()
	var paths []string
	err := filepath.WalkDir(p.home, func(path string, _ os.DirEntry, err error) error {
		if !strings.Contains(path, "/logs") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return paths
}

// disks returns both ways, because the fallback is tested on every system: it must work where
// it is needed.
func disks(t *testing.T, best disk, other disk) []disk {
	t.Helper()
	if best.name == other.name {
		return []disk{best}
	}
	return []disk{best, other}
}
