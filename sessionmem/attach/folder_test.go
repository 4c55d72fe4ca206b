package attach

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/sessionmem/filetest"

	"github.com/google/go-cmp/cmp"
)

func TestFolderBecomesTheTextOfItsFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "notes")
	for name, text := range map[string]string{
		"b.md": "second\n", "a/one.txt": "first\r\n", "a/picture.png": "\x89PNG\r\n\x1a\n\x00", ".env": "SECRET=1",
		".git/config": "[core]", "node_modules/x.js": "x", "empty.txt": "", "long.txt": strings.Repeat("x", maxTextBytes),
	} {
		filetest.Write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	u, err := Read(t.Context(), dir, nil)
	want := File{Name: "notes", Ext: "txt", Files: 2, LeftOut: 3, Data: []byte("===== a/one.txt =====\nfirst\n\n===== b.md =====\nsecond\n")}
	if diff := cmp.Diff(want, u); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Links are left out: they may lead anywhere, or nowhere.
func TestLinksInAFolderAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "a.txt"), "one")
	filetest.Must(t, os.Symlink("a.txt", filepath.Join(dir, "b.txt")))
	filetest.Must(t, os.Symlink("/nowhere/at/all", filepath.Join(dir, "c.txt")))
	for i := range maxFolderFiles {
		filetest.Write(t, filepath.Join(dir, "more", fmt.Sprintf("%04d.bin", i)), "\x00")
	}
	u, err := Read(t.Context(), dir, nil)
	if u.Files != 1 || u.LeftOut != maxFolderFiles-1 || err != nil { // the last two are not looked at
		t.Errorf("%d files, %d left out, %v", u.Files, u.LeftOut, err)
	}
}
