package attach

import (
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
	u, err := Read(dir)
	want := File{Name: "notes", Ext: "txt", Files: 2, LeftOut: 3, Data: []byte("===== a/one.txt =====\nfirst\n\n===== b.md =====\nsecond\n")}
	if diff := cmp.Diff(want, u); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
