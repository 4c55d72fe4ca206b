package wholefile_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"mac-stats/sessionmem/wholefile"
)

// acl is the list of rights in the form of the kernel: the owner may read and write, user
// 4711 read, the group and others nothing. Its mask, which stands where the mode has the
// group's rights, allows to read.
func acl() []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, rights uint16
		id          uint32
	}{{1, 6, ^uint32(0)}, {2, 4, 4711}, {4, 0, ^uint32(0)}, {0x10, 4, ^uint32(0)}, {0x20, 0, ^uint32(0)}} {
		b = binary.LittleEndian.AppendUint16(b, e.tag)
		b = binary.LittleEndian.AppendUint16(b, e.rights)
		b = binary.LittleEndian.AppendUint32(b, e.id)
	}
	return b
}

func set(t *testing.T, path, name string, value []byte) {
	t.Helper()
	if err := unix.Setxattr(path, name, value, 0); err != nil {
		t.Fatalf("setting %s of %s: %v", name, path, err)
	}
}

func get(path, name string) string {
	value := make([]byte, 512)
	n, err := unix.Getxattr(path, name, value)
	if err != nil {
		return err.Error()
	}
	return string(value[:n])
}

// given a file with rights and attributes of its owner, when it is replaced, then the new one
// has them, and nobody can read it who couldn't before
func TestAReplacedFileKeepsItsRightsAndAttributes(t *testing.T) {
	const access, inherited = "system.posix_acl_access", "system.posix_acl_default"
	replaced := map[string]func(path string, was os.FileInfo) error{
		"Replace": func(path string, was os.FileInfo) error {
			_, err := wholefile.Replace(path, []byte("new"), was)
			return err
		},
		"Write": func(path string, was os.FileInfo) error {
			return wholefile.Write(path, []byte("new"), was.Mode().Perm())
		},
		"Swap": func(path string, was os.FileInfo) error {
			_, err := wholefile.Swap(path, []byte("new"), was.Mode().Perm())
			return err
		},
	}
	for how, replace := range replaced {
		for name, prepare := range map[string]func(dir, file string){
			"a list of rights":                  func(_, file string) { set(t, file, access, acl()) },
			"a note":                            func(_, file string) { set(t, file, "user.note", []byte("mine")) },
			"a folder that hands its rights on": func(dir, _ string) { set(t, dir, inherited, acl()) },
			"both lists":                        func(dir, file string) { set(t, dir, inherited, acl()); set(t, file, access, acl()) },
		} {
			t.Run(how+", "+name, func(t *testing.T) {
				dir := t.TempDir()
				file := filepath.Join(dir, "memory.md")
				if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
					t.Fatal(err)
				}
				prepare(dir, file)
				was, err := os.Stat(file)
				if err != nil {
					t.Fatal(err)
				}
				rights, note := get(file, access), get(file, "user.note")
				if err := replace(file, was); err != nil {
					t.Fatal(err)
				}
				now, err := os.Stat(file)
				if err != nil {
					t.Fatal(err)
				}
				if text, _ := os.ReadFile(file); string(text) != "new" || now.Mode() != was.Mode() {
					t.Errorf("%s, mode %v, want %v", text, now.Mode(), was.Mode())
				}
				if got := get(file, access); got != rights {
					t.Errorf("the rights are %q, were %q", got, rights)
				}
				if got := get(file, "user.note"); got != note {
					t.Errorf("the note is %q, was %q", got, note)
				}
			})
		}
	}
}

// Nobody else reads a file that is made private by replacing it.
func TestAPrivateFileIsPrivateWhateverItsListOfRights(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	set(t, file, "system.posix_acl_access", acl())
	if err := wholefile.Write(file, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 { // the mask allows nothing
		t.Errorf("%v, %v", fi.Mode(), err)
	}
}
