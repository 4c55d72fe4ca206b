package wholefile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/wholefile"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	yes, no := func() bool { return true }, func() bool { return false }
	writeIf := func(still func() bool) func(string, []byte, fs.FileMode) (bool, error) {
		return func(path string, data []byte, mode fs.FileMode) (bool, error) {
			return wholefile.WriteIf(path, data, mode, still)
		}
	}
	alone := func(write func(string, []byte, fs.FileMode) error) func(string, []byte, fs.FileMode) (bool, error) {
		return func(path string, data []byte, mode fs.FileMode) (bool, error) {
			err := write(path, data, mode)
			return err == nil, err
		}
	}
	for _, tt := range []struct {
		name  string
		old   string
		write func(string, []byte, fs.FileMode) (bool, error)
		mode  fs.FileMode
		want  string
	}{
		{"where none is", "", alone(wholefile.Write), 0o600, "new"},
		{"in the place of one", "old", alone(wholefile.Write), 0o600, "new"},
		{"with its mode", "old", alone(wholefile.Write), 0o640, "new"},
		{"not waited for", "old", alone(wholefile.WriteQuick), 0o600, "new"},
		{"still wanted", "old", writeIf(yes), 0o600, "new"},
		{"not wanted any more", "old", writeIf(no), 0o600, "old"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "a.md")
			if tt.old != "" {
				write(t, path, tt.old)
			}
			done, err := tt.write(path, []byte("new"), tt.mode)
			if err != nil || done != (tt.want == "new") {
				t.Errorf("done %t, %v", done, err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != tt.want {
				t.Errorf("%q, %v", got, err)
			}
			if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != tt.mode && filepath.Separator == '/' {
				t.Errorf("%v, %v", fi.Mode(), err)
			}
			if left := names(t, dir); len(left) != 1 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestWriteThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	write(t, filepath.Join(path, "in.md"), "kept")
	if err := wholefile.Write(path, []byte("new"), 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if err := wholefile.Write(filepath.Join(dir, "none", "a.md"), []byte("new"), 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	if diff := cmp.Diff([]string{"folder"}, names(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestThrough(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("notes/real.md"), "text")
	for name, to := range map[string]string{
		"absolute.md": at("notes/real.md"), "relative.md": filepath.Join("notes", "real.md"), "twice.md": "relative.md",
		"nowhere.md": filepath.Join("notes", "none.md"), "a.md": "b.md", "b.md": "a.md",
	} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"notes/real.md": at("notes/real.md"), "missing.md": at("missing.md"), "absolute.md": at("notes/real.md"),
		"relative.md": at("notes/real.md"), "twice.md": at("notes/real.md"), "nowhere.md": at("notes/none.md"), "a.md": "",
	} {
		got, err := wholefile.Through(at(name))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s leads to %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestTempNamesAreShortAndNew(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"a.md", strings.Repeat("ü", 120), strings.Repeat("x", 255)} {
		first, second := wholefile.TempName(base), wholefile.TempName(base)
		if first == second || len(first) > 200 || !strings.HasPrefix(first, ".") || !strings.HasSuffix(first, ".tmp") || strings.ToValidUTF8(first, "") != first {
			t.Errorf("%q, %q", first, second)
		}
	}
}

// deadName returns the temporary name that an ended process would have used.
func deadName(t *testing.T, base string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	over := exec.Command(program, "-test.run", "^$")
	if err := over.Run(); err != nil {
		t.Fatal(err)
	}
	return ofProcess(base, over.Process.Pid)
}

func ofProcess(base string, pid int) string {
	return strings.Replace(wholefile.TempName(base), fmt.Sprintf("-%d-", os.Getpid()), fmt.Sprintf("-%d-", pid), 1)
}

func TestSweep(t *testing.T) {
	t.Parallel()
	root, elsewhere := t.TempDir(), t.TempDir()
	dead := deadName(t, "memory.md")
	rows := []struct {
		name    string
		path    string
		age     time.Duration
		removed bool
	}{
		{"a dead writer's", filepath.Join(root, dead), time.Hour, true},
		{"in a folder below", filepath.Join(root, "agents", "agent-coder", dead), time.Hour, true},
		{"in a hidden folder", filepath.Join(root, "agents", ".unsaved", dead), time.Hour, true},
		{"a folder that was to become an agent", filepath.Join(root, "agents", deadName(t, "agent-new"), "agent.json"), time.Hour, true},
		{"beside a file that a link leads to", filepath.Join(elsewhere, dead), time.Hour, true},
		{"a young one", filepath.Join(root, "young", dead), time.Minute, false},
		{"a living writer's", filepath.Join(root, wholefile.TempName("memory.md")), time.Hour, false},
		{"an editor's", filepath.Join(root, ".memory.md.swp"), time.Hour, false},
		{"another program's", filepath.Join(root, ".memory.md.1234.tmp"), time.Hour, false},
		{"a user's with such a word", filepath.Join(root, "notes.mac-stats-12-ABCDEFGHIJ.tmp"), time.Hour, false},
		{"below a folder that a link leads beside", filepath.Join(elsewhere, "deep", dead), time.Hour, false},
	}
	for _, tt := range rows {
		write(t, tt.path, "half of")
		then := time.Now().Add(-tt.age)
		for _, p := range []string{tt.path, filepath.Dir(tt.path)} {
			if err := os.Chtimes(p, then, then); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(t, filepath.Join(elsewhere, "mine.md"), "kept")
	if err := errors.Join(os.Symlink(filepath.Join(elsewhere, "mine.md"), filepath.Join(root, "memory.md")),
		os.Symlink(filepath.Join(root, "nowhere"), filepath.Join(root, "soul.md"))); err != nil {
		t.Fatal(err)
	}
	removed, err := wholefile.Sweep(t.Context(), root)
	if err != nil || len(removed) != 5 {
		t.Errorf("%q, %v", removed, err)
	}
	for _, tt := range rows {
		_, err := os.Lstat(tt.path)
		if gone := errors.Is(err, fs.ErrNotExist); gone != tt.removed {
			t.Errorf("%s: gone %t, want %t", tt.name, gone, tt.removed)
		}
	}
	if !slices.Contains(names(t, elsewhere), "mine.md") {
		t.Error("a file of the user's is gone")
	}
	if removed, err := wholefile.Sweep(t.Context(), filepath.Join(root, "nowhere")); err != nil || len(removed) > 0 {
		t.Errorf("a folder that isn't there: %q, %v", removed, err)
	}
}
