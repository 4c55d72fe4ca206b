package memory

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ownedRig returns a data folder with one memory file of these bytes.
func ownedRig(t *testing.T, raw string) (*Memory, string) {
	t.Helper()
	m := New(Config{Root: t.TempDir()})
	path := m.Path(global)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(raw), 0o640); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-time.Minute) // otherwise each save waits for a second
	must(t, os.Chtimes(path, then, then))
	return m, path
}

func bytesOf(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestSaveOwnedKeepsUneditedBytes(t *testing.T) {
	for name, tc := range map[string]struct{ raw, from, to, want string }{
		"LF":                       {"a\nb\n", "b", "B", "a\nB\n"},
		"CRLF":                     {"a\r\nb\r\n", "b", "B\nc", "a\r\nB\r\nc\r\n"},
		"a BOM":                    {"\xef\xbb\xbfa\nb\n", "a", "A", "\xef\xbb\xbfA\nb\n"},
		"mixed line ends":          {"a\r\nb\nc\r\n", "c", "C", "a\r\nb\nC\r\n"},
		"no line end at the end":   {"a\nb", "b", "b\nc", "a\nb\nc"},
		"a line end is taken away": {"a\r\nb\r\n", "b\n", "b", "a\r\nb"},
		"bytes that are no UTF-8":  {"ä caf\xe9\nb\n", "b", "B", "ä caf\xe9\nB\n"},
		"a garbled line is removed": {
			"caf\xe9\nä\nb\n", "caf\uFFFD\n", "", "ä\nb\n",
		},
		"trailing spaces and tabs": {"a  \n\tb\t\nc\n", "c", "C", "a  \n\tb\t\nC\n"},
		"all goes":                 {"a\n", "a\n", "", ""},
		"nothing changed":          {"a\r\nb", "a", "a", "a\r\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			m, path := ownedRig(t, tc.raw)
			o, err := m.OpenOwned(path)
			if err != nil || o.Why != "" {
				t.Fatalf("%v %q", err, o.Why)
			}
			saved, err := m.SaveOwned(t.Context(), o, strings.Replace(o.Text, tc.from, tc.to, 1))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, bytesOf(t, path)); diff != "" {
				t.Error(diff)
			}
			if again, _ := m.OpenOwned(path); !again.SameText(saved) {
				t.Error("what was saved is not what is given back")
			}
			if fi, _ := os.Stat(path); runtime.GOOS != "windows" && fi.Mode().Perm() != 0o640 {
				t.Errorf("its mode is %v", fi.Mode())
			}
		})
	}
}

func TestSaveOwnedRefusesToEditAGarbledLine(t *testing.T) {
	m, path := ownedRig(t, "ä\ncaf\xe9\n")
	o, err := m.OpenOwned(path)
	if err != nil || !o.Garbled {
		t.Fatalf("%v, garbled %v", err, o.Garbled)
	}
	_, err = m.SaveOwned(t.Context(), o, strings.Replace(o.Text, "caf", "Caf", 1))
	if !errors.Is(err, ErrNotEditable) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("the error is %v", err)
	}
	if got := bytesOf(t, path); got != "ä\ncaf\xe9\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestSaveOwnedNeverOverwritesAnEditMadeOutside(t *testing.T) {
	m, path := ownedRig(t, "a\n")
	o, err := m.OpenOwned(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := m.SaveOwned(t.Context(), o, "mine\n"); !errors.Is(err, ErrChangedOutside) {
		t.Errorf("the error is %v", err)
	}
	if got := bytesOf(t, path); got != "theirs\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestOwnedFilesThatCannotBeEditedHaveAReason(t *testing.T) {
	for name, tc := range map[string]struct {
		raw  string
		mode os.FileMode
		want string
	}{
		"large":     {strings.Repeat("- a line\n", 600000), 0o600, "5.1 MB"},
		"binary":    {"a\x00b", 0o600, "not a text file"},
		"read-only": {"a\n", 0o400, "read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			m, path := ownedRig(t, tc.raw)
			if err := os.Chmod(path, tc.mode); err != nil {
				t.Fatal(err)
			}
			o, err := m.OpenOwned(path)
			if err != nil || !strings.Contains(o.Why, tc.want) {
				t.Fatalf("%v, why %q", err, o.Why)
			}
			if _, err := m.SaveOwned(t.Context(), o, "x"); !errors.Is(err, ErrNotEditable) {
				t.Errorf("the error is %v", err)
			}
			o.Why = "" // made read-only after it was opened
			if _, err := m.SaveOwned(t.Context(), o, "x"); !errors.Is(err, ErrNotEditable) {
				t.Errorf("the error is %v", err)
			}
			if got := bytesOf(t, path); got != tc.raw {
				t.Errorf("the file has %d bytes", len(got))
			}
		})
	}
}

