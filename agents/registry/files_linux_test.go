package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A person gives access to a file, or a disk that failed works again: neither changes what
// tells that a file is another one.
func TestAgents_givenFileThatCouldNotBeRead_readsItOnceItCanBeRead(t *testing.T) {
	const nobody = 65534
	for _, name := range []string{"agents/agent-a/agent.json", "agents/agent-a/skill.md", "agents/agent-a/mood.md", "agents/one.md", "agents/soul.md", "agents/reset-phrases.md", "skills/greet/SKILL.md"} {
		t.Run(name, func(t *testing.T) {
			r := registryOf(t, agentTree{
				"agents/agent-a/agent.json": `{"name": "A"}`, "agents/agent-a/skill.md": "Help.", "agents/agent-a/mood.md": "Calm.",
				"agents/one.md": "---\nname: one\n---\nHelp.\n", "agents/soul.md": "Kind.", "agents/reset-phrases.md": "- start over\n", "skills/greet/SKILL.md": "---\nname: greet\n---\nSay hello.\n",
			})
			said := func() string {
				_, anew := r.BeginsAnew("start over")
				return fmt.Sprintf("%+v %+v %v %v", r.Agents(), r.Skills(), r.NotAgents(), anew)
			}
			want, old := said(), time.Now().Add(-time.Hour)
			err := filepath.WalkDir(r.root, func(path string, _ fs.DirEntry, err error) error {
				if err == nil && os.Geteuid() == 0 {
					err = os.Chown(path, nobody, nobody)
				}
				if err == nil {
					err = os.Chtimes(path, old, old)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if os.Geteuid() == 0 { // permissions don't bind root
				runtime.LockOSThread() // for good: the thread ends with this goroutine
				if err := errors.Join(os.Chmod(filepath.Dir(r.root), 0o711), unix.Setfsuid(nobody)); err != nil {
					t.Fatal(err)
				}
				defer func() { _ = unix.Setfsuid(0) }() // to remove the folder
			}
			path := filepath.Join(r.root, filepath.FromSlash(name))
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
			if got := said(); got == want {
				t.Fatal("a file without permissions can be read")
			}
			if err := os.Chmod(path, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := said(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
