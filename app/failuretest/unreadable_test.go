//go:build unix

package failuretest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Commands name the user's files that they can't read, with the next step. Permissions
// don't bind root, so another user runs the program.
func TestFilesThatCannotBeReadAreNamed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "127.0.0.1:1")
	p.run("memory", "list")
	memory, transcript := filepath.Join(p.home, "agents", "memory.md"), filepath.Join(p.home, oldFile)
	asNobody := func(args ...string) *exec.Cmd {
		cmd := p.asNobody(p.command(args...))
		err := filepath.WalkDir(p.base, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || cmd.SysProcAttr == nil {
				return err
			}
			return os.Chown(path, int(cmd.SysProcAttr.Credential.Uid), -1)
		})
		if err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	chmod := func(mode fs.FileMode, paths ...string) {
		for _, path := range paths {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := asNobody("doctor")
	chmod(0, memory, transcript)
	doctor := p.start(cmd).wait()
	list := p.start(p.asNobody(p.command("memory", "list"))).wait()
	chmod(0, p.home)
	ask := p.start(p.asNobody(p.command("ask", "hi"))).wait()
	chmod(0o700, p.home)
	chmod(0o600, memory, transcript)

	for _, file := range []string{memory, transcript} {
		if doctor.code != 1 || !strings.Contains(doctor.stdout, file+" can't be read") || !strings.Contains(doctor.stdout, "chmod u+rw "+file) {
			t.Errorf("doctor says nothing of %s: %+v", file, doctor)
		}
	}
	if list.code != 1 || strings.Contains(list.stderr, "can't be written") || !strings.Contains(list.stderr, memory+" can't be read") {
		t.Errorf("memory list: %+v", list)
	}
	if ask.code != 1 || strings.Count(strings.TrimSpace(ask.stderr), "\n") > 0 || !strings.HasPrefix(ask.stderr, "mac-stats: No permission to open "+p.home) || !strings.Contains(ask.stderr, "Give yourself access") {
		t.Errorf("a folder that can't be read: %+v", ask)
	}
}