func TestOwnedFilesMissingAndLinked(t *testing.T) {
	m, path := ownedRig(t, "a\n")
	missing := filepath.Join(filepath.Dir(path), "memory-main.md")
	o, err := m.OpenOwned(missing)
	if err != nil || !o.Missing {
		t.Fatalf("%v %+v", err, o)
	}
	if _, err := m.SaveOwned(t.Context(), o, "- new\n"); err != nil || bytesOf(t, missing) != "- new\n" {
		t.Fatalf("%v", err)
	}
	real := filepath.Join(t.TempDir(), "dotfiles.md")
	if err := os.WriteFile(real, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(path), "soul.md")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if o, err = m.OpenOwned(link); err != nil || o.Link != real {
		t.Fatalf("%v, link %q", err, o.Link)
	}
	if _, err := m.SaveOwned(t.Context(), o, "b\n"); err != nil || bytesOf(t, real) != "b\n" {
		t.Fatalf("%v, the file is %q", err, bytesOf(t, real))
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if _, err := m.OpenOwned(real); !errors.Is(err, ErrNotEditable) {
		t.Errorf("a file outside gives %v", err)
	}
}

func TestUnsavedEditsSurviveARestart(t *testing.T) {
	m, path := ownedRig(t, "a\n")
	u := Unsaved{Path: path, Base: "a\n", Text: "a\nb", Time: time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)}
	for range 2 {
		if err := m.KeepUnsaved(u); err != nil {
			t.Fatal(err)
		}
	}
	broken := filepath.Join(string(m.root), "agents", unsavedDir, "x.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	later := New(Config{Root: string(m.root)})
	all, err := later.AllUnsaved()
	if diff := cmp.Diff(map[string]Unsaved{path: u}, all); diff != "" || err == nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for range 2 {
		if err := later.DropUnsaved(path); err != nil {
			t.Fatal(err)
		}
	}
	if all, _ := m.AllUnsaved(); len(all) != 0 {
		t.Errorf("after dropping it: %v", all)
	}
}

func TestUndoableListsTheChangesThatCanBeUndone(t *testing.T) {
	m, path := ownedRig(t, "- by hand\n")
	for _, text := range []string{"Likes green tea", "Works in Lisbon"} {
		if _, err := m.Append(t.Context(), Lesson{Text: text, Confidence: 1, Session: "cpu-a"}); err != nil {
			t.Fatal(err)
		}
	}
	steps := m.Undoable()
	if len(steps) != 2 || steps[0].Added != "Works in Lisbon" || steps[1].Added != "Likes green tea" || steps[0].Target.Kind != TargetGlobal {
		t.Fatalf("the steps are %+v", steps)
	}
	if _, err := m.Undo(t.Context(), steps[1].ID); err != nil {
		t.Fatal(err)
	}
	if left := m.Undoable(); len(left) != 1 || left[0].ID != steps[0].ID {
		t.Errorf("left are %+v", left)
	}
	if err := os.WriteFile(path, []byte("- by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if left := m.Undoable(); len(left) != 0 {
		t.Errorf("the line is gone, and yet: %+v", left)
	}
}

// A relative link is resolved from the folder that it is in, not from the link that led to
// that folder.
func TestARelativeLinkWithinALinkedFolder(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	must(t, os.MkdirAll(filepath.Join(other, "real"), 0o700))
	writeFile(t, filepath.Join(other, "notes.md"), "- tea\n")
	must(t, os.Symlink(filepath.Join(other, "real"), filepath.Join(root, "agents")))
	must(t, os.Symlink("../notes.md", filepath.Join(other, "real", "memory.md")))
	m := New(Config{Root: root})
	o, err := m.OpenOwned(m.Path(global))
	if want := filepath.Join(other, "notes.md"); err != nil || o.Link != want || o.Text != "- tea\n" {
		t.Errorf("it is %q, %q, want %q, %v", o.Link, o.Text, want, err)
	}
}
