package osopen

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

func TestExportsNeverOverwrite(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []string{"a b 东京 c.md", "a b 东京 c (2).md"} {
		path, err := Export(dir, "a/b: \"东京\"\n\tc.. ", ".md", []byte{byte('0' + i)})
		if err != nil || filepath.Base(path) != want {
			t.Errorf("%s, %v, want %s", path, err, want)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a b 东京 c.md")); err != nil || string(data) != "0" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := Export(filepath.Join(dir, "gone"), "x", ".md", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	for title, want := range map[string]string{"": "conversation", "...": "conversation", strings.Repeat("long ", 30): strings.TrimSpace(strings.Repeat("long ", 12))} {
		if got := fileName(title); got != want {
			t.Errorf("%q becomes %q", title, got)
		}
	}
}

func TestLinksThatOpen(t *testing.T) {
	tests := []struct {
		raw       string
		open, ask bool
	}{
		{"https://ollama.com", true, false},
		{"http://x/y", true, false},
		{"mailto:a@b.c", true, false},
		{"file:///etc/passwd", false, true},
		{"vscode://x", false, true},
		{"javascript:alert(1)", false, false},
		{"/relative", false, false},
		{"", false, false},
		{"https://", false, false},
		{"%zz", false, false},
	}
	for _, tc := range tests {
		if open, ask := CheckLink(tc.raw); open != tc.open || ask != tc.ask {
			t.Errorf("%q: open %v, ask %v", tc.raw, open, ask)
		}
	}
}

func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "memory.md"), filepath.Join(dir, "skills")
	for _, path := range []string{file, folder, file, folder} {
		if err := Prepare(path); err != nil {
			t.Fatal(err)
		}
	}
	if fi, err := os.Stat(file); err != nil || !fi.Mode().IsRegular() || fi.Size() != 0 {
		t.Errorf("%v, %v: no empty file", fi, err)
	}
	if fi, err := os.Stat(folder); err != nil || !fi.IsDir() {
		t.Errorf("%v, %v: no folder", fi, err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Prepare(file); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
		t.Errorf("%q, %v: what was there is gone", data, err)
	}
}

func TestRevealReportsAMissingFile(t *testing.T) {
	if err := Reveal(t.Context(), filepath.Join(t.TempDir(), "gone.md")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one that says the file isn't there", err)
	}
}

func TestPrepareReportsAPlaceThatCannotHoldIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file.md")
	if err := Prepare(file); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(file, "skills"), filepath.Join(file, "memory.md")} {
		if err := Prepare(path); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}

func TestExportFolder(t *testing.T) {
	before := xdg.UserDirs.Download
	t.Cleanup(func() { xdg.UserDirs.Download = before })
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	downloads, own := filepath.Join(home, "Downloads"), filepath.Join(home, "Mine")
	xdg.UserDirs.Download = own
	for _, want := range []string{home, downloads, own} { // each is made after it was not there
		if err := os.MkdirAll(want, 0o700); err != nil {
			t.Fatal(err)
		}
		if got, err := ExportFolder(); err != nil || got != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if err := errors.Join(os.Remove(own), os.WriteFile(own, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if got, err := ExportFolder(); err != nil || got != downloads {
		t.Errorf("given a file for a folder: %s, %v", got, err)
	}
}
