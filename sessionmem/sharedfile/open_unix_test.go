//go:build unix

package sharedfile_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mac-stats/sessionmem/sharedfile"
	"mac-stats/sessionmem/wholefile"
)

// A line that the app adds doesn't replace the file: what is typed into a program that keeps
// it open arrives.
func TestProgramsThatKeepTheFileOpen(t *testing.T) {
	for name, script := range map[string]string{
		"cat":   `exec cat >> "$0"`,
		"tee":   `exec tee -a "$0" > "$0.shown"`,
		"dd":    `exec dd of="$0" oflag=append conv=notrunc bs=1 2> /dev/null`,
		"shell": `exec 3>> "$0"; while read -r line; do echo "$line" >&3; done`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			saved(t, r.path, "# Me\n\n- one\n")
			before, err := os.Stat(r.path)
			must(t, err)
			program := exec.Command("sh", "-c", script, r.path)
			in, err := program.StdinPipe()
			must(t, err)
			must(t, program.Start())
			_, err = in.Write([]byte("- typed before\n"))
			must(t, err)
			arrives := func(text string) {
				t.Helper()
				for !strings.Contains(readFile(t, r.path), text) {
					time.Sleep(time.Millisecond)
				}
			}
			arrives("- typed before")
			must(t, r.edit(func(text string) string { return text + "- remembered" + origin + "\n" }))
			_, err = in.Write([]byte("- typed behind\n"))
			must(t, errors.Join(err, in.Close(), program.Wait()))
			if got := readFile(t, r.path); got != "# Me\n\n- one\n- typed before\n- remembered"+origin+"\n- typed behind\n" {
				t.Errorf("%q", got)
			}
			after, err := os.Stat(r.path)
			must(t, err)
			if !os.SameFile(before, after) || len(r.Replaced()) > 0 {
				t.Errorf("the file was replaced, watched are %q", r.Replaced())
			}
		})
	}
}

// Adding a line keeps the file's other names, its owner's rights and its link.
func TestAppendingKeepsTheFile(t *testing.T) {
	r := newRig(t)
	saved(t, r.path, "- one\n")
	other := filepath.Join(t.TempDir(), "other.md")
	must(t, errors.Join(os.Link(r.path, other), os.Chmod(r.path, 0o640)))
	r.add("- two" + origin)
	if got := readFile(t, other); got != "- one\n- two"+origin+"\n" {
		t.Errorf("its other name has %q", got)
	}
	if fi, err := os.Stat(r.path); err != nil || fi.Mode().Perm() != 0o640 || wholefile.LinkCount(fi) != 2 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
}

// A file that its owner made read-only is neither appended to nor replaced.
func TestAReadOnlyFileIsNotWritten(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"appending": func(text string) string { return text + "- two\n" },
		"replacing": func(string) string { return "- uno\n" },
	} {
		r := newRig(t)
		saved(t, r.path, "- one\n")
		must(t, os.Chmod(r.path, 0o444))
		if err := r.edit(change); !errors.Is(err, sharedfile.ErrReadOnly) || !errors.Is(err, sharedfile.ErrLater) {
			t.Errorf("%s: %v", name, err)
		}
		if fi, err := os.Stat(r.path); err != nil || fi.Mode().Perm() != 0o444 || readFile(t, r.path) != "- one\n" {
			t.Errorf("%s: %v, %v, %q", name, fi.Mode(), err, readFile(t, r.path))
		}
	}
}

// A file that is mounted by itself can't be replaced: it is written in place.
func TestAMountedFileIsWrittenInPlace(t *testing.T) {
	r := newRig(t)
	source := filepath.Join(t.TempDir(), "source.md")
	saved(t, source, "- one\n")
	saved(t, r.path, "")
	if out, err := exec.Command("mount", "--bind", source, r.path).CombinedOutput(); err != nil {
		t.Logf("no right to mount here, so a folder that may not be written stands for it: %s", out)
		must(t, os.Remove(r.path))
		saved(t, r.path, "- one\n")
		source = r.path
		must(t, os.Chmod(filepath.Dir(r.path), 0o500))
		t.Cleanup(func() { must(t, os.Chmod(filepath.Dir(r.path), 0o700)) })
	} else {
		t.Cleanup(func() { must(t, exec.Command("umount", r.path).Run()) })
	}
	must(t, r.edit(func(string) string { return "- uno\n" }))
	r.add("- two")
	if got := readFile(t, source); got != "- uno\n- two\n" {
		t.Errorf("%q", got)
	}
}

// A missing file is not an empty one: it is neither read as empty nor begun anew.
func TestAMissingFileIsNotAnEmptyOne(t *testing.T) {
	for name, tc := range map[string]struct {
		begin func(t *testing.T, r *rig)
		want  string // what is said
		ok    bool   // it never was there
	}{
		"it never was there":   {func(*testing.T, *rig) {}, "", true},
		"written before":       {func(t *testing.T, r *rig) { r.add("- one"); must(t, os.Remove(r.path)) }, "was there before", false},
		"a placeholder":        {func(t *testing.T, r *rig) { saved(t, filepath.Join(filepath.Dir(r.path), ".memory.md.icloud"), "x") }, ".memory.md.icloud", false},
		"another ending":       {func(t *testing.T, r *rig) { saved(t, r.path+".txt", "- one\n") }, "memory.md.txt", false},
		"a conflict of rclone": {func(t *testing.T, r *rig) { saved(t, r.path+"..path1", "- one\n") }, "memory.md..path1", false},
		"in capitals":          {func(t *testing.T, r *rig) { saved(t, filepath.Join(filepath.Dir(r.path), "MEMORY.md"), "- one\n") }, "MEMORY.md", false},
		"a vault isn't mounted": {func(t *testing.T, r *rig) {
			must(t, os.MkdirAll(filepath.Dir(r.path), 0o700))
			must(t, os.Symlink(filepath.Join(r.root, "vault", "notes", "me.md"), r.path))
		}, "is a link to", false},
		"the vault's folder is there": {func(t *testing.T, r *rig) {
			must(t, errors.Join(os.MkdirAll(filepath.Dir(r.path), 0o700), os.MkdirAll(filepath.Join(r.root, "vault"), 0o700), os.Symlink(filepath.Join(r.root, "vault", "me.md"), r.path)))
		}, "is a link to", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			tc.begin(t, r)
			if _, err := os.Stat(r.path); err == nil {
				t.Log("the file system ignores case: it isn't missing")
				return
			}
			time.Sleep(wholefile.StableTime)
			for _, f := range []*sharedfile.Files{r.Files, r.again()} { // another process too
				got, err := f.ReadStable(t.Context(), r.path)
				if !got.Missing || (err == nil) != tc.ok || err != nil && (!errors.Is(err, sharedfile.ErrAway) || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "`mac-stats memory begin`")) {
					t.Errorf("read: %+v, %v", got, err)
				}
			}
			err := r.edit(func(text string) string { return text + "- new\n" })
			if tc.ok {
				must(t, err)
				return
			}
			if !errors.Is(err, sharedfile.ErrAway) {
				t.Errorf("written: %v", err)
			}
			if _, err := os.Lstat(filepath.Join(r.root, "vault", "notes")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("a folder was made below the mount point")
			}
			if strings.Contains(name, "mounted") {
				return
			}
			unlock, err := r.Lock(t.Context())
			must(t, err)
			must(t, r.Begin(r.path))
			unlock()
			must(t, r.again().Edit(r.path, func([]byte) ([]byte, error) { return []byte("- new\n"), nil })) // at once, in another process
			if got, err := r.again().ReadStable(t.Context(), r.path); err != nil || got.Text != "- new\n" {
				t.Errorf("begun anew: %+v, %v", got, err)
			}
		})
	}
}

// A write that failed takes back only what it wrote itself.
func TestTakeBack(t *testing.T) {
	for _, tc := range []struct{ file, ours, want string }{
		{"before|ours", "ours", "before|"},
		{"before|", "", "before|"},
		{"before|ours and theirs", "ours", "before|ours and theirs"},
		{"before|theirs", "ours", "before|theirs"},
		{"before|the", "ours", "before|the"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		saved(t, path, tc.file)
		f, err := os.OpenFile(path, os.O_RDWR|syscall.O_APPEND, 0)
		must(t, err)
		err = wholefile.TakeBack(f, int64(len("before|")), []byte(tc.ours), func() error { return f.Truncate(int64(len("before|"))) })
		if got := readFile(t, path); got != tc.want || (err == nil) != (tc.want == "before|") {
			t.Errorf("%q: %q, %v", tc.file, got, err)
		}
		must(t, f.Close())
	}
}
